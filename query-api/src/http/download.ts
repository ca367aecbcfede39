/** Streams downloads with backpressure and safe file names, and neutralises formulas. */
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { DOWNLOAD_CHECK, neutralised, Refusal } from '@rdm/contracts';
import type { Format } from '@rdm/contracts/crosswalks/mapping-formats/index';
import { type ApiRequest, actorOf, authenticate, type HandlerResult, requireRole } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import type { QueryContext } from '../query-context.ts';
import type { ReadResult } from '../read-models/read-models.ts';
import { runInTurn, Workbook } from './workbook.ts';
import type { WorkbookColumn } from './workbook-messages.ts';

export type { Format };

const quote = (text: string): string => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csvCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return quote(neutralised(value));
  return quote(typeof value === 'object' ? neutralised(JSON.stringify(value)) : String(value));
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
  row: (row, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(shape(row))}`,
  tail: '\n]\n',
});

/** The format of a spreadsheet, which is sent when it is complete. */
export interface WorkbookFormat<Row> {
  columns: readonly WorkbookColumn[];
  cells: (row: Row) => readonly unknown[];
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * The declared answers of a route that downloads a file. 204 is the answer to a request that only checks whether a
 * download can start.
 */
export const filesOf = (...mediaTypes: string[]) => ({ 200: mediaTypes, 204: null }) as const;

/** Returns the Content-Disposition header for any file name. */
const disposition = (name: string): string =>
  `attachment; filename="${name.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`;

/**
 * A client that has not read the written data after this time is disconnected, because a streamed download holds a
 * database connection.
 */
const STALLED_AFTER_MS = 30_000;
/** Interval at which the session or API key and the grants are checked during a download. */
const CHECKED_EVERY_MS = 1_000;

/** Resolves when the stream accepts more data, or when it is closed. */
export const waitForDrain = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });

/** The query parameter for a byte order mark at the start of CSV files: spreadsheet programs recognise UTF-8 by it. */
export const BomQuery = {
  bom: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional()
    .describe('Whether a CSV file begins with a byte order mark, for spreadsheet programs.'),
};

const BYTE_ORDER_MARK = '\ufeff';

interface Download<Row> {
  /** File name without the extension. */
  name: string;
  format: Format<Row> | WorkbookFormat<Row>;
  /** Whether a CSV file begins with a byte order mark. */
  bom?: boolean | undefined;
  /** Whether the file is compressed; ignored for workbooks. */
  gzip?: boolean;
  /** Checks again whether the viewer may read the data; throws otherwise. */
  recheck: (viewer: Viewer) => Promise<unknown>;
}

type Response = ApiRequest['response'];
type DownloadRequest = Pick<ApiRequest, 'response' | 'raw' | 'needs' | 'principal'>;

/**
 * Sends the rows of the batches as a file. Errors before the first byte become an error response. If the user loses the
 * session, the API key or the grants meanwhile, the connection is aborted: the client must not take an incomplete file
 * for a complete one.
 */
export async function download<Row>(
  context: Pick<QueryContext, 'pool' | 'access' | 'settings' | 'log' | 'downloadSlots'>,
  request: DownloadRequest,
  { name, format, bom, gzip = false, recheck }: Download<Row>,
  batches: AsyncIterable<Batch<Row>>,
): Promise<HandlerResult> {
  const { response } = request;
  const releaseSlot = await context.downloadSlots.take(request.principal.userId);
  if (request.raw.get(DOWNLOAD_CHECK) !== undefined) {
    releaseSlot();
    return { status: 204 };
  }
  const checking = setInterval(() => {
    requireStillAllowed(context, request, recheck).catch((error: unknown) => {
      // The download is aborted even if the check itself fails.
      if (!(error instanceof Refusal))
        context.log.warn({ err: error }, 'A download could not be checked and was aborted');
      response.destroy();
    });
  }, CHECKED_EVERY_MS);
  try {
    if ('cells' in format) await sendWorkbook(response, name, format, batches);
    else await sendPieces(response, name, bom ? withByteOrderMark(format) : format, batches, gzip);
    return 'sent';
  } finally {
    clearInterval(checking);
    releaseSlot();
  }
}

type Batch<Row> = Pick<ReadResult<Row>, 'rows' | 'position' | 'isBehind'>;

