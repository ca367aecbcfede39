/** Previews the undo of an import of rows, and undoes its rows in a job, bucket by bucket. */
import {
  BUCKETS,
  type DataSet,
  displayKey,
  type ImportJob,
  type ImportUndoPreview,
  type InstanceRow,
  KEPT_ROWS_LISTED,
  noCounts,
  Refusal,
  streams,
} from '@rdm/contracts';
import { jsonBytes, ROW_OVERHEAD_BYTES, toChunks } from '../../bulk/row-chunks.ts';
import { allocateJobId, requireNoUndo, startJob } from '../../bulk/start.ts';
import { requireType } from '../../invariants/dependants.ts';
import { requireNoExclusiveImport } from '../../invariants/exclusive-import.ts';
import { loadRowReferences } from '../../invariants/row-references.ts';
import { dataSetFor, levelOf } from '../../runtime/authorise.ts';
import type { CommandAnswer } from '../../runtime/command-answer.ts';
import { command } from '../../runtime/commands.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { existingJob } from '../decider.ts';
import { createdByImport } from './created-entities.ts';
import { addedFirst, completeUndo, requireEnded, requireUndoable, undoImportedRows } from './decider.ts';
import { type ImportedRow, importedRows, planRow } from './imported-rows.ts';

/** The number of buckets that are folded at the same time; each one holds all its rows in memory. */
const BUCKETS_AT_ONCE = 2;

interface Target {
  job: ImportJob;
  dataSet: DataSet;
}

export const undoImport = command<{ jobId: number }>('UndoImport', async (x, { jobId }) => {
  const target = await loadTarget(x, jobId);
  return x.jobId === undefined ? startUndo(x, target) : runUndo(x, x.jobId, target);
});

/** Loads an import of rows into a data set on which the user has the route's level. */
async function loadTarget(x: Execution, jobId: number): Promise<Target> {
  const { state: bulk } = await x.load(kinds.bulkDecision, streams.bulkDecision(jobId));
  if (bulk) {
    for (const dataSetId of bulk.request.dataSetIds) await dataSetFor(x, dataSetId);
    throw new Refusal(
      'CONFLICT',
      'This job is not an import of rows into a data set: it cannot be undone as an import',
    );
  }
  const job = existingJob((await x.load(kinds.importJob, streams.importJob(jobId))).state);
  await requireDataSetExists(x, job.dataSetId);
  const dataSet = await dataSetFor(x, job.dataSetId);
  return { job, dataSet };
}

/** Throws if the data set was deleted. Only users who have a level on the data set get this reason. */
async function requireDataSetExists(x: Execution, dataSetId: number): Promise<void> {
  const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(dataSetId));
  if (!dataSet?.deleted || (await levelOf(x, dataSet)) === null) return;
  throw new Refusal('CONFLICT', 'The data set of this import was deleted: there is nothing to undo');
}

async function startUndo(x: Execution, { job, dataSet }: Target): Promise<CommandAnswer> {
  const jobId = await allocateJobId(x);
  const { state: started } = await x.load(kinds.bulkDecision, streams.bulkDecision(jobId));
  if (!started) {
    requireUndoable(job);
    requireNoExclusiveImport(dataSet);
    await requireNoUndo(x.pool, job.jobId, x.meta.commandId);
    if (!(await hasRowsToUndo(x, job, dataSet))) {
      throw new Refusal(
        'CONFLICT',
        'There is nothing to undo: the import left no rows, or its rows were changed later or are in use',
      );
    }
    const { created, changed } = job.counts ?? noCounts();
    await startJob(x, {
      jobId,
      input: { batch: { undoneJobId: job.jobId } },
      undoneJobId: job.jobId,
      undoes: await commandOf(x, job),
      jobType: job.request.jobType,
      verbText: 'Undo',
      description: `Undo of import ${job.jobId}: ${job.request.description}`,
      // This is an estimate, because a failed import has no counts. The job counts the rows exactly.
      total: created + changed || countValidRows(job),
      dataSetIds: [dataSet.id],
      governedBy: [dataSet.id],
    });
  }
  return { status: 202, body: { jobId } };
}

function countValidRows({ phases }: ImportJob): number {
  const counts = phases.find(({ phase }) => phase === 'VALIDATION')?.counts ?? noCounts();
  return counts.total - counts.failed;
}

/** The id of the command that requested the import; the audit log shows this command as undone. */
async function commandOf(x: Execution, { jobId }: ImportJob): Promise<string> {
  for await (const { metadata } of x.events(streams.importJob(jobId))) return metadata.$causationId;
  throw new Error(`There is no import ${jobId}`);
}

async function hasRowsToUndo(x: Execution, job: ImportJob, dataSet: DataSet): Promise<boolean> {
  const isReferenced = await loadRowReferences(x, dataSet);
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const rows = await importedRows(x.events(streams.instances(dataSet.id, bucket)), job.jobId);
    if (rows.some((row) => !planRow(row, isReferenced).keep)) return true;
  }
  return false;
}

const eachBucket = (work: (bucket: number) => Promise<void>): Promise<void> =>
  forEachConcurrently(Array(BUCKETS).keys(), BUCKETS_AT_ONCE, work);

