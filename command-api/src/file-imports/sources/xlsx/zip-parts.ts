/** Reads the parts of a ZIP file by range, so that only a piece of the file is in memory. */
import { Readable } from 'node:stream';
import { Refusal } from '@rdm/contracts';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { blockReader } from '../block-reader.ts';
import type { FileBytes } from '../source.ts';
import { isReadError } from '../staged-bytes.ts';

const BLOCK_BYTES = 256 * 1024;
const ENTRIES_MAX = 10_000;

export interface ZipParts {
  /** Returns the part with this path, compared by `comparablePath`; undefined if there is none. */
  find(path: string): Entry | undefined;
  /** Whether the path of any part, in lower case, has this ending. */
  hasEnding(ending: string): boolean;
  /** Returns the content of a part in pieces. Throws if the part is encrypted or longer than the directory declares. */
  read(entry: Entry): Promise<AsyncIterable<Buffer>>;
}

/** Gives the ZIP library the parts and the directory of a file. */
class RangeReader extends RandomAccessReader {
  readonly #file: FileBytes;
  readonly #read;

  constructor(file: FileBytes) {
    super();
    this.#file = file;
    // The ZIP library reads the directory in small ranges, and each read of the file is a query: read larger blocks.
    this.#read = blockReader(file, BLOCK_BYTES);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const file = this.#file;
    async function* blocks() {
      for (let at = start; at < end; at += BLOCK_BYTES) yield await file.range(at, Math.min(BLOCK_BYTES, end - at));
    }
    return Readable.from(blocks(), { objectMode: false, highWaterMark: 1 });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#read(position, length).then((bytes) => {
      bytes.copy(buffer, offset);
      callback(bytes.length < length ? new Error('The file ends early') : null);
    }, callback);
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }
}

/** Some programs write paths in another case, with backslashes or with a slash at the beginning. */
const comparablePath = (path: string): string => path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

const incompleteFileRefusal = () => new Refusal('INVALID', 'The file is incomplete: upload it again.');

export async function openParts(file: FileBytes): Promise<ZipParts> {
  let zip: ZipFile;
  const entries = new Map<string, Entry>();
  try {
    zip = await fromRandomAccessReaderPromise(new RangeReader(file), file.size, {
      autoClose: false,
      lazyEntries: true,
    });
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= ENTRIES_MAX) throw new Refusal('INVALID', 'The workbook has more than 10,000 parts.');
      entries.set(comparablePath(entry.fileName), entry);
    }
  } catch (error) {
    if (error instanceof Refusal || isReadError(error)) throw error;
    throw incompleteFileRefusal();
  }
  return {
    find: (path) => entries.get(comparablePath(path)),
    hasEnding: (ending) => [...entries.keys()].some((path) => path.endsWith(ending)),
    async read(entry) {
      if (entry.isEncrypted()) throw encryptedWorkbookRefusal();
      return zip.openReadStreamPromise(entry);
    },
  };
}

export const encryptedWorkbookRefusal = () =>
  new Refusal('UNSUPPORTED_MEDIA', 'The workbook is encrypted: remove its password.');
