/** Receives uploads. The file of a form is stored in pieces while it arrives, because a file can exceed the memory. */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Refusal } from '@rdm/contracts';
import type { Encoding, Pool } from '@rdm/platform';
import busboy from 'busboy';
import { beginStaging, discardStaged, stagePiece } from '../../file-imports/staged-files.ts';
import { byteOrderMark, LineCounter } from '../../file-imports/text-encoding.ts';

export const FILE_BYTES_MAX = 512 * 1024 * 1024;
/** A form field is held in memory, unlike a file. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024;
const SETTINGS_BYTES_MAX = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** The delimiter, the header and the columns are detected in this many bytes at the beginning of a file. */
export const HEAD_BYTES = 1024 * 1024;

export interface Upload {
  fileId: string;
  fileName: string;
  size: number;
  /** SHA-256, hexadecimal. */
  hash: string;
  head: Buffer;
  encoding: Encoding;
  /** The form fields except `text`, by name. */
  fields: Record<string, string>;
}

const tooLargeRefusal = () =>
  new Refusal('TOO_LARGE', `The file is too large: at most ${FILE_BYTES_MAX / 1024 / 1024} MiB can be imported`);

const FIELDS_BEFORE_FILE = ['dataSetId', 'crosswalkId', 'relationshipId', 'replaces', 'start', 'settings'];
const fieldAfterFileRefusal = (name: string) =>
  new Refusal(
    'INVALID',
    `Send the field "${name}" before the file: the target and the settings of an import come first in the form`,
  );
const severalFilesRefusal = () => new Refusal('INVALID', 'Send one file: either "file" or "text"');
/** The limits of the fields whose values may be longer than `OTHER_FIELD_BYTES_MAX`. */
const FIELD_BYTES_MAX: Readonly<Record<string, number>> = { text: TEXT_BYTES_MAX, settings: SETTINGS_BYTES_MAX };
const OTHER_FIELD_BYTES_MAX = 1_000;

/** The file name of a pasted text. */
const TEXT_NAME = 'Pasted text.txt';

const fieldTooLargeRefusal = (name: string, bytesMax: number) =>
  name === 'text'
    ? new Refusal('TOO_LARGE', `A pasted text has at most ${bytesMax / 1024 / 1024} MiB: send it as the part "file"`)
    : new Refusal('TOO_LARGE', `The field "${name}" is too long: at most ${bytesMax.toLocaleString('en')} bytes`);

/** Checks whether the caller may upload, and limits the rate. */
interface UploadGuard {
  /** Throws if the caller may not upload a file with these form fields. */
  requireTarget: (fields: Readonly<Record<string, string>>) => Promise<void>;
  /** Throws once the session or API key is invalid. Called repeatedly while the file arrives. */
  requireStillAllowed: () => Promise<void>;
  /** Waits until the next piece may be stored. */
  waitForTurn: () => Promise<void>;
}

/** The interval between calls of `requireStillAllowed`. */
const CHECKED_EVERY_MS = 1_000;

/** The size of the request in bytes; 0 without `Content-Length`. */
export const declaredBytes = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** Reads a body into memory. Refuses a body of more than `bytesMax` bytes, but reads it to its end. */
export function receiveBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) chunks.push(chunk);
      else
        reject(
          new Refusal('TOO_LARGE', `The file is too large: at most ${bytesMax / 1024 / 1024} MiB can be validated`),
        );
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => {
      if (!request.complete) reject(new Refusal('INVALID', 'The upload ended early'));
    });
  });
}

