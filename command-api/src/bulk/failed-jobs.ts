/** Records failed jobs for the diagnostics page. */
import type { ErrorLog } from '@rdm/platform';

export interface FailedJob {
  jobId: number;
  correlationId: string;
  actorId: number | null;
}

/** Records no reason, because a reason may quote values. The log of the job contains the reason. */
export function recordFailedJob(
  errors: Pick<ErrorLog, 'record'> | undefined,
  { jobId, correlationId, actorId }: FailedJob,
): void {
  errors?.record({
    kind: 'JOB',
    code: 'FAILED',
    message: `Job ${jobId} failed: its log in the monitor has the reason`,
    correlationId,
    actorId,
  });
}
