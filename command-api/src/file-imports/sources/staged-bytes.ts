/** The bytes of a staged file, in order or by range. */
import type { Pool } from '@rdm/platform';
import { readStaged, stagedRanges } from '../staged-files.ts';
import type { FileBytes } from './source.ts';

export const stagedBytes = (pool: Pool, { id, size }: { id: string; size: number }): FileBytes => ({
  size,
  pieces: () => readStaged(pool, id, size),
  range: stagedRanges(pool, id),
});
