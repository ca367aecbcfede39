/**
 * Counts how often a job ran out of memory without making progress. Kills, restarts and unavailable servers do not
 * count.
 */
import { randomUUID } from 'node:crypto';
import { type Pool, transaction } from '@rdm/platform';

/** A job fails after this many failures without progress in between. */
export const MEMORY_FAILURES_MAX = 3;

export const OUT_OF_MEMORY =
  'The job ran out of memory three times at the same step. Import the file in smaller parts, or with shorter values.';

/** Creates the name of a lease. `recordOutOfMemory` finds the jobs of a worker by the beginning of this name. */
export const leaseName = (worker: string): string => `${worker}:${randomUUID()}`;

/** Counts a failure for each job and import draft that the worker held, and ends their leases. */
export async function recordOutOfMemory(pool: Pool, worker: string): Promise<void> {
  await transaction(pool, async (client) => {
    const { rows } = await client.query<{ job_id: number }>(
      `UPDATE jobs.progress SET leased_by = NULL, leased_until = NULL
        WHERE leased_by LIKE $1 || ':%' AND status IN ('PENDING', 'IN_PROGRESS') RETURNING job_id`,
      [worker],
    );
    const jobs = rows.map(({ job_id }) => job_id);
    await client.query(
      `UPDATE command.import_drafts SET leased_by = NULL, leased_until = NULL, failures = failures + 1, failure = 'MEMORY' WHERE leased_by = $1`,
      [worker],
    );
    // An unfinished validation starts again, so progress is a complete validation or a further written step.
    await client.query(
      `UPDATE command.imports i
          SET memory_failures = CASE WHEN i.memory_place = at.place THEN i.memory_failures + 1 ELSE 1 END,
              memory_place = at.place
         FROM (SELECT job_id, (validated_attempt IS NOT NULL) || ':' ||
                      (SELECT count(*) FROM command.import_steps s WHERE s.job_id = j.job_id AND s.counts IS NOT NULL) AS place
                 FROM command.imports j WHERE job_id = ANY ($1::bigint[])) at
        WHERE i.job_id = at.job_id`,
      [jobs],
    );
    await client.query(
      `UPDATE command.imports SET ending = coalesce(ending, $2::jsonb)
        WHERE job_id = ANY ($1::bigint[]) AND memory_failures >= $3`,
      [jobs, JSON.stringify({ status: 'FAILED', reason: OUT_OF_MEMORY, outOfMemory: true }), MEMORY_FAILURES_MAX],
    );
    await client.query(
      `UPDATE command.bulk_decisions b
          SET memory_failures = CASE WHEN b.memory_place = at.place THEN b.memory_failures + 1 ELSE 1 END,
              memory_place = at.place
         FROM (SELECT job_id, (found IS NOT NULL) || ':' ||
                      (SELECT count(*) FROM command.bulk_pieces s WHERE s.job_id = j.job_id) AS place
                 FROM command.bulk_decisions j WHERE job_id = ANY ($1::bigint[])) at
        WHERE b.job_id = at.job_id`,
      [jobs],
    );
  });
}
