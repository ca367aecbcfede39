/**
 * Cancels bulk jobs, and refuses to retry them. A cancelled job stops before its next piece; rows already decided stay
 * decided.
 */
import { Refusal, streams } from '@rdm/contracts';
import { dataSetFor } from '../runtime/authorise.ts';
import type { CommandAnswer } from '../runtime/command-answer.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { hasEnded } from './decider.ts';
import type { Requester } from './job-lease.ts';

/** Requests the cancellation of the job; returns undefined if the job is not a bulk job. */
export async function cancelBulk(x: Execution, jobId: number): Promise<CommandAnswer | undefined> {
  const { state: job } = await x.load(kinds.bulkDecision, streams.bulkDecision(jobId));
  if (!job) return undefined;
  for (const dataSetId of job.request.dataSetIds) await dataSetFor(x, dataSetId);
  if (hasEnded(job)) throw new Refusal('CONFLICT', 'This job has ended', { status: job.status });
  const { actorId, apiKeyId, requestId } = x.meta;
  const by: Requester = { actorId, ...(apiKeyId === undefined ? {} : { apiKeyId }), requestId };
  await x.pool.query('UPDATE command.bulk_decisions SET cancellation = coalesce(cancellation, $2) WHERE job_id = $1', [
    jobId,
    JSON.stringify(by),
  ]);
  return { status: 202, body: { jobId } };
}

/**
 * Refuses to retry the job if it is a bulk job: the user selects the remaining rows, or imports the same file again.
 * Not called for a failed undo, which can be tried again.
 */
export async function refuseRetry(x: Execution, jobId: number): Promise<void> {
  const { state: job } = await x.load(kinds.bulkDecision, streams.bulkDecision(jobId));
  if (!job) return;
  for (const dataSetId of job.request.dataSetIds) await dataSetFor(x, dataSetId);
  throw new Refusal(
    'CONFLICT',
    job.request.undoneJobId !== undefined
      ? 'Only a job that failed can be tried again'
      : job.request.jobType === 'BULK_DECISION'
        ? 'A decision cannot be tried again as a whole: select the remaining rows and decide on them'
        : 'Import the file again: rows that were imported already stay unchanged',
  );
}
