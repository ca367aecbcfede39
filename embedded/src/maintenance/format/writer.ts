/** Writes the entries of a backup as a tar file, compressed by gzip and, with a passphrase, encrypted by age. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { createGzip } from 'node:zlib';
import { Encrypter } from 'age-encryption';
import { pack } from 'tar-stream';
import { isOutOfSpace, syncDirectory } from '../../event-store/storage/disk.ts';
import { type FreeSpace, outOfSpace, requireFreeSpace } from '../free-space.ts';
import type { EntrySummary } from './entries.ts';
import { recipientOf } from './passphrase.ts';

/** The extension of a file that is being written; a complete file is renamed. */
export const UNFINISHED = '.part';

/** The free space is checked each time this many bytes are written. */
export const CHECK_SPACE_EVERY = 64 * 1024 * 1024;

export interface WriterOptions {
  folder: string;
  fileName: string;
  passphrase?: string | undefined;
  freeSpace?: FreeSpace | undefined;
  signal?: AbortSignal | undefined;
}

export interface BackupWriter {
  /** The entries written so far. */
  readonly entries: readonly EntrySummary[];
  /** Rejects with DISK_SPACE, with the signal's reason, or when the file cannot be written. */
  add(name: string, content: Buffer, rows?: number): Promise<void>;
  /** Completes the file and renames it to its final name. */
  finish(): Promise<{ bytes: number; sha256: string }>;
  /** Deletes the unfinished file. */
  discard(): Promise<void>;
}

export async function openWriter(options: WriterOptions): Promise<BackupWriter> {
  const { folder, fileName, passphrase, freeSpace, signal } = options;
  await requireFreeSpace(folder, freeSpace);
  const path = join(folder, fileName);
  const file = await open(`${path}${UNFINISHED}`, 'wx', 0o600);
  const tar = pack();
  const gzip = createGzip({ level: 1 });
  const entries: EntrySummary[] = [];
  const hash = createHash('sha256');
  let bytes = 0;

  // The first failure destroys the tar stream, so that `add` does not wait. `add` and `finish` reject with the failure.
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= signal?.aborted ? signal.reason : isOutOfSpace(error) ? outOfSpace(folder, 'it is full', error) : error;
  };

  async function storeBytes(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of passphrase === undefined ? chunks : encrypt(chunks, passphrase)) {
      try {
        if (Math.floor((bytes + chunk.length) / CHECK_SPACE_EVERY) > Math.floor(bytes / CHECK_SPACE_EVERY)) {
          await requireFreeSpace(folder, freeSpace);
        }
        await file.appendFile(chunk);
      } catch (error) {
        fail(error);
        throw error;
      }
      hash.update(chunk);
      bytes += chunk.length;
    }
  }
  const written = pipeline(tar, gzip, storeBytes, { signal }).catch(fail);

  return {
    entries,
    async add(name, content, rows = 0) {
      const added = new Promise<void>((resolve, reject) => {
        const entry = tar.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve()));
        entry.on('error', reject);
      });
      await added.catch(async (error: unknown) => {
        await written;
        throw failure ?? error;
      });
      entries.push({ name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex'), rows });
    },
    async finish() {
      tar.finalize();
      await written;
      if (failure !== undefined) throw failure;
      await file.sync();
      await file.close();
      await rename(`${path}${UNFINISHED}`, path);
      syncDirectory(folder);
      return { bytes, sha256: hash.digest('hex') };
    },
    async discard() {
      tar.destroy();
      await written;
      await closeOnce(file);
      await rm(`${path}${UNFINISHED}`, { force: true });
    },
  };
}

async function* encrypt(chunks: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipientOf(passphrase));
  const plain = ReadableStream.from(chunks) as unknown as globalThis.ReadableStream<Uint8Array>;
  yield* (await encrypter.encrypt(plain)) as unknown as AsyncIterable<Uint8Array>;
}

/** Closes the file if it is still open: `finish` may have closed it and failed afterwards. */
async function closeOnce(file: FileHandle): Promise<void> {
  if (file.fd >= 0) await file.close();
}
