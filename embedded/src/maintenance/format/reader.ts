/** Reads a backup entry by entry and checks each entry. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { constants, crc32, createGunzip } from 'node:zlib';
import { Decrypter } from 'age-encryption';
import { extract } from 'tar-stream';
import { z } from 'zod';
import { damaged, MaintenanceError } from '../errors.ts';
import {
  BackupHeader,
  type BackupPart,
  BackupTrailer,
  type EntrySummary,
  FORMAT_WITH_PURGES,
  HEADER,
  logEntry,
  SEQUENCES,
  Sequences,
  SIGNING_KEY,
  TRAILER,
  tableEntry,
} from './entries.ts';
import { identityOf } from './passphrase.ts';
import { decodeRecords } from './records.ts';
import { countRows } from './row-entries.ts';

export interface ReadOptions {
  passphrase?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Receives the bytes of the file when they are read. */
  onBytes?: (bytes: Buffer) => void;
}

const AGE = Buffer.from('age-encryption.org/v1');
/**
 * The maximum size of an entry in bytes, so that no file fills the memory. An entry exceeds `ENTRY_SIZE` (entries.ts)
 * only if a single row or record does.
 */
const MAX_ENTRY = 256 * 1024 * 1024;

export async function isEncrypted(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(AGE.length), 0, AGE.length, 0);
    return bytesRead === AGE.length && buffer.equals(AGE);
  } finally {
    await handle.close();
  }
}

/**
 * Yields the parts of a backup. Checks the order, the format and the checksums of records, and compares all entries
 * with the trailer. Rejects an invalid file or passphrase with BACKUP_DAMAGED, WRONG_PASSPHRASE or NEWER_FORMAT.
 * `verifyFile` checks the signature and the chain.
 */
export async function* readBackup(file: string, options: ReadOptions = {}): AsyncGenerator<BackupPart> {
  const found: EntrySummary[] = [];
  const order = new EntryOrder();
  let isComplete = false;
  for await (const { name, content } of readEntries(file, options)) {
    if (isComplete) throw damaged(name, `it follows ${TRAILER}, which is the last entry`);
    const part = order.next(name, content);
    if (part.kind === 'trailer') {
      requireSameEntries(part.trailer.entries, found);
      isComplete = true;
    } else {
      found.push({ name, bytes: content.length, sha256: sha256(content), rows: rowsOf(part) });
    }
    yield part;
  }
  if (!isComplete) throw damaged(TRAILER, 'it is missing, so the file is incomplete');
}

/** Checks that each entry has the name that its place requires, and parses it. */
class EntryOrder {
  #header: BackupHeader | undefined;
  #table = -1;
  #number = 0;
  #stage: 'tables' | 'log' | 'end' = 'tables';

