/**
 * Stores the keys of the rejected rows of a file: an import that replaces a data set must not remove rows with these
 * keys from the data set.
 */
import { bucketOfKey } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { type Staged, stagedKeys } from './staged-rows.ts';

const KEYS_PER_WRITE = 10_000;

export class KeptKeys {
  readonly #pool: Pool;
  readonly #job: { jobId: number; attempt: number };
  #waiting: string[] = [];

  constructor(pool: Pool, job: { jobId: number; attempt: number }) {
    this.#pool = pool;
    this.#job = job;
  }

  async add(key: string | undefined): Promise<void> {
    if (key === undefined) return;
    this.#waiting.push(key);
    if (this.#waiting.length >= KEYS_PER_WRITE) await this.flush();
  }

  async flush(): Promise<void> {
    const byBucket = new Map<number, string[]>();
    for (const key of this.#waiting) {
      const bucket = bucketOfKey(key);
      const keys = byBucket.get(bucket);
      if (keys) keys.push(key);
      else byBucket.set(bucket, [key]);
    }
    this.#waiting = [];
    const { jobId, attempt } = this.#job;
    for (const [bucket, keys] of byBucket) {
      await this.#pool.query(
        'INSERT INTO command.import_kept_keys (job_id, attempt, bucket, keys) VALUES ($1, $2, $3, $4)',
        [jobId, attempt, bucket, JSON.stringify(keys)],
      );
    }
  }
}

/** Returns the keys of all rows of the file in a bucket, including the rejected rows. */
export async function keysOfFile(pool: Pool, staged: Staged, bucket: number): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const piece of await stagedKeys(pool, staged, bucket)) for (const key of piece.keys) keys.add(key);
  const { rows } = await pool.query<{ keys: string }>(
    'SELECT keys FROM command.import_kept_keys WHERE job_id = $1 AND attempt = $2 AND bucket = $3',
    [staged.jobId, staged.attempt, bucket],
  );
  for (const row of rows) for (const key of JSON.parse(row.keys) as string[]) keys.add(key);
  return keys;
}

export const deleteKeptKeys = (pool: Pool, jobId: number, beforeAttempt = Number.MAX_SAFE_INTEGER) =>
  pool.query('DELETE FROM command.import_kept_keys WHERE job_id = $1 AND attempt < $2::bigint', [jobId, beforeAttempt]);