/** Receives an upload. Throws if the upload fails; the staged file is then discarded. */
export async function receiveUpload(
  pool: Pool,
  request: IncomingMessage,
  ownerId: number,
  guard: UploadGuard,
): Promise<Upload> {
  if (declaredBytes(request) > FILE_BYTES_MAX + PIECE_BYTES) throw tooLargeRefusal();
  const fields: Record<string, string> = {};
  const fileId = randomUUID();
  const parts = multipart(request);
  let staging: Promise<Omit<Upload, 'fields'>> | undefined;
  let checking: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      checking = setInterval(() => guard.requireStillAllowed().catch(reject), CHECKED_EVERY_MS);
      const begin = (fileName: string, content: Readable) => {
        if (staging) return reject(severalFilesRefusal());
        staging = guard
          .requireTarget(fields)
          .then(() => stage(pool, fileId, ownerId, fileName, content, guard.waitForTurn));
        staging.catch(reject);
      };
      parts.on('field', (name, value) => {
        const bytesMax = FIELD_BYTES_MAX[name] ?? OTHER_FIELD_BYTES_MAX;
        if (Buffer.byteLength(value) > bytesMax) reject(fieldTooLargeRefusal(name, bytesMax));
        else if (name === 'text') begin(TEXT_NAME, Readable.from([Buffer.from(value)], { objectMode: false }));
        else if (staging && FIELDS_BEFORE_FILE.includes(name)) reject(fieldAfterFileRefusal(name));
        else fields[name] = value;
      });
      parts.on('file', (name, content, info) => {
        // A part that ends early emits an error even if it is not read. The error of the request is reported instead.
        content.on('error', () => undefined);
        if (name !== 'file') {
          content.resume();
          return;
        }
        begin(info.filename ?? 'upload.csv', content);
      });
      parts.once('filesLimit', () => reject(severalFilesRefusal()));
      parts.once('error', () => reject(new Refusal('INVALID', 'The upload is not a valid multipart form')));
      parts.once('close', resolve);
      request.once('close', () => {
        if (!request.complete) reject(new Refusal('INVALID', 'The upload ended early'));
      });
      request.pipe(parts);
    });
    if (!staging) throw new Refusal('INVALID', 'Send the file as the part "file", or its contents as the part "text"');
    return { ...(await staging), fields };
  } catch (error) {
    request.unpipe(parts);
    request.resume();
    parts.destroy();
    await staging?.catch(() => undefined); // if staging failed too, `error` is the cause
    await discardStaged(pool, fileId);
    throw error;
  } finally {
    clearInterval(checking);
  }
}

function multipart(request: IncomingMessage): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 20, fieldSize: TEXT_BYTES_MAX + 1, fileSize: FILE_BYTES_MAX + 1 },
    });
  } catch {
    throw new Refusal('UNSUPPORTED_MEDIA', 'Send the file as multipart/form-data');
  }
}

async function stage(
  pool: Pool,
  fileId: string,
  ownerId: number,
  fileName: string,
  content: Readable,
  waitForTurn: () => Promise<void>,
): Promise<Omit<Upload, 'fields'>> {
  await beginStaging(pool, fileId, ownerId, fileName.slice(0, 500));
  const hash = createHash('sha256');
  const lineCounter = new LineCounter();
  const head: Buffer[] = [];
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let size = 0;
  let number = 0;
  // Write one piece while the next one arrives.
  let lastWrite: Promise<void> = Promise.resolve();
  const flush = async () => {
    const piece = Buffer.concat(waiting);
    [waiting, waitingBytes] = [[], 0];
    await lastWrite;
    await waitForTurn();
    lastWrite = stagePiece(pool, fileId, number++, piece);
    lastWrite.catch(() => undefined); // the error is thrown where the promise is awaited
  };
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - size));
    size += chunk.length;
    if (size > FILE_BYTES_MAX) throw tooLargeRefusal();
    hash.update(chunk);
    lineCounter.push(chunk);
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= PIECE_BYTES) await flush();
  }
  if (waitingBytes > 0) await flush();
  await lastWrite;
  lineCounter.end();
  const beginning = Buffer.concat(head);
  return {
    fileId,
    fileName,
    size,
    hash: hash.digest('hex'),
    head: beginning,
    encoding: byteOrderMark(beginning)?.encoding ?? lineCounter.encoding(),
  };
}
