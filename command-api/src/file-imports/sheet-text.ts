/** Writes the records of a sheet as CSV, for imports that read text. */
import { IMPORTED_FILE_BYTES_MAX, neutralised, Refusal } from '@rdm/contracts';
import type { ReadProfile, RecordBatch } from './sources/source.ts';
import { storableText } from './text-encoding.ts';

/**
 * Yields CSV in parts: the column names on line 1 if the sheet has a header row, and row n of the sheet on line n. A
 * line break in a cell moves the rows below to later lines.
 */
export async function* sheetText(
  batches: AsyncIterable<RecordBatch>,
  { columns, read: { headerRow = 0 } }: Pick<ReadProfile, 'columns' | 'read'>,
): AsyncGenerator<string> {
  let line = 1;
  let characters = 0;
  const countedText = (text: string): string => {
    characters += text.length;
    if (characters <= IMPORTED_FILE_BYTES_MAX) return text;
    const maxMillions = IMPORTED_FILE_BYTES_MAX / 1024 / 1024;
    throw new Refusal('TOO_LARGE', `The sheet has more than ${maxMillions} million characters: import it in parts`);
  };
  const csvLine = (cells: readonly string[]): string => {
    const text = `${cells.map(csvCell).join(',')}\n`;
    line += text.split('\n').length - 1;
    return text;
  };
  if (headerRow > 0) yield countedText(csvLine(columns.map(({ name }) => name)));
  for await (const { records } of batches) {
    let text = '';
    for (const record of records) {
      const blankLines = Math.max(0, record.line - line);
      line += blankLines;
      text += '\n'.repeat(blankLines) + csvLine(Array.from(record.fields, (field = '') => storableText(field)));
    }
    yield countedText(text);
  }
}

const csvCell = (value: string): string => {
  const text = neutralised(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
