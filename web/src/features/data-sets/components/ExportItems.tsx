/** What a data set is exported as: the menu items of its pages. */
import { ExportFormats } from '../../../components/exports/index.tsx';
import { MenuSeparator } from '../../../components/ui/dropdown-menu.tsx';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { exportUrl } from '../api/instances.ts';

/** Exports what the search and the filter find, in the order shown, with the columns shown, however many pages that is. */
export function ExportItems({
  dataSetId,
  state,
  fields,
}: {
  dataSetId: number;
  state: ListState;
  fields: readonly string[];
}) {
  const narrowed = state.params.q !== undefined || state.params.filter !== undefined;
  const { columns } = state;
  const chosen = columns === undefined ? undefined : fields.filter((name) => columns.includes(name));
  const some = chosen !== undefined && chosen.length > 0 && chosen.length < fields.length ? chosen : undefined;
  return (
    <>
      <ExportFormats
        label={`${narrowed ? 'Rows that match' : 'All rows'}${some === undefined ? '' : `, ${some.length} columns`}`}
        urlOf={(format) => exportUrl(dataSetId, format, state.params, some)}
      />
      {(narrowed || some !== undefined) && (
        <>
          <MenuSeparator />
          <ExportFormats label="Everything" urlOf={(format) => exportUrl(dataSetId, format)} />
        </>
      )}
    </>
  );
}
