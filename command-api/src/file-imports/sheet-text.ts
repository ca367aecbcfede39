/** Writes the records of a sheet as CSV, for imports that read text. */
import { IMPORTED_FILE_BYTES_MAX, neutralised, Refusal } from '@rdm/contracts';
import type { ReadProfile, RecordBatch } from './sources/source.ts';
import { storableText } from './text-encoding.ts';

/**
 * CSV in parts: the names of the columns, then each record on the line that has the number of its row. Only line breaks in
 * cells and a header below the first record move later records down.
 */
export async function* sheetText(
  batches: AsyncIterable<RecordBatch>,
  { columns, read: { headerRow = 0 } }: Pick<ReadProfile, 'columns' | 'read'>,
): AsyncGenerator<string> {
  let line = 1;
  let characters = 0;
  const written = (text: string): string => {
    characters += text.length;
    if (characters <= IMPORTED_FILE_BYTES_MAX) return text;
    const most = IMPORTED_FILE_BYTES_MAX / 1024 / 1024;
    throw new Refusal('TOO_LARGE', `The sheet has more than ${most} million characters: import it in parts`);
  };
  const csvLine = (cells: readonly string[]): string => {
    const text = `${cells.map(csvCell).join(',')}\n`;
    line += text.split('\n').length - 1;
    return text;
  };
  if (headerRow > 0) yield written(csvLine(columns.map(({ name }) => name)));
  for await (const { records } of batches) {
    let text = '';
    for (const record of records) {
      const blank = Math.max(0, record.line - line);
      line += blank;
      text += '\n'.repeat(blank) + csvLine(Array.from(record.fields, (field = '') => storableText(field)));
    }
    yield written(text);
  }
}

const csvCell = (value: string): string => {
  const text = neutralised(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
