/** Updates jobs.progress when a phase begins or ends, and when a job ends. `Lease` reports progress within a phase. */
import type { ImportCounts, JobStatus } from '@rdm/contracts';
import type { Pool, Queryable } from '@rdm/platform';
import { HAS_LEASE } from '../../bulk/job-lease.ts';
import type { ClaimedImport } from './lease.ts';

export async function beginPhase(pool: Pool, claimed: ClaimedImport, phase: 'VALIDATION' | 'IMPORT'): Promise<void> {
  await pool.query(
    `UPDATE jobs.progress
        SET status = 'IN_PROGRESS', started_at = coalesce(started_at, now()), ended_at = NULL, updated_at = now(),
            phase = $3
      WHERE job_id IN ($1, $4) AND ${HAS_LEASE}`,
    [claimed.jobId, claimed.leasedBy, phase, childOf(claimed, phase)],
  );
  await notify(pool, claimed.jobId);
}

/** Ends a phase. Callers append the event afterwards, so that clients that receive the event find the counts. */
export async function endPhase(
  pool: Pool,
  claimed: ClaimedImport,
  phase: 'VALIDATION' | 'IMPORT',
  counts: ImportCounts,
): Promise<void> {
  await pool.query(
    `UPDATE jobs.progress
        SET status = 'DONE', ended_at = coalesce(ended_at, now()), updated_at = now(), rate = NULL,
            counts = $4, processed = $5, total = $5
      WHERE job_id = $3 AND ${HAS_LEASE}`,
    [claimed.jobId, claimed.leasedBy, childOf(claimed, phase), JSON.stringify(counts), counts.total],
  );
}

const childOf = (claimed: ClaimedImport, phase: 'VALIDATION' | 'IMPORT'): number =>
  phase === 'VALIDATION' ? claimed.validationJobId : claimed.importJobId;

/** Ends a job and its children. Returns false if the job is no longer leased by this worker: another worker ends it. */
export async function endProgress(
  db: Queryable,
  claimed: ClaimedImport,
  status: Extract<JobStatus, 'DONE' | 'FAILED' | 'CANCELLED'>,
  counts: ImportCounts,
): Promise<boolean> {
  const done = status === 'DONE';
  const { rowCount } = await db.query(
    `UPDATE jobs.progress
        SET status = $3, ended_at = now(), updated_at = now(), leased_until = NULL, leased_by = NULL, rate = NULL,
            counts = $4, phase = CASE WHEN $5 THEN 'COMPLETE' ELSE phase END,
            total = CASE WHEN $5 THEN processed ELSE total END
      WHERE job_id = $1 AND leased_by = $2`,
    [claimed.jobId, claimed.leasedBy, status, JSON.stringify(counts), done],
  );
  if (rowCount !== 1) return false;
  await db.query(
    `UPDATE jobs.progress
        SET status = $2, ended_at = coalesce(ended_at, now()), updated_at = now(), rate = NULL
      WHERE parent_job_id = $1 AND status <> 'DONE'`,
    [claimed.jobId, status],
  );
  await notify(db, claimed.jobId);
  return true;
}

const notify = (db: Queryable, jobId: number) =>
  db.query(`SELECT pg_notify('jobs', json_build_object('jobId', $1::bigint)::text)`, [jobId]);
