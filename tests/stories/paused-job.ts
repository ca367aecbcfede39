/** Pauses a job between two of its pieces, so that a test can act during the job. */
import type pg from 'pg';

/** Runs `meanwhile` while it holds the lock on the command of the job. No piece of the job begins without this lock. */
export async function whilePaused<T>(database: pg.Pool, commandId: string, meanwhile: () => Promise<T>): Promise<T> {
  const lock = await database.connect();
  try {
    await lock.query('BEGIN');
    await lock.query('SELECT FROM command.commands WHERE command_id = $1 FOR UPDATE', [commandId]);
    return await meanwhile();
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
}

/** Waits until the worker reports progress or the job ends. With the report, the worker notices a cancellation. */
export async function waitForProgressReport(database: pg.Pool, jobId: number): Promise<void> {
  const { rows: now } = await database.query('SELECT clock_timestamp() AS at');
  for (;;) {
    const { rows } = await database.query(
      `SELECT status <> 'IN_PROGRESS' OR (leased_by IS NOT NULL AND updated_at > $2) AS "hasReported"
         FROM jobs.progress WHERE job_id = $1 AND status <> 'PENDING'`,
      [jobId, now[0].at],
    );
    if (rows[0]?.hasReported) return;
  }
}
