/** Imports one file in three steps: validation, import and end. Resumes where an earlier run stopped. */
import { type ImportCounts, type ImportJob, Refusal, streams } from '@rdm/contracts';
import { startExclusiveImport } from '../../invariants/exclusive-import.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { completeImport, completePhase, startImport } from '../decider.ts';
import { importPieces } from './import-phase.ts';
import { closeProgress, unlockDataSet } from './job-end.ts';
import { countByRule } from './job-logs.ts';
import type { Lease } from './lease.ts';
import { beginPhase, endPhase } from './progress.ts';
import { type ImportContext, openRun, requireAuthorised, stepOf } from './run.ts';
import { storeRejected, validateFile } from './validation-phase.ts';

export async function importFile(context: ImportContext, lease: Lease, job: ImportJob): Promise<void> {
  const { claimed } = lease;
  const stream = streams.importJob(job.jobId);
  const x = stepOf(context, claimed, job, 'start');
  await requireAuthorised(x, job);
  const run = await openRun(context, lease, job);
  if (job.request.allOrNothing) {
    await x.change(kinds.dataSet, streams.dataSet(job.dataSetId), [job.dataSetId], (dataSet) =>
      startExclusiveImport(dataSet, job.jobId),
    );
  }
  await x.change(kinds.importJob, stream, [job.dataSetId], (state) => startImport(state, run.schemaRevision));

  const validated = claimed.validatedCounts ?? (await validate());
  await endPhase(context.pool, claimed, 'VALIDATION', validated);
  const rules = await countByRule(context.pool, claimed.validationJobId);
  await x.change(kinds.importJob, stream, [job.dataSetId], (state) =>
    completePhase(state, 'VALIDATION', validated, rules),
  );
  await beginPhase(context.pool, claimed, 'IMPORT');
  // Reads the file again, and stores its rejected rows while the valid rows are imported.
  const importing = importPieces(run);
  await forEachConcurrently([importing, storeRejected(run)], 2, async (work) => void (await work));
  const imported = await importing;
  if (imported.failed > 0) await storeRejected(run);
  const counts: ImportCounts = {
    ...imported,
    total: validated.total,
    failed: validated.failed + imported.failed,
    skipped: validated.skipped + imported.skipped,
  };
  await endPhase(context.pool, claimed, 'IMPORT', imported);
  await x.change(kinds.importJob, stream, [job.dataSetId], (state) => completePhase(state, 'IMPORT', imported));
  await unlockDataSet(x, job);
  await x.change(kinds.importJob, stream, [job.dataSetId], (state) => completeImport(state, counts));
  await closeProgress(context, claimed, { ...job, status: 'DONE', counts });

  async function validate(): Promise<ImportCounts> {
    await beginPhase(context.pool, claimed, 'VALIDATION');
    const counted = await validateFile(run);
    if (job.request.allOrNothing && counted.failed > 0) {
      const [failed, total] = [counted.failed.toLocaleString('en'), counted.total.toLocaleString('en')];
      throw new Refusal('INVALID', `${failed} of ${total} rows cannot be imported: nothing was imported`);
    }
    return counted;
  }
}
