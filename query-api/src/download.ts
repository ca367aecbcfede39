/** Downloads written as they are read: backpressure kept, formulas neutralised, names made safe. */
import { once } from 'node:events';
import type { ApiRequest, Handled } from '@rdm/platform';
import type { Found } from './read-models.ts';

export interface Format<Row> {
  contentType: string;
  extension: string;
  head: string;
  row: (row: Row, first: boolean) => string;
  tail: string;
}

/** A text that a spreadsheet would take for a formula is shown as text; a plain signed number stays what it is. */
const neutralised = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+([.,]\d+)?$/.test(text) ? `'${text}` : text;

const quoted = (text: string): string => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csvCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return quoted(neutralised(value));
  return quoted(typeof value === 'object' ? neutralised(JSON.stringify(value)) : String(value));
};

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`;

export const csv = <Row>(columns: readonly string[], cells: (row: Row) => readonly unknown[]): Format<Row> => ({
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  head: csvLine(columns),
  row: (row) => csvLine(cells(row)),
  tail: '',
});

export const json = <Row>(shape: (row: Row) => unknown): Format<Row> => ({
  contentType: 'application/json; charset=utf-8',
  extension: 'json',
  head: '[',
  row: (row, first) => `${first ? '' : ','}\n${JSON.stringify(shape(row))}`,
  tail: '\n]\n',
});

/** Any name as a header can carry it. */
const disposition = (name: string): string =>
  `attachment; filename="${name.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`;

/** Writes batches to the response as they come. What fails before the first byte is answered like any failure. */
export async function download<Row>(
  { response }: Pick<ApiRequest, 'response'>,
  name: string,
  format: Format<Row>,
  batches: AsyncIterable<Pick<Found<Row>, 'rows' | 'position' | 'behind'>>,
): Promise<Handled> {
  let first = true;
  for await (const batch of batches) {
    if (!response.headersSent) {
      response.status(200).setHeader('Content-Type', format.contentType);
      response.setHeader('Content-Disposition', disposition(`${name}.${format.extension}`));
      response.setHeader('X-Position', batch.position);
      if (batch.behind) response.setHeader('X-Behind', 'true');
      response.write(format.head);
    }
    let text = '';
    for (const row of batch.rows) {
      text += format.row(row, first);
      first = false;
    }
    if (response.destroyed) return 'sent';
    if (!response.write(text)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end(format.tail);
  return 'sent';
}
