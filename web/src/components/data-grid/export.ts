/** Saves what a list shows as CSV, with formulas made harmless for spreadsheets. */
import type { GridColumn } from './types.ts';

export async function exportCsv<Row>(
  name: string,
  columns: readonly GridColumn<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const { default: papa } = await import('papaparse');
  const exported = columns.filter((column) => column.value !== undefined);
  const csv = papa.unparse(
    {
      fields: exported.map((column) => column.header),
      data: rows.map((row) => exported.map((column) => column.value?.(row) ?? '')),
    },
    { escapeFormulae: true },
  );
  const url = URL.createObjectURL(new Blob([`\uFEFF${csv}`], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  // Called as it is, like the server's exports; the browser replaces what a name of a file cannot hold.
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
