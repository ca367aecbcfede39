/** Runs imports: claims an import and works on it. If the work is interrupted, releases the import for another worker. */
import { randomUUID } from 'node:crypto';
import { type ImportJob, JobQuestion, Refusal, streams } from '@rdm/contracts';
import { z } from 'zod';
import {
  Cancelled,
  failureReason,
  failuresAfter,
  LostLease,
  pauseAfter,
  releaseJob,
  Stopping,
} from '../../bulk/job-lease.ts';
import { type JobSlots, startJobSlots } from '../../bulk/job-slots.ts';
import { leaseName } from '../../bulk/memory-failures.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { existingJob } from '../decider.ts';
import { importFile } from './import-file.ts';
import { closeProgress, decideEnding, endEarly } from './job-end.ts';
import { claimImport, type Ending, Lease } from './lease.ts';
import { startRowCacheFill } from './row-cache-fill.ts';
import type { ImportContext } from './run.ts';

/** The name of each lease of the worker begins with `name`. */
export function startImportWorker(
  context: ImportContext,
  { name = randomUUID(), isExclusive }: { name?: string; isExclusive?: () => boolean } = {},
): JobSlots {
  const rowCacheFill = startRowCacheFill(context);
  const slots = startJobSlots({
    action: 'work on imports',
    log: context.log,
    claim: (kind) => claimImport(context.pool, leaseName(name), kind),
    open: (claimed) => new Lease(context.pool, context.log, claimed),
    async run(lease) {
      const job = await runImport(context, lease);
      if (job) rowCacheFill.fill(job.dataSetId);
    },
    ...(isExclusive ? { isExclusive } : {}),
  });
  return {
    wake: slots.wake,
    async stop() {
      await Promise.all([slots.stop(), rowCacheFill.stop()]);
    },
  };
}

/** Runs an import until it ends or is interrupted; returns the job if it completed. */
async function runImport(context: ImportContext, lease: Lease): Promise<ImportJob | undefined> {
  const { claimed } = lease;
  let job: ImportJob | undefined;
  try {
    job = existingJob((await context.streams.load(kinds.importJob, streams.importJob(claimed.jobId))).state);
    if (job.status !== 'PENDING' && job.status !== 'IN_PROGRESS') await closeProgress(context, claimed, job);
    else if (claimed.ending) await endEarly(context, lease, job, claimed.ending);
    else {
      lease.signal.throwIfAborted();
      await importFile(context, lease, job);
      return job;
    }
  } catch (error) {
    await handleFailure(context, lease, job, error);
  }
  return undefined;
}

/** Ends the job if it cannot continue; otherwise releases it for another attempt. */
async function handleFailure(
  context: ImportContext,
  lease: Lease,
  job: ImportJob | undefined,
  error: unknown,
): Promise<void> {
  const { claimed } = lease;
  if (error instanceof LostLease) return;
  if (error instanceof Stopping) return releaseJob(context.pool, claimed);
  const failures = failuresAfter(error, claimed.failures);
  const ending = claimed.ending ? undefined : endingOf(error, failures);
  try {
    if (ending && job) {
      await decideEnding(context, claimed, ending);
      return await endEarly(context, lease, job, ending);
    }
    await context.pool.query('UPDATE command.imports SET failures = $2 WHERE job_id = $1', [claimed.jobId, failures]);
  } catch (endError) {
    context.log.error({ err: endError, jobId: claimed.jobId }, 'Could not end an import; trying again');
  }
  context.log.warn({ err: error, jobId: claimed.jobId, failures }, 'An import failed; it will be resumed');
  await releaseJob(context.pool, claimed, pauseAfter(failures));
}

/** The details of a refusal that is caused by unanswered questions about the file. */
const Questions = z.object({ questions: z.array(JobQuestion) });

/** Returns the ending that an error causes; undefined if another attempt can succeed. */
function endingOf(error: unknown, failures: number): Ending | undefined {
  if (error instanceof Cancelled) return { status: 'CANCELLED', reason: 'It was cancelled', by: error.by };
  const reason = failureReason(error, failures, 'Try it again later.');
  if (reason === undefined) return undefined;
  const { data } = Questions.safeParse(error instanceof Refusal ? error.details : undefined);
  return { status: 'FAILED', reason, ...data };
}
