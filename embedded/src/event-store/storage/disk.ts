/** The file operations that durability depends on, as an interface, so that tests can simulate failures. */
import { closeSync, fdatasync, fsyncSync, openSync, write } from 'node:fs';
import { rename, rm, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface Disk {
  /** Writes all of `bytes` at `offset`. */
  write(file: number, bytes: Uint8Array, offset: number): Promise<void>;
  /** Resolves when the bytes of the file are on stable storage. */
  sync(file: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes the creation, renaming or removal of a directory's files durable. */
  syncDirectory(path: string): Promise<void>;
  /** Returns the free bytes of the file system of a directory. */
  free(directory: string): Promise<number>;
}

/** The extension of files that are being written; the next start removes such files. */
export const TEMPORARY_EXTENSION = '.new';

/** The disk has no space for a write. An existing file has its former content; a new file is removed. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

export const isOutOfSpace = (error: unknown): error is Error => (error as NodeJS.ErrnoException).code === 'ENOSPC';

const writeOnce = promisify(write);
const syncData = promisify(fdatasync);

export const realDisk: Disk = {
  async write(file, bytes, offset) {
    for (let done = 0; done < bytes.length; ) {
      done += (await writeOnce(file, bytes, done, bytes.length - done, offset + done)).bytesWritten;
    }
  },
  sync: (file) => syncData(file),
  rename,
  remove: rm,
  syncDirectory: async (path) => syncDirectory(path),
  async free(directory) {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  },
};

/** Makes the creation, renaming or removal of a directory's files durable. Windows needs no such call. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
