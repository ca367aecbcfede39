/** The items of the export menu for the rows of a data set. */
import { ExportFormats } from '../../../components/exports/index.tsx';
import { MenuSeparator } from '../../../components/ui/dropdown-menu.tsx';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { exportUrl } from '../api/instances.ts';
import { exportedFields } from './exported-fields.ts';
import type { RowField } from './instance-columns.tsx';

/**
 * Exports the rows that match the search and the filter, in the displayed order and columns. A second group of items
 * exports everything, if the first group leaves out rows or fields.
 */
export function ExportItems({
  dataSetId,
  state,
  fields,
}: {
  dataSetId: number;
  state: ListState;
  /** The fields in the order of the type. */
  fields: readonly RowField[];
}) {
  const isFiltered = state.params.q !== undefined || state.params.filter !== undefined;
  const fieldNames = exportedFields(fields, state.columns);
  const omitsFields = fieldNames !== undefined && fieldNames.length < fields.length;
  return (
    <>
      <ExportFormats
        label={`${isFiltered ? 'Rows that match' : 'All rows'}${omitsFields ? `, ${fieldNames.length} ${fieldNames.length === 1 ? 'column' : 'columns'}` : ', all columns'}`}
        urlOf={(format) => exportUrl(dataSetId, format, state.params, fieldNames)}
      />
      {(isFiltered || omitsFields) && (
        <>
          <MenuSeparator />
          <ExportFormats label="Everything" urlOf={(format) => exportUrl(dataSetId, format)} />
        </>
      )}
    </>
  );
}
