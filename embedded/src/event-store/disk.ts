/** The file operations durability hangs on, in one place, so that a test can make them fail. */
import { closeSync, fdatasync, fsyncSync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';

export interface Disk {
  /** Writes all of `bytes` at `offset`. */
  write(file: number, bytes: Uint8Array, offset: number): Promise<void>;
  /** Returns when the file's bytes are on stable storage. */
  sync(file: number): Promise<void>;
}

const writeOnce = promisify(write);
const syncData = promisify(fdatasync);

export const realDisk: Disk = {
  async write(file, bytes, offset) {
    for (let done = 0; done < bytes.length; ) {
      done += (await writeOnce(file, bytes, done, bytes.length - done, offset + done)).bytesWritten;
    }
  },
  sync: (file) => syncData(file),
};

/** Makes the creation, renaming or removal of a directory's files durable. Windows cannot and need not. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