  next(name: string, content: Buffer): BackupPart {
    if (this.#header === undefined) {
      if (name !== HEADER) throw damaged(HEADER, `the file begins with ${name}, so it is no backup of this product`);
      this.#header = parseHeader(content);
      return { kind: 'header', header: this.#header };
    }
    if (name === TRAILER) {
      if (this.#stage === 'tables') throw damaged(SEQUENCES, 'it is missing');
      return { kind: 'trailer', trailer: parseEntry(name, content, BackupTrailer) };
    }
    if (this.#stage === 'log') {
      this.#number += 1;
      if (name !== logEntry(this.#number)) throw damaged(logEntry(this.#number), `${name} is in its place`);
      return { kind: 'records', entry: name, records: decode(name, content) };
    }
    if (name === SIGNING_KEY && this.#table === -1) return { kind: 'signingKey', pem: content.toString() };
    if (name === SEQUENCES) {
      this.#stage = 'log';
      this.#number = 0;
      return { kind: 'sequences', sequences: parseEntry(name, content, Sequences) };
    }
    return this.#rows(name, content);
  }

  #rows(name: string, content: Buffer): BackupPart {
    const tables = this.#header?.tables ?? [];
    const current = tables[this.#table];
    if (current === undefined || name !== tableEntry(current.name, this.#number + 1)) {
      this.#table = tables.findIndex((table, at) => at > this.#table && name === tableEntry(table.name, 1));
      this.#number = 0;
    }
    const table = tables[this.#table];
    if (table === undefined) throw damaged(name, 'this entry is unexpected at this place');
    this.#number += 1;
    if (content.at(-1) !== 0x0a) throw damaged(name, 'its last row is cut off');
    return { kind: 'rows', entry: name, table, rows: countRows(content), content };
  }
}

function rowsOf(part: BackupPart): number {
  if (part.kind === 'rows') return part.rows;
  return part.kind === 'records' ? part.records.length : 0;
}

function parseHeader(content: Buffer): BackupHeader {
  const { format } = parseEntry(HEADER, content, z.object({ format: z.number().int().positive() }));
  if (format > FORMAT_WITH_PURGES) {
    const message = `The backup has format ${format}, and this version of the product reads formats up to ${FORMAT_WITH_PURGES}. Install the version that wrote it, or a later one.`;
    throw new MaintenanceError('NEWER_FORMAT', message, { entry: HEADER });
  }
  return parseEntry(HEADER, content, BackupHeader);
}

function parseEntry<T>(name: string, content: Buffer, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(content.toString()));
  } catch (error) {
    throw damaged(name, 'its JSON is not that of a backup', error);
  }
}

function decode(name: string, content: Buffer) {
  try {
    return decodeRecords(content);
  } catch (error) {
    throw damaged(name, error instanceof Error ? error.message : String(error), error);
  }
}

function requireSameEntries(expected: readonly EntrySummary[], found: readonly EntrySummary[]): void {
  for (const [at, entry] of expected.entries()) {
    const other = found[at];
    if (other?.name !== entry.name) throw damaged(entry.name, 'it is missing');
    if (other.bytes !== entry.bytes) throw damaged(entry.name, `it has ${other.bytes} bytes, not ${entry.bytes}`);
    if (other.sha256 !== entry.sha256) throw damaged(entry.name, 'it has another SHA-256 than the trailer names');
    if (other.rows !== entry.rows) throw damaged(entry.name, `it has ${other.rows} rows, not ${entry.rows}`);
  }
  const added = found[expected.length];
  if (added) throw damaged(added.name, 'the trailer does not name it');
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** Yields the files of the archive. An error of decompression names the entry in which it occurs. */
async function* readEntries(file: string, options: ReadOptions): AsyncGenerator<{ name: string; content: Buffer }> {
  const { passphrase, signal, onBytes } = options;
  const bytes = bytesOf(file, onBytes);
  const plain = (await isEncrypted(file)) ? decrypt(bytes, passphrase) : bytes;
  const tar = extract();
  const end = new GzipEnd();
  let failure: unknown;
  // With this option, a file that ends early is decompressed to its end, so that the error names the incomplete entry.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const read = pipeline(end.compressed(plain), gunzip, end.decompressed, tar, { signal }).catch((error: unknown) => {
    failure = error;
  });
  let place = HEADER;
  try {
    for await (const entry of tar) {
      const { name, size, type } = entry.header;
      place = name;
      if (type !== 'file' || size > MAX_ENTRY) throw damaged(name, 'it is no entry of a backup');
      const pieces: Buffer[] = [];
      for await (const piece of entry) pieces.push(piece as Buffer);
      yield { name, content: Buffer.concat(pieces) };
      place = `the entry after ${name}`;
    }
    await read;
    if (failure !== undefined) throw failure;
    if (!end.isReached) throw damaged(place, 'the file ends early');
  } catch (error) {
    if (error instanceof MaintenanceError) throw error;
    await read;
    signal?.throwIfAborted();
    const cause = failure ?? error;
    if (cause instanceof MaintenanceError) throw cause;
    throw damaged(place, cause instanceof Error ? cause.message : String(cause), cause);
  } finally {
    tar.destroy();
    await read;
  }
}

/** Checks that the compressed bytes end with the checksum and the length of the decompressed bytes. */
class GzipEnd {
  #last: Uint8Array = Buffer.alloc(0);
  #crc = 0;
  #length = 0;

  async *compressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#last = Buffer.concat([this.#last, chunk.subarray(-8)]).subarray(-8);
      yield chunk;
    }
  }

  readonly decompressed = async function* (this: GzipEnd, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#crc = crc32(chunk, this.#crc);
      this.#length += chunk.length;
      yield chunk;
    }
  }.bind(this);

  get isReached(): boolean {
    const expected = Buffer.alloc(8);
    expected.writeUInt32LE(this.#crc, 0);
    expected.writeUInt32LE(this.#length % 2 ** 32, 4);
    return expected.equals(this.#last);
  }
}

async function* bytesOf(file: string, onBytes: ReadOptions['onBytes']): AsyncGenerator<Buffer> {
  for await (const bytes of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    onBytes?.(bytes);
    yield bytes;
  }
}

/** Decrypts a file; rejects with WRONG_PASSPHRASE if the passphrase is wrong or missing. */
async function* decrypt(bytes: AsyncIterable<Buffer>, passphrase: string | undefined): AsyncGenerator<Uint8Array> {
  if (passphrase === undefined) {
    throw new MaintenanceError(
      'WRONG_PASSPHRASE',
      'The backup is encrypted: give the passphrase that it was made with.',
    );
  }
  const decrypter = new Decrypter();
  decrypter.addIdentity(identityOf(passphrase));
  const encrypted = ReadableStream.from(bytes) as unknown as globalThis.ReadableStream<Uint8Array>;
  const plain = await decrypter.decrypt(encrypted).catch((error: Error) => {
    if (!error.message.includes('no identity matched'))
      throw damaged('the header of the encryption', error.message, error);
    const message = 'The passphrase is not the one that the backup was made with: check its spelling.';
    throw new MaintenanceError('WRONG_PASSPHRASE', message, { cause: error });
  });
  yield* plain as unknown as AsyncIterable<Uint8Array>;
}
