/** The bytes of a staged file, in order or by range. */
import type { Pool } from '@rdm/platform';
import { readStaged, stagedRanges } from '../staged-files.ts';
import type { FileBytes } from './source.ts';

const readErrors = new WeakSet<object>();

/** Whether the error comes from reading a range, and not from the content of the file. */
export const isReadError = (error: unknown): boolean => error instanceof Error && readErrors.has(error);

export function stagedBytes(pool: Pool, { id, size }: { id: string; size: number }): FileBytes {
  const range = stagedRanges(pool, id);
  return {
    size,
    pieces: () => readStaged(pool, id, size),
    range: (from, length) =>
      range(from, length).catch((error: Error) => {
        readErrors.add(error);
        throw error;
      }),
  };
}
