/** Ends imports. Each end is recorded once. */
import { type ImportCounts, type ImportJob, noCounts, Refusal, streams } from '@rdm/contracts';
import { transaction } from '@rdm/platform';
import { recordFailedJob } from '../../bulk/failed-jobs.ts';
import { HAS_LEASE, isUnavailable, LostLease } from '../../bulk/job-lease.ts';
import { findStaged } from '../../file-imports/staged-files.ts';
import { endExclusiveImport } from '../../invariants/exclusive-import.ts';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { cancelImport, failImport } from '../decider.ts';
import { countsSoFar, settlePieces, undoPieces } from './import-phase.ts';
import { logMessage } from './job-logs.ts';
import type { ClaimedImport, Ending, Lease } from './lease.ts';
import { endProgress } from './progress.ts';
import { type ImportContext, openRun, stepOf } from './run.ts';
import { storeRejected } from './validation-phase.ts';

/**
 * Stores how the job ends before anything is undone. If the worker crashes, the next worker ends the job in the same
 * way.
 */
export async function decideEnding(context: ImportContext, claimed: ClaimedImport, ending: Ending): Promise<void> {
  const { rowCount } = await context.pool.query(
    `UPDATE command.imports SET ending = $3 WHERE job_id = $1 AND ${HAS_LEASE}`,
    [claimed.jobId, claimed.leasedBy, JSON.stringify(ending)],
  );
  if (rowCount !== 1) throw new LostLease();
}

/** Ends a job early. Imported rows stay, except in an all-or-nothing import, which is undone. */
export async function endEarly(context: ImportContext, lease: Lease, job: ImportJob, ending: Ending): Promise<void> {
  const { claimed } = lease;
  const validated = claimed.validatedCounts ?? lease.validation.counts;
  let imported = noCounts();
  if (claimed.validatedAttempt !== null) {
    await settlePiecesIfPossible(context, lease, job);
    if (job.request.allOrNothing) await undoPieces(context, claimed, job);
    else imported = await countsSoFar(context, claimed);
  }
  const staged = ending.outOfMemory ? undefined : await findStaged(context.pool, job.request.fileId);
  if (staged) await storeRejected({ context, claimed, file: staged.view });
  const counts = endingCounts(validated, imported);
  const x = stepOf(context, claimed, job, `end:${claimed.attempt}`, ending.by ? { by: ending.by } : {});
  await unlockDataSet(x, job);
  await x.change(kinds.importJob, streams.importJob(job.jobId), [job.dataSetId], (state) =>
    ending.status === 'CANCELLED' ? cancelImport(state, counts) : failImport(state, ending.reason),
  );
  await closeProgress(context, claimed, { ...job, status: ending.status, counts, reason: ending.reason });
}

/** Returns the counts of an import that ended early: the skipped rows include the valid rows that were not imported. */
function endingCounts(validated: ImportCounts, imported: ImportCounts): ImportCounts {
  const failed = validated.failed + imported.failed;
  const { created, changed, unchanged } = imported;
  return {
    ...imported,
    total: validated.total,
    failed,
    skipped: validated.total - failed - created - changed - unchanged,
  };
}

/**
 * Stores the missing outcomes of pieces whose events were appended before a crash. Ignores refusals, for example
 * because the file is gone. Throws while a server is away: the job ends in a later run.
 */
async function settlePiecesIfPossible(context: ImportContext, lease: Lease, job: ImportJob): Promise<void> {
  try {
    await settlePieces(await openRun(context, lease, job));
  } catch (error) {
    if (!(error instanceof Refusal) || isUnavailable(error)) throw error;
  }
}

export async function unlockDataSet(x: Execution, job: ImportJob): Promise<void> {
  if (!job.request.allOrNothing) return;
  await x.change(kinds.dataSet, streams.dataSet(job.dataSetId), [job.dataSetId], (dataSet) =>
    endExclusiveImport(dataSet, job.jobId),
  );
}

/**
 * Stores the end of a job in the progress and the log of the job. Reports a failed job to the error log; otherwise
 * deletes the staged rows.
 */
export async function closeProgress(context: ImportContext, claimed: ClaimedImport, job: ImportJob): Promise<void> {
  const { status, counts } = job;
  if (status === 'PENDING' || status === 'IN_PROGRESS') throw new Error(`Job ${job.jobId} has not ended`);
  const isEnded = await transaction(context.pool, async (client) => {
    const ended = await endProgress(client, claimed, status, counts ?? claimed.validatedCounts ?? noCounts());
    if (!ended) return false;
    await logMessage(
      client,
      job.jobId,
      status === 'DONE' ? 'INFO' : status === 'FAILED' ? 'ERROR' : 'WARN',
      summaryOf(job),
    );
    // A failed job keeps its staged rows for a retry.
    if (status === 'FAILED') return true;
    await client.query('DELETE FROM command.staged_rows WHERE job_id = $1', [job.jobId]);
    await client.query('DELETE FROM command.import_steps WHERE job_id = $1', [job.jobId]);
    return true;
  });
  if (!isEnded || status !== 'FAILED') return;
  recordFailedJob(context.errors, { jobId: job.jobId, correlationId: claimed.correlationId, actorId: job.startedBy });
}

/** The last line of the log of a job. */
export function summaryOf({ status, counts, reason }: Pick<ImportJob, 'status' | 'counts' | 'reason'>): string {
  if (status === 'FAILED') return reason ?? 'The import failed';
  const totals = counts ?? noCounts();
  const parts = (['created', 'changed', 'unchanged', 'removed', 'failed', 'skipped'] as const)
    .map((name) => ({ name, count: totals[name] ?? 0 }))
    .filter(({ count }) => count > 0)
    // The skipped rows of a cancelled import include the rows that the import did not reach.
    .map(
      ({ name, count }) =>
        `${count.toLocaleString('en')} ${name === 'skipped' && status === 'CANCELLED' ? 'not tried' : name}`,
    );
  return `${status === 'DONE' ? 'Imported' : 'Cancelled'}: ${parts.join(', ') || 'no rows'}`;
}
