/** Saves rows of a list as a CSV file, with formulas neutralised for spreadsheets. */
import { saveBlob } from '../../lib/save-blob/index.ts';
import type { GridColumn } from './types.ts';

const SLICE_ROWS = 2_000;
const SAFE = { escapeFormulae: true };

export async function exportCsv<Row>(
  name: string,
  columns: readonly GridColumn<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const { default: papa } = await import('papaparse');
  const exported = columns.filter((column) => column.value !== undefined);
  const parts = ['\uFEFF', papa.unparse([exported.map((column) => column.header)], SAFE)];
  for (let from = 0; from < rows.length; from += SLICE_ROWS) {
    const slice = rows.slice(from, from + SLICE_ROWS);
    const data = slice.map((row) => exported.map((column) => column.value?.(row) ?? ''));
    parts.push('\r\n', papa.unparse(data, SAFE));
    // Yields after each slice, because writing many rows at once would block the page.
    await new Promise((resolve) => setTimeout(resolve));
  }
  saveBlob(new Blob(parts, { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
}
