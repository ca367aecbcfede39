/** Downloads: CSV that no spreadsheet mistakes for formulas, JSON and NDJSON, streamed as the rows are read. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Handled } from '@rdm/platform';
import type { Response } from 'express';
import type { Found } from './read-models.ts';

const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** A cell of CSV. A text that a spreadsheet would run is kept from it by an apostrophe; numbers are left alone. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const harmless = typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`;

export type DownloadFormat = 'csv' | 'json' | 'ndjson';

const TYPES: Record<DownloadFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** How batches of rows read in a format: its beginning, rows and end. */
async function* written<Row extends object>(
  batches: AsyncIterable<Found<Row>>,
  format: DownloadFormat,
  columns: readonly (keyof Row & string)[],
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns);
  if (format === 'json') yield '[';
  let first = true;
  for await (const { rows } of batches) {
    let chunk = '';
    for (const row of rows as Record<string, unknown>[]) {
      if (format === 'csv') chunk += csvLine(columns.map((column) => row[column]));
      else if (format === 'ndjson') chunk += `${JSON.stringify(row)}\n`;
      else chunk += `${first ? '\n' : ',\n'}${JSON.stringify(row)}`;
      first = false;
    }
    yield chunk;
  }
  if (format === 'json') yield '\n]\n';
}

/** Sends rows as a file. What is refused before the first row is answered like any other request. */
export async function download<Row extends object>(
  response: Response,
  batches: AsyncIterable<Found<Row>>,
  file: { name: string; format: DownloadFormat; columns: readonly (keyof Row & string)[] },
): Promise<Handled> {
  const rows = batches[Symbol.asyncIterator]();
  const first = await rows.next();
  async function* all() {
    if (!first.done) yield first.value;
    for (let next = await rows.next(); !next.done; next = await rows.next()) yield next.value;
  }
  response.setHeader('Content-Type', TYPES[file.format]);
  response.setHeader('Content-Disposition', `attachment; filename="${fileName(file.name)}.${file.format}"`);
  if (!first.done) response.setHeader('X-Position', first.value.position);
  await pipeline(Readable.from(written(all(), file.format, file.columns)), response);
  return 'sent';
}

/** Letters, digits and dashes: a name that every file system and header takes. */
const fileName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase() || 'export';
