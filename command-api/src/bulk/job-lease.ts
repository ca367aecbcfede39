/** The lease of a job: how long a worker holds it, which jobs are free, and how a run ends early. */
import { Refusal } from '@rdm/contracts';
import { type Pool, toRefusal } from '@rdm/platform';
import type { CommandMeta } from '../runtime/execution.ts';

/** The user who cancelled a job, and the request. */
export type Requester = Pick<CommandMeta, 'actorId' | 'apiKeyId' | 'requestId'>;

/**
 * This worker's lease ran out, so another worker may have claimed the job: writes of this worker must not take effect.
 */
export class LostLease extends Error {
  constructor() {
    super('The lease of the job ran out');
    this.name = 'LostLease';
  }
}

export class Cancelled extends Error {
  readonly by: Requester;
  constructor(by: Requester) {
    super('The job was cancelled');
    this.name = 'Cancelled';
    this.by = by;
  }
}

/** This process is stopping; another process resumes the job. */
export class Stopping extends Error {}

export const LEASE_SECONDS = 15;
export const REPORT_INTERVAL_MS = 250;
/**
 * A job fails for good after this many failed runs. An import into a data set counts anew once its validation is
 * complete; any other job counts anew after each run that made progress.
 */
const FAILURES_MAX = 10;
const PAUSE_SECONDS_MAX = 30;

/** SQL condition: the job `p` has not ended, no worker holds it, and no pause after a failure is left. */
export const IS_FREE = `p.status IN ('PENDING', 'IN_PROGRESS') AND (p.leased_until IS NULL OR p.leased_until < now())`;

/** SQL assignments that claim a job; `$1` is the name of the lease. */
export const CLAIM = `leased_by = $1, leased_until = now() + interval '${LEASE_SECONDS} seconds', status = 'IN_PROGRESS',
  started_at = coalesce(started_at, now())`;

/** SQL condition: the lease is still held; `$1` is the job and `$2` the name of the lease. */
export const HAS_LEASE = `EXISTS (
  SELECT FROM jobs.progress WHERE job_id = $1 AND leased_by = $2 AND leased_until > now())`;

/** Releases a job for other workers, at once or after a pause. */
export async function releaseJob(
  pool: Pool,
  { jobId, leasedBy }: { jobId: number; leasedBy: string },
  seconds = 0,
): Promise<void> {
  await pool.query(
    `UPDATE jobs.progress SET leased_by = NULL, leased_until = now() + $3 * interval '1 second'
      WHERE job_id = $1 AND leased_by = $2`,
    [jobId, leasedBy, seconds],
  );
}

/**
 * Whether a run ended with `UNAVAILABLE`, for example because a server did not answer or its disk was full. Such a run
 * does not count as failed: the job tries again.
 */
export const isUnavailable = (error: unknown): boolean => toRefusal(error)?.code === 'UNAVAILABLE';

/** Returns the number of failed runs of a job after one more run ended with an error. */
export const failuresAfter = (error: unknown, failures: number): number =>
  isUnavailable(error) ? failures : failures + 1;

/** Seconds until the next attempt. */
export const pauseAfter = (failures: number): number => Math.min(2 ** failures, PAUSE_SECONDS_MAX);

/** Returns why an error ends a job; undefined if the job tries again. */
export function failureReason(error: unknown, failures: number, advice: string): string | undefined {
  const refusal = error instanceof Refusal ? error : toRefusal(error);
  if (refusal && refusal.status < 429) return refusal.message;
  if (failures < FAILURES_MAX) return undefined;
  return `The job failed ${failures} times because a part of the system failed. ${advice}`;
}
