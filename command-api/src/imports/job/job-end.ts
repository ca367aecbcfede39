/** How imports end: early ones keep or take back what was committed, and every end is told once. */
import { type ImportCounts, type ImportJob, noCounts, Refusal, streams } from '@rdm/contracts';
import { transaction } from '@rdm/platform';
import { recordFailedJob } from '../../bulk/failed-jobs.ts';
import { findStaged } from '../../file-imports/staged-files.ts';
import { endExclusiveImport } from '../../invariants/exclusive-import.ts';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { cancelImport, failImport } from '../decider.ts';
import { keepRejected } from '../validation/validation-phase.ts';
import { countsSoFar, settlePieces, undoPieces } from './import-phase.ts';
import { logWord } from './job-logs.ts';
import { type ClaimedImport, type Ending, HOLDS_LEASE, type Lease, LostLease } from './lease.ts';
import { endProgress } from './progress.ts';
import { type ImportContext, openRun, stepOf } from './run.ts';

/** Written before anything is taken back: whoever goes on with the job from here ends it, too. */
export async function decideEnding(context: ImportContext, claimed: ClaimedImport, ending: Ending): Promise<void> {
  const { rowCount } = await context.pool.query(
    `UPDATE command.imports SET ending = $3 WHERE job_id = $1 AND ${HOLDS_LEASE}`,
    [claimed.jobId, claimed.leasedBy, JSON.stringify(ending)],
  );
  if (rowCount !== 1) throw new LostLease();
}

/** What was committed stays, unless it was all or nothing. */
export async function endEarly(context: ImportContext, lease: Lease, job: ImportJob, ending: Ending): Promise<void> {
  const { claimed } = lease;
  const validated = claimed.validatedCounts ?? lease.validation.counts;
  let imported = noCounts();
  if (claimed.validatedAttempt !== null) {
    await settle(context, lease, job);
    if (job.request.allOrNothing) await undoPieces(context, claimed, job);
    else imported = await countsSoFar(context, claimed);
  }
  const staged = ending.outOfMemory ? undefined : await findStaged(context.pool, job.request.fileId);
  if (staged) await keepRejected({ context, claimed, file: staged.view });
  const counts = endingCounts(validated, imported);
  const x = stepOf(context, claimed, job, `end:${claimed.attempt}`, ending.by ? { by: ending.by } : {});
  await freeDataSet(x, job);
  await x.change(kinds.importJob, streams.importJob(job.jobId), [job.dataSetId], (state) =>
    ending.status === 'CANCELLED' ? cancelImport(state, counts) : failImport(state, ending.reason),
  );
  await closeProgress(context, claimed, { ...job, status: ending.status, counts, reason: ending.reason });
}

/** Rows that were valid and not tried any more are skipped. */
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

/** Where the type has changed so much that the plan does not hold, pieces that were in doubt stay uncounted. */
async function settle(context: ImportContext, lease: Lease, job: ImportJob): Promise<void> {
  try {
    await settlePieces(await openRun(context, lease, job));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

export async function freeDataSet(x: Execution, job: ImportJob): Promise<void> {
  if (!job.request.allOrNothing) return;
  await x.change(kinds.dataSet, streams.dataSet(job.dataSetId), [job.dataSetId], (dataSet) =>
    endExclusiveImport(dataSet, job.jobId),
  );
}

/** Brings telemetry in line with how the job's stream says it ended. */
export async function closeProgress(context: ImportContext, claimed: ClaimedImport, job: ImportJob): Promise<void> {
  const { status, counts } = job;
  if (status === 'PENDING' || status === 'IN_PROGRESS') throw new Error(`Job ${job.jobId} has not ended`);
  const hasEnded = await transaction(context.pool, async (client) => {
    const ended = await endProgress(client, claimed, status, counts ?? claimed.validatedCounts ?? noCounts());
    if (!ended) return false;
    await logWord(
      client,
      job.jobId,
      status === 'DONE' ? 'INFO' : status === 'FAILED' ? 'ERROR' : 'WARN',
      lastWord(job),
    );
    // A failed job may be tried again with what it staged.
    if (status === 'FAILED') return true;
    await client.query('DELETE FROM command.staged_rows WHERE job_id = $1', [job.jobId]);
    await client.query('DELETE FROM command.import_steps WHERE job_id = $1', [job.jobId]);
    return true;
  });
  if (!hasEnded || status !== 'FAILED') return;
  recordFailedJob(context.errors, { jobId: job.jobId, correlationId: claimed.correlationId, actorId: job.startedBy });
}

function lastWord({ status, counts, reason }: ImportJob): string {
  if (status === 'FAILED') return reason ?? 'The import failed';
  const say = counts ?? noCounts();
  const parts = (['created', 'changed', 'unchanged', 'failed', 'skipped'] as const)
    .filter((name) => say[name] > 0)
    .map((name) => `${say[name].toLocaleString('en')} ${name}`);
  return `${status === 'DONE' ? 'Imported' : 'Cancelled'}: ${parts.join(', ') || 'no rows'}`;
}
