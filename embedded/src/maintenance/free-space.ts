/** Ends a backup, an upload or a restore if the disk has too little free space for the running product. */
import { statfs } from 'node:fs/promises';
import { MaintenanceError } from './errors.ts';

export interface Space {
  free: number;
  size: number;
}
/** Returns the free bytes and the size of the file system of a folder. */
export type FreeSpace = (folder: string) => Promise<Space>;

const MIN_FREE = 1024 ** 3;
const MIN_FREE_SHARE = 0.05;
const GIB = 1024 ** 3;

export const freeSpaceOf: FreeSpace = async (folder) => {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
};

/** Throws a `MaintenanceError` with the code DISK_SPACE if the disk has too little free space. */
export async function requireFreeSpace(folder: string, freeSpace: FreeSpace = freeSpaceOf): Promise<void> {
  const { free, size } = await freeSpace(folder);
  const needed = Math.max(MIN_FREE, size * MIN_FREE_SHARE);
  if (free < needed) throw outOfSpace(folder, `${inGib(free)} are free and ${inGib(needed)} must stay free`);
}

const POLL_MS = 1_000;

/**
 * Runs `work` and aborts its signal when the disk has too little free space. Throws DISK_SPACE if this aborts the work,
 * or if the disk has too little free space before the work.
 */
export async function withFreeSpace<Result>(
  folder: string,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
  freeSpace: FreeSpace = freeSpaceOf,
): Promise<Result> {
  await requireFreeSpace(folder, freeSpace);
  const shortage = new AbortController();
  const timer = setInterval(() => {
    requireFreeSpace(folder, freeSpace).catch((error: unknown) => shortage.abort(error));
  }, POLL_MS);
  try {
    return await work(signal === undefined ? shortage.signal : AbortSignal.any([signal, shortage.signal]));
  } catch (error) {
    shortage.signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

export function outOfSpace(folder: string, problem: string, cause?: unknown): MaintenanceError {
  const message = `The disk of ${folder} has too little space: ${problem}. Free space on it, or choose a folder on another disk.`;
  return new MaintenanceError('DISK_SPACE', message, { cause });
}

const inGib = (bytes: number) => `${(bytes / GIB).toFixed(1)} GiB`;
