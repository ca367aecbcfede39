/** Runs bulk jobs: claims a job, carries out its command piece by piece, and records its end once. */
import { randomUUID } from 'node:crypto';
import { type BulkDecision, noCounts, streams } from '@rdm/contracts';
import { type Access, type ErrorLog, type Log, type Pool, transaction } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import type { Commands } from '../runtime/commands.ts';
import { type CommandLog, type CommandMeta, Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import type { Streams } from '../runtime/streams.ts';
import { type BulkEnd, endBulk, hasEnded } from './decider.ts';
import { recordFailedJob } from './failed-jobs.ts';
import { BulkJob, type BulkWork, type ClaimedBulk, claimBulk } from './job.ts';
import { failureReason, failuresAfter, LostLease, pauseAfter, releaseJob, Stopping } from './job-lease.ts';
import { type JobSlots, startJobSlots } from './job-slots.ts';
import { leaseName, MEMORY_FAILURES_MAX, OUT_OF_MEMORY } from './memory-failures.ts';

export interface BulkContext {
  commands: Commands;
  pool: Pool;
  streams: Streams;
  access: Access;
  log: Log;
  errors?: Pick<ErrorLog, 'record'>;
  now: () => Date;
}

const NAMESPACE = '2d6f0f0a-4b0f-4f0c-9a6b-0a6c2f6f5d11';

/** Starts a worker that claims and runs bulk jobs. `name` is the prefix of the worker's lease names. */
export function startBulkWorker(
  context: BulkContext,
  {
    work = 'decisions',
    name = randomUUID(),
    isExclusive,
  }: { work?: BulkWork; name?: string; isExclusive?: () => boolean } = {},
): JobSlots {
  return startJobSlots({
    action: 'run bulk jobs',
    log: context.log,
    claim: (kind) => claimBulk(context.pool, leaseName(name), work, kind),
    open: (claimed) => new BulkJob(context.pool, context.log, claimed),
    run: (job) => runJob(context, job),
    ...(isExclusive ? { isExclusive } : {}),
  });
}

/** Runs a job until it ends or is interrupted. */
async function runJob(context: BulkContext, job: BulkJob): Promise<void> {
  const { claimed } = job;
  try {
    // A running command may still append the event that requests this job. Read the command before the log, so that
    // only a job of an ended command is deleted.
    const isCommandRunning = await hasRunningCommand(context.pool, claimed);
    const { state } = await context.streams.load(kinds.bulkDecision, streams.bulkDecision(claimed.jobId));
    if (!state)
      return await (isCommandRunning ? releaseJob(context.pool, claimed, 1) : deleteUnrequested(context.pool, claimed));
    await job.loadPieces();
    if (claimed.memoryFailures >= MEMORY_FAILURES_MAX) {
      return await end(context, job, { status: 'FAILED', reason: OUT_OF_MEMORY });
    }
    if (!hasEnded(state)) await context.commands.resume(claimed.commandId, job, job.remember);
    const isComplete = job.processed === job.counts.total;
    const by = isComplete ? undefined : job.cancelledBy;
    await end(context, job, { status: by ? 'CANCELLED' : 'DONE' }, by);
  } catch (error) {
    await job.waitForPieces();
    await handleFailure(context, job, error);
  }
}

async function hasRunningCommand(pool: Pool, { commandId }: ClaimedBulk): Promise<boolean> {
  const { rows } = await pool.query('SELECT FROM command.commands WHERE command_id = $1 AND status IS NULL', [
    commandId,
  ]);
  return rows.length > 0;
}

/** Deletes a job that no event requests. */
async function deleteUnrequested(pool: Pool, { jobId }: ClaimedBulk): Promise<void> {
  await pool.query(
    `WITH gone AS (DELETE FROM command.bulk_decisions WHERE job_id = $1 RETURNING job_id)
     DELETE FROM jobs.progress WHERE job_id IN (SELECT job_id FROM gone)`,
    [jobId],
  );
}

async function handleFailure(context: BulkContext, job: BulkJob, error: unknown): Promise<void> {
  const { claimed } = job;
  if (error instanceof LostLease) return;
  if (error instanceof Stopping) return releaseJob(context.pool, claimed);
  const failures = failuresAfter(error, job.hasProgressed ? 0 : claimed.failures);
  try {
    const reason = failureReason(error, failures, 'You can repeat the action for the remaining rows later.');
    if (reason !== undefined) return await end(context, job, { status: 'FAILED', reason });
    await context.pool.query('UPDATE command.bulk_decisions SET failures = $2 WHERE job_id = $1', [
      claimed.jobId,
      failures,
    ]);
  } catch (recordingError) {
    context.log.error(
      { err: recordingError, jobId: claimed.jobId },
      'Could not record the failure of a bulk job; trying again',
    );
  }
  context.log.warn({ err: error, jobId: claimed.jobId, failures }, 'A bulk job failed; it will be resumed');
  await releaseJob(context.pool, claimed, pauseAfter(failures));
}

/** No step log is needed: the decider recognises steps that are already done. */
const NO_LOG: CommandLog = { rememberIds: async () => undefined, rememberStep: async () => undefined };

/** Appends the job's end to the log once, then updates its progress and notifies clients. */
async function end(context: BulkContext, job: BulkJob, ending: BulkEnd, by?: Partial<CommandMeta>): Promise<void> {
  const { claimed } = job;
  const { processed } = job;
  // An import job that ends before its file was read does not know its number of rows yet.
  const total = Math.max(job.counts.total, processed);
  const counts = { ...job.counts, total, skipped: job.counts.skipped + total - processed };
  const stream = streams.bulkDecision(claimed.jobId);
  const starter = await requesterOf(context, claimed);
  const x = new Execution(
    { ...starter, ...by, commandId: uuidv5(`${claimed.jobId}:end`, NAMESPACE) },
    { allocated: [], steps: {} },
    { ...context, log: NO_LOG },
  );
  const { governedBy } = await governingDataSetsOf(x, stream);
  await x.change(kinds.bulkDecision, stream, governedBy, (state) => endBulk(state, ending, counts));
  // An earlier run may have appended another end, so the progress shows the end in the log.
  const { state } = await x.load(kinds.bulkDecision, stream);
  if (!state) throw new Error(`There is no job ${claimed.jobId}`);
  const isRecorded = await transaction(context.pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE jobs.progress
          SET status = $3, ended_at = now(), updated_at = now(), leased_until = NULL, leased_by = NULL, rate = NULL,
              counts = $4, processed = $5, phase = CASE WHEN $3 = 'DONE' THEN 'COMPLETE' ELSE phase END
        WHERE job_id = $1 AND leased_by = $2`,
      [claimed.jobId, claimed.leasedBy, state.status, JSON.stringify(state.counts), processed],
    );
    if (rowCount !== 1) return false;
    await client.query('INSERT INTO jobs.logs (job_id, level, message) VALUES ($1, $2, $3)', [
      claimed.jobId,
      state.status === 'DONE' ? 'INFO' : state.status === 'FAILED' ? 'ERROR' : 'WARN',
      summaryOf(state),
    ]);
    await client.query('DELETE FROM command.bulk_decisions WHERE job_id = $1', [claimed.jobId]);
    await client.query(`SELECT pg_notify('jobs', json_build_object('jobId', $1::bigint)::text)`, [claimed.jobId]);
    return true;
  });
  if (!isRecorded || state.status !== 'FAILED') return;
  const { correlationId, actorId } = starter;
  recordFailedJob(context.errors, { jobId: claimed.jobId, correlationId, actorId });
}

const formatCount = (count: number): string => count.toLocaleString('en');

function summaryOf({ request, counts, reason }: BulkDecision): string {
  const { created, changed, unchanged, failed, skipped } = counts ?? noCounts();
  const intro = reason === null ? '' : `${reason}. `;
  if (request.undoneJobId !== undefined) {
    return `${intro}${formatCount(changed)} undone, ${formatCount(skipped)} not undone`;
  }
  const done =
    request.jobType === 'BULK_DECISION'
      ? [`${formatCount(changed)} done`]
      : [`${formatCount(created)} created`, `${formatCount(changed)} changed`, `${formatCount(unchanged)} unchanged`];
  const parts = [...done, `${formatCount(failed)} refused`];
  if (skipped > 0) parts.push(`${formatCount(skipped)} not tried`);
  return `${intro}${parts.join(', ')}`;
}

/** The user and request of the job's command; the system if the command is no longer stored. */
async function requesterOf(context: BulkContext, { commandId }: ClaimedBulk): Promise<Omit<CommandMeta, 'commandId'>> {
  const { rows } = await context.pool.query<{ meta: CommandMeta }>(
    `SELECT payload -> 'meta' AS meta FROM command.commands WHERE command_id = $1`,
    [commandId],
  );
  const meta = rows[0]?.meta;
  return meta ?? { actorId: null, requestId: commandId, correlationId: commandId, sourceType: 'SYSTEM' };
}

/** The data sets of the job's first event, so that the users who see its start also see its end. */
async function governingDataSetsOf(x: Execution, stream: string): Promise<{ governedBy: readonly number[] }> {
  for await (const { metadata } of x.events(stream)) return { governedBy: metadata.dataSetIds };
  return { governedBy: [] };
}