/** Undoes the rows. Each run has the same pieces, because pieces depend only on the events before the first run. */
async function runUndo(x: Execution, jobId: number, { job, dataSet }: Target): Promise<CommandAnswer> {
  const { id: dataSetId, typeId } = dataSet;
  const { schemaRevision } = requireType((await x.load(kinds.referenceType, streams.referenceType(typeId))).state);
  const lastRevisions = await x.once(() => revisionsOf(x, dataSetId));
  const isReferenced = await loadRowReferences(x, dataSet);
  let total = 0;
  await eachBucket(async (bucket) => {
    const stream = streams.instances(dataSetId, bucket);
    const imported = await importedRows(x.events(stream), job.jobId, lastRevisions[bucket]);
    const rows = imported.map((row) => planRow(row, isReferenced)).sort(addedFirst);
    total += rows.length;
    const chunks = toChunks(
      rows,
      () => bucket,
      ({ before }) => jsonBytes(before?.values ?? null) + ROW_OVERHEAD_BYTES,
    );
    for (const chunk of chunks.get(bucket) ?? []) {
      const decide = () =>
        x.piece(stream, async () => {
          // During the job, the user can lose rights, and a retry or an exclusive import can start.
          const current = await loadTarget(x, job.jobId);
          requireEnded(current.job);
          requireNoExclusiveImport(current.dataSet);
          const ids = chunk.map(({ id }) => id);
          return x.change(
            kinds.instances,
            stream,
            [dataSetId],
            (state) => undoImportedRows(state, chunk, { jobId, schemaRevision }),
            { ids },
          );
        });
      await x.withPace(chunk.length, decide);
    }
  });
  x.setTotal(total);
  const counts = x.finalCounts();
  if (counts) {
    await x.change(kinds.importJob, streams.importJob(job.jobId), [dataSetId], (state) =>
      completeUndo(state, { jobId, counts }),
    );
  }
  return { status: 202, body: { jobId } };
}

async function revisionsOf(x: Execution, dataSetId: number): Promise<number[]> {
  const revisions: number[] = [];
  await eachBucket(async (bucket) => {
    const { revision } = await x.load(kinds.instances, streams.instances(dataSetId, bucket), { ids: [] });
    revisions[bucket] = revision;
  });
  return revisions;
}

export async function previewUndo(x: Execution, jobId: number): Promise<ImportUndoPreview> {
  const { job, dataSet } = await loadTarget(x, jobId);
  requireUndoable(job);
  const isReferenced = await loadRowReferences(x, dataSet);
  const preview: ImportUndoPreview = { removed: 0, restored: 0, addedBack: 0, kept: 0, keptRows: [], created: null };
  await eachBucket(async (bucket) => {
    const rows = await importedRows(x.events(streams.instances(dataSet.id, bucket)), job.jobId);
    for (const row of rows) addToPreview(preview, row, isReferenced);
  });
  preview.keptRows.sort((a, b) => (a.key < b.key ? -1 : 1));
  preview.created = await createdByImport(x, job, dataSet);
  return withNames(x, await withUndoneImports(x, preview));
}

function addToPreview(preview: ImportUndoPreview, row: ImportedRow, isReferenced: (row: InstanceRow) => boolean): void {
  const { now, before, edited } = row;
  const { keep } = planRow(row, isReferenced);
  if (!keep) {
    if (before === undefined || before.removed) preview.removed += 1;
    else if (now.removed) preview.addedBack += 1;
    else preview.restored += 1;
    return;
  }
  preview.kept += 1;
  if (preview.keptRows.length >= KEPT_ROWS_LISTED) return;
  preview.keptRows.push({
    id: now.id,
    key: displayKey(JSON.parse(now.key)),
    reason: edited ? 'EDITED' : 'REFERENCED',
    userId: edited?.userId ?? null,
    userName: null,
    at: edited?.at ?? null,
    job: edited?.jobId !== undefined ? { id: edited.jobId, undoes: null } : null,
  });
}

/** Sets `undoes` of each job that changed a listed row: the import that the job undoes, or null. */
async function withUndoneImports(x: Execution, preview: ImportUndoPreview): Promise<ImportUndoPreview> {
  const undoes = new Map<number, number | null>();
  for (const { job } of preview.keptRows) {
    if (!job || undoes.has(job.id)) continue;
    const { state: bulk } = await x.load(kinds.bulkDecision, streams.bulkDecision(job.id));
    undoes.set(job.id, bulk?.request.undoneJobId ?? null);
  }
  const keptRows = preview.keptRows.map((row) => ({
    ...row,
    job: row.job && { ...row.job, undoes: undoes.get(row.job.id) ?? null },
  }));
  return { ...preview, keptRows };
}

async function withNames(x: Execution, preview: ImportUndoPreview): Promise<ImportUndoPreview> {
  const ids = [...new Set(preview.keptRows.flatMap(({ userId }) => (userId === null ? [] : [userId])))];
  const { rows } = await x.pool.query<{ id: number; name: string }>(
    'SELECT id, coalesce(display_name, username) AS name FROM identity.users WHERE id = ANY($1::bigint[])',
    [ids],
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const keptRows = preview.keptRows.map((row) => ({ ...row, userName: names.get(row.userId ?? 0) ?? null }));
  return { ...preview, keptRows };
}