function sendHead(response: Response, file: string, contentType: string, { position, isBehind }: Batch<unknown>): void {
  response.status(200).setHeader('Content-Type', contentType);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Disposition', disposition(file));
  response.setHeader('X-Position', position);
  if (isBehind) response.setHeader('X-Behind', 'true');
}

/** Adds a byte order mark to a CSV format; other formats are unchanged. */
const withByteOrderMark = <Row>(format: Format<Row>): Format<Row> =>
  format.extension === 'csv' && format.encoding === undefined
    ? { ...format, head: `${BYTE_ORDER_MARK}${format.head}` }
    : format;

async function sendPieces<Row>(
  response: Response,
  name: string,
  format: Format<Row>,
  batches: AsyncIterable<Batch<Row>>,
  gzip: boolean,
): Promise<void> {
  const { encoding = 'utf8' } = format;
  const file: Writable = gzip ? compressedInto(response) : response;
  let isFirst = true;
  let isBegun = false;
  for await (const batch of batches) {
    if (response.destroyed) return;
    if (!isBegun) {
      isBegun = true;
      sendHead(response, `${name}.${format.extension}`, format.contentType, batch);
      file.write(format.head, encoding);
    }
    let text = '';
    for (const row of batch.rows) {
      text += format.row(row, isFirst);
      isFirst = false;
    }
    if (!file.write(text, encoding)) await waitUntilRead(response, file);
    if (response.destroyed) return;
  }
  file.end(typeof format.tail === 'string' ? format.tail : format.tail(isFirst));
}

function compressedInto(response: Response): Writable {
  const gzip = createGzip();
  gzip.pipe(response);
  // Nothing reads the compressed data any more.
  response.once('close', () => gzip.destroy());
  return gzip;
}

/**
 * Writes a spreadsheet completely before the first byte is sent, so that a spreadsheet that is too large still gets an
 * error response. Spreadsheets are written one at a time and sent in parallel, so that a slow client does not delay the
 * others.
 */
async function sendWorkbook<Row>(
  response: Response,
  name: string,
  format: WorkbookFormat<Row>,
  batches: AsyncIterable<Batch<Row>>,
): Promise<void> {
  const workbook = await runInTurn(() => writeWorkbook(response, name, format, batches));
  if (response.destroyed || workbook === undefined) return;
  sendHead(response, `${name}.xlsx`, XLSX, workbook.last);
  response.setHeader('Content-Length', workbook.file.byteLength);
  if (!response.write(workbook.file)) await waitUntilRead(response);
  response.end();
}

/** Writes a spreadsheet; returns undefined if the client has disconnected or there was no batch. */
async function writeWorkbook<Row>(
  response: Response,
  name: string,
  { columns, cells }: WorkbookFormat<Row>,
  batches: AsyncIterable<Batch<Row>>,
): Promise<{ file: Uint8Array; last: Batch<Row> } | undefined> {
  const workbook = new Workbook(name, columns);
  try {
    let last: Batch<Row> | undefined;
    for await (const batch of batches) {
      if (response.destroyed) return undefined;
      workbook.add(batch.rows.map(cells));
      last = batch;
    }
    const file = await workbook.end();
    return last && { file, last };
  } finally {
    await workbook.close();
  }
}

/** Waits until the client has read the written data. Disconnects a client that needs longer than `STALLED_AFTER_MS`. */
async function waitUntilRead(response: Response, written: Writable = response): Promise<void> {
  const stalled = setTimeout(() => response.destroy(), STALLED_AFTER_MS);
  await waitForDrain(written).finally(() => clearTimeout(stalled));
}

/**
 * Authenticates a request again, checks the role of its caller, and calls `read` as its viewer. Throws if the caller
 * may no longer send the request.
 */
export async function requireStillAllowed<Read>(
  context: Pick<QueryContext, 'pool' | 'access' | 'settings'>,
  { raw, needs }: Pick<DownloadRequest, 'raw' | 'needs'>,
  read: (viewer: Viewer) => Promise<Read>,
): Promise<Read> {
  const principal = await authenticate(raw.headers, context);
  if (!principal) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
  const access = context.access.snapshot();
  requireRole(needs, access, actorOf(principal));
  return read(viewerOf({ principal, access, needs }));
}
