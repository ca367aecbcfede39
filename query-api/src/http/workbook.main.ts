/** The worker thread that writes a spreadsheet: converts rows to an XLSX file, by the data types of the columns. */
import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '@rdm/platform';
import writeXlsxFile, { type Cell } from 'write-excel-file/node';
import { withoutTimestamps } from './reproducible-zip.ts';
import type { FormattedCell, WorkbookColumn, WorkbookData, WorkbookMessage } from './workbook-messages.ts';

/** Excel's format for text cells: everything that a user types into such a cell stays text, even a formula. */
const TEXT = '@';
/** Excel counts 1900 as a leap year: its day numbers before this date are off by one. */
const FIRST_TRUE_DAY = '1900-03-01';
const SHEET_NAME_MAX = 31;

const { title, columns } = workerData as WorkbookData;
/**
 * Characters that XML does not allow or changes, and texts that look like the escape of such a character (ECMA-376,
 * ST_Xstring).
 */
const TO_ESCAPE = /(?![\t\n])[\p{Cc}\ufffe\uffff]|_(?=x[\da-f]{4}_)/giu;
const codeOf = (character: string): string =>
  `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/** The XLSX writer uses texts as keys of an object, so it would treat the text "constructor" as already stored. */
const isKeyOfObjects = (text: string): boolean => text in {};
/** Escapes the characters of `TO_ESCAPE`, or the first letter of a key of objects. */
const escapeText = (text: string): string =>
  isKeyOfObjects(text) ? codeOf(text) + text.slice(1) : text.replace(TO_ESCAPE, codeOf);

const text = (value: string): Cell => ({ value: escapeText(value), type: String, format: TEXT });

const dateCell = (value: Date): Cell => ({ value, type: Date, format: 'yyyy-mm-dd' });

const isFormatted = (value: unknown): value is FormattedCell =>
  typeof value === 'object' && value !== null && 'numberFormat' in value;

function cellOf(value: unknown, dataType: WorkbookColumn['dataType'] | undefined): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Date) return dateCell(value);
  if (isFormatted(value)) {
    const { number, numberFormat: format } = value;
    return number instanceof Date ? { value: number, type: Date, format } : { value: number, type: Number, format };
  }
  const displayed = typeof value === 'string' ? value : JSON.stringify(value);
  if (dataType === 'date' && /^\d{4}-\d{2}-\d{2}$/.test(displayed) && displayed >= FIRST_TRUE_DAY) {
    return dateCell(new Date(`${displayed}T00:00:00Z`));
  }
  return text(displayed);
}

/** Sheet names exclude []:*?/\ and apostrophes at either end. */
const sheetName = (name: string): string =>
  name
    .replace(/[[\]:*?/\\\p{Cc}]/gu, ' ')
    .slice(0, SHEET_NAME_MAX)
    .replace(/^['\s]+|['\s]+$/g, '') || 'Sheet 1';

export const rows: Cell[][] = [
  columns.map(({ name }) => ({ value: escapeText(name), type: String, format: TEXT, fontWeight: 'bold' })),
];

lowerThreadPriority();

parentPort?.on('message', async (message: WorkbookMessage) => {
  if ('rows' in message) {
    for (const row of message.rows) rows.push(row.map((value, place) => cellOf(value, columns[place]?.dataType)));
    return;
  }
  const file = await writeXlsxFile(rows, { sheet: sheetName(title), stickyRowsCount: 1 }).toBuffer();
  const bytes = withoutTimestamps(new Uint8Array(file));
  parentPort?.postMessage(bytes, [bytes.buffer]);
});
