/** What a data set is exported as: the menu items of its pages. */
import { FileJson, FileSpreadsheet, FileText } from 'lucide-react';
import { MenuItem, MenuLabel, MenuSeparator } from '../../../components/ui/dropdown-menu.tsx';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { type ExportFormat, exportUrl } from '../api/instances.ts';
import { saveFile, saveWholeFile } from './save-file.ts';

const FORMATS = [
  { format: 'csv', label: 'CSV', icon: FileText },
  { format: 'xlsx', label: 'Excel (XLSX)', icon: FileSpreadsheet },
  { format: 'json', label: 'JSON', icon: FileJson },
] as const;

/** A spreadsheet is written as a whole, and refused where it would be too large; the others are streams. */
export function exportAs(format: ExportFormat, url: string): void {
  if (format === 'xlsx') void saveWholeFile(url);
  else saveFile(url);
}

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
  const items = (label: string, params: ListState['params'] | undefined, named: readonly string[] | undefined) => (
    <>
      <MenuLabel>{label}</MenuLabel>
      {FORMATS.map(({ format, label: name, icon: Icon }) => (
        <MenuItem key={format} onSelect={() => exportAs(format, exportUrl(dataSetId, format, params, named))}>
          <Icon />
          {name}
        </MenuItem>
      ))}
    </>
  );
  return (
    <>
      {items(
        `${narrowed ? 'Rows that match' : 'All rows'}${some === undefined ? '' : `, ${some.length} columns`}`,
        state.params,
        some,
      )}
      {(narrowed || some !== undefined) && (
        <>
          <MenuSeparator />
          {items('Everything', undefined, undefined)}
        </>
      )}
    </>
  );
}
