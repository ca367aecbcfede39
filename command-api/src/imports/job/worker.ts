/** Runs imports: claims one, works on it, and releases it when it is interrupted, so that another worker resumes it. */
import { randomUUID } from 'node:crypto';
import { type ImportJob, Refusal, streams } from '@rdm/contracts';
import { toRefusal } from '@rdm/platform';
import { startJobSlots } from '../../bulk/job-slots.ts';
import { leaseName } from '../../bulk/memory-failures.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { existingJob } from '../decider.ts';
import { importFile } from './import-file.ts';
import { closeProgress, decideEnding, endEarly } from './job-end.ts';
import { Cancelled, claimImport, type Ending, Lease, LostLease, releaseImport } from './lease.ts';
import { startRowCacheFill } from './row-cache-fill.ts';
import type { ImportContext } from './run.ts';

const POLL_MS = 500;
/** Consecutive failed runs before a job is given up. */
const FAILURES_MAX = 10;
const PAUSE_SECONDS_MAX = 30;

export interface ImportWorker {
  /** Checks for jobs now. */
  wake(): void;
  /** Stops at the next piece; another instance, or the next start, resumes the jobs. */
  stop(): Promise<void>;
}

/** The process stops; another one resumes the import. */
class Stopping extends Error {}

/** `name` is the prefix of the names of its claims. */
export function startImportWorker(
  context: ImportContext,
  { name = randomUUID(), isExclusive }: { name?: string; isExclusive?: () => boolean } = {},
): ImportWorker {
  const leases = new Set<Lease>();
  const rowCacheFill = startRowCacheFill(context);
  let stopping = false;
  const slots = startJobSlots({
    what: 'work on imports',
    everyMs: POLL_MS,
    log: context.log,
    claim: (kind) => claimImport(context.pool, leaseName(name), kind),
    async work(claimed) {
      const lease = new Lease(context.pool, context.log, claimed);
      leases.add(lease);
      if (stopping) lease.stop(new Stopping());
      const job = await runImport(context, lease).finally(() => lease.close());
      leases.delete(lease);
      if (job) rowCacheFill.fill(job.dataSetId);
    },
    ...(isExclusive ? { isExclusive } : {}),
  });
  return {
    wake: slots.wake,
    async stop() {
      stopping = true;
      for (const lease of leases) lease.stop(new Stopping());
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

/** Ends the job if it cannot continue; otherwise releases it for another attempt, after a pause if something failed. */
async function handleFailure(
  context: ImportContext,
  lease: Lease,
  job: ImportJob | undefined,
  error: unknown,
): Promise<void> {
  const { claimed } = lease;
  if (error instanceof LostLease) return;
  if (error instanceof Stopping) return releaseImport(context.pool, claimed);
  const failures = claimed.failures + 1;
  const ending = claimed.ending ? undefined : endingOf(error, failures);
  try {
    if (ending && job) {
      await decideEnding(context, claimed, ending);
      return await endEarly(context, lease, job, ending);
    }
    await context.pool.query('UPDATE command.imports SET failures = $2 WHERE job_id = $1', [claimed.jobId, failures]);
  } catch (again) {
    context.log.error({ err: again, jobId: claimed.jobId }, 'An import could not be ended yet');
  }
  context.log.warn({ err: error, jobId: claimed.jobId, failures }, 'An import broke off; it will be gone on with');
  await releaseImport(context.pool, claimed, Math.min(2 ** failures, PAUSE_SECONDS_MAX));
}

/** How an error ends a job; undefined if another attempt may succeed. */
function endingOf(error: unknown, failures: number): Ending | undefined {
  if (error instanceof Cancelled) return { status: 'CANCELLED', reason: 'It was cancelled', by: error.by };
  const refusal = error instanceof Refusal ? error : toRefusal(error);
  if (refusal && refusal.status < 429) return { status: 'FAILED', reason: refusal.message };
  if (failures < FAILURES_MAX) return undefined;
  return {
    status: 'FAILED',
    reason: `It broke off ${failures} times because a part of the system failed. Try it again later.`,
  };
}
