/** Writes the progress of a maintenance job to the table `jobs.progress`. */
import { noCounts } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';

const EVERY_MS = 500;

export interface JobProgress {
  report(progress: { done: number; total: number }): void;
  end(status: 'DONE' | 'FAILED'): Promise<void>;
}

/**
 * Returns a reporter of the progress. `report` writes at most twice per second, drops the calls in between, and ignores
 * a failed write. `end` rejects if its write fails. The phase is IMPORT, as for every job without a validation of a
 * file.
 */
export function openProgress(pool: Pool, jobId: number): JobProgress {
  let lastWriteAt = 0;
  let writing: Promise<unknown> = Promise.resolve();
  const write = (status: string, done: number, total: number) =>
    pool.query(
      `INSERT INTO jobs.progress AS p (job_id, phase, status, processed, total, counts, started_at)
         VALUES ($1, 'IMPORT', $2, $3, $4, $5, now())
       ON CONFLICT (job_id) DO UPDATE SET status = $2, processed = greatest(p.processed, $3), total = greatest(p.total, $4),
         ended_at = CASE WHEN $2 = 'IN_PROGRESS' THEN NULL ELSE now() END, updated_at = now()`,
      [jobId, status, done, total, JSON.stringify(noCounts())],
    );
  return {
    report({ done, total }) {
      const now = performance.now();
      if (now - lastWriteAt < EVERY_MS) return;
      lastWriteAt = now;
      writing = write('IN_PROGRESS', done, total).catch(() => undefined);
    },
    async end(status) {
      await writing;
      await write(status, 0, 0);
    },
  };
}
