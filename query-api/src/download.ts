/** Downloads written as they are read: backpressure kept, formulas neutralised, names made safe. */
import type { Writable } from 'node:stream';
import { Refusal } from '@rdm/contracts';
import { type ApiRequest, actorOf, type Handled, requireRole } from '@rdm/platform';
import { whoAsks } from './asking.ts';
import type { Floor } from './floor.ts';
import type { Found } from './read-models.ts';
import { type Viewer, viewerOf } from './viewer.ts';

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

/** A reader that takes nothing for so long is cut: each download holds a connection of the database. */
const STALLED_AFTER_MS = 30_000;
/** Whoever downloads is asked about so often while it lasts. */
const CHECKED_EVERY_MS = 1_000;

/** Resolves once a stream takes more, or nothing ever again. */
export const drained = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });

interface Download<Row> {
  /** Of the file, without its extension. */
  name: string;
  format: Format<Row>;
  /** Asks again for what is downloaded, as whoever may read it: throws once that is refused. */
  askAgain: (viewer: Viewer) => Promise<unknown>;
}

type Downloading = Pick<ApiRequest, 'response' | 'raw' | 'needs'>;

/**
 * Writes batches to the response as they come. What fails before the first byte is answered like any failure. Whoever
 * loses the session, the key or what the download needs while it lasts is cut: the connection breaks off, so that nobody
 * takes a part for the whole.
 */
export async function download<Row>(
  floor: Pick<Floor, 'pool' | 'access' | 'settings' | 'log'>,
  request: Downloading,
  { name, format, askAgain }: Download<Row>,
  batches: AsyncIterable<Pick<Found<Row>, 'rows' | 'position' | 'behind'>>,
): Promise<Handled> {
  const { response } = request;
  const checking = setInterval(() => {
    requireStill(floor, request, askAgain).catch((error: unknown) => {
      // One that cannot be asked about is not answered either.
      if (!(error instanceof Refusal)) floor.log.warn({ err: error }, 'A download could not be checked and was cut');
      response.destroy();
    });
  }, CHECKED_EVERY_MS);
  try {
    let first = true;
    for await (const batch of batches) {
      if (response.destroyed) return 'sent';
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
      if (!response.write(text)) {
        const stalled = setTimeout(() => response.destroy(), STALLED_AFTER_MS);
        await drained(response).finally(() => clearTimeout(stalled));
      }
      if (response.destroyed) return 'sent';
    }
    response.end(format.tail);
    return 'sent';
  } finally {
    clearInterval(checking);
  }
}

async function requireStill(
  floor: Pick<Floor, 'pool' | 'access' | 'settings'>,
  { raw, needs }: Downloading,
  askAgain: (viewer: Viewer) => Promise<unknown>,
): Promise<void> {
  const principal = await whoAsks(raw.headers, floor);
  if (!principal) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
  const access = floor.access.snapshot();
  requireRole(needs, access, actorOf(principal));
  await askAgain(viewerOf({ principal, access, needs }));
}
