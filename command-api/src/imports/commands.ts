/** Commands that start, cancel and retry imports. */
import {
  type DraftSettings,
  type ImportJob,
  importDescription,
  noCounts,
  Refusal,
  type ResolvedColumn,
  type StagedFileView,
  type StartImport,
  streams,
  type TypeField,
  WORDS,
} from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { cancelBulk, refuseRetry } from '../bulk/cancel.ts';
import type { Requester } from '../bulk/job-lease.ts';
import { requireNoUndo } from '../bulk/start.ts';
import { findStaged, setStagedView } from '../file-imports/staged-files.ts';
import { requireType } from '../invariants/dependants.ts';
import { requireNoExclusiveImport } from '../invariants/exclusive-import.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import type { CommandAnswer } from '../runtime/command-answer.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { existingJob, requestImport, requireRunning, retryImport } from './decider.ts';
import { type Creators, createTarget } from './drafts/create-target.ts';
import { markStarted, rememberColumns, requireDraft, requireNotStarted } from './drafts/draft-store.ts';
import { loadTarget as loadDraftTarget, requireReadyDraft, targetFileOf } from './drafts/draft-target.ts';
import { undoImport } from './undo/commands.ts';
import { planImport } from './validation/plan.ts';

export const start = command<{ fileId: string; body: StartImport }>('StartImport', async (x, { fileId, body }) => {
  const staged = await findStaged(x.pool, fileId);
  if (!staged || staged.ownerId !== x.ownerId) {
    throw new Refusal('NOT_FOUND', WORDS.uploadGone);
  }
  const jobIds = await x.allocate('job_ids', 3);
  return requestJob(x, staged.view, jobIds, {
    ...body,
    jobType: 'DATASET_INSTANCES_IMPORT',
    columns: body.columns ?? staged.view.suggestedColumns,
  });
});

type Settings = Omit<StartImport, 'columns'> &
  Pick<ImportJob['request'], 'jobType' | 'columns'> &
  Partial<Pick<ImportJob['request'], 'format' | 'fixes'>>;

/** Adds the ids of new fields to the columns, so that the next file fills these fields even after a rename. */
const withFieldIds = (columns: readonly ResolvedColumn[], type: { fields: readonly TypeField[] }): ResolvedColumn[] =>
  columns.map((column) => {
    const fieldId = column.field?.fieldId ?? type.fields.find(({ name }) => name === column.field?.name)?.fieldId;
    return column.field && fieldId !== undefined ? { ...column, field: { ...column.field, fieldId } } : column;
  });

/** Requests the job that imports a file into its data set. */
async function requestJob(
  x: Execution,
  view: StagedFileView,
  jobIds: readonly number[],
  settings: Settings,
): Promise<CommandAnswer> {
  const { dataSet, type } = await loadTarget(x, view.dataSetId);
  requireNoExclusiveImport(dataSet);
  // A file that is still being read has no columns yet: the job checks the columns later.
  if (view.columns.length > 0) planImport(view.columns, settings.columns, dataSet.keyFieldIds, type);
  const [jobId, validationJobId, importJobId] = jobIds as [number, number, number];
  const { id: fileId, hash: fileHash, delimiter, encoding, hasHeader } = view;
  await x.change(kinds.importJob, streams.importJob(jobId), [dataSet.id], (job) =>
    requestImport(job, {
      jobId,
      dataSetId: dataSet.id,
      fileId,
      fileHash,
      delimiter,
      encoding,
      hasHeader,
      ...settings,
    }),
  );
  await x.pool.query(
    `WITH import AS (
       INSERT INTO command.imports (job_id, file_id, validation_job_id, import_job_id, correlation_id, request_id, data_set_id)
       VALUES ($1, $4, $2, $3, $5, $6, $8) ON CONFLICT DO NOTHING)
     INSERT INTO jobs.progress (job_id, parent_job_id, phase, status, counts)
     VALUES ($1, NULL, 'VALIDATION', 'PENDING', $7), ($2, $1, 'VALIDATION', 'PENDING', $7), ($3, $1, 'IMPORT', 'PENDING', $7)
     ON CONFLICT DO NOTHING`,
    [
      ...[jobId, validationJobId, importJobId, fileId, x.meta.correlationId, x.meta.requestId],
      ...[JSON.stringify(noCounts()), dataSet.id],
    ],
  );
  return { status: 202, body: { jobId } };
}

/** Creates the data set, type and collection that the import of a draft needs, and starts the import. */
export const startDraftCommand = (creators: Creators) =>
  command<{ fileId: string; body: Pick<StartImport, 'description'> }>(
    'StartDraft',
    async (x, { fileId, body: { description } }) => {
      const draft = await requireDraft(x.pool, fileId, x.ownerId);
      const jobIds = await x.allocate('job_ids', 3);
      const [jobId] = jobIds as [number];
      requireNotStarted(draft, jobId);
      const { target } = draft.settings;
      if (target?.kind === 'dataSet') await dataSetFor(x, target.dataSetId);
      // An earlier run of this command may have started the import before a crash.
      const isStarted = draft.state === 'STARTED';
      const ready = requireReadyDraft(
        isStarted ? { ...draft, state: 'READY' } : draft,
        await loadDraftTarget(x, target),
      );
      const { resolved, profile, dataSet, target: rowsTarget } = ready;
      if (dataSet) requireNoExclusiveImport(dataSet);
      const dataSetId =
        rowsTarget.kind === 'dataSet' ? rowsTarget.dataSetId : await createTarget(x, rowsTarget, ready, creators);
      await markStarted(x.pool, draft.id, jobId, ['READY']);
      const view = targetFileOf(draft, ready, dataSetId);
      await setStagedView(x.pool, view);
      const { type } = await loadTarget(x, dataSetId);
      await rememberColumns(x.pool, dataSetId, withFieldIds(resolved.columns, type));
      const { mode, allOrNothing } = resolved;
      const { body } = await requestJob(x, view, jobIds, {
        jobType: rowsTarget.kind === 'dataSet' ? 'DATASET_INSTANCES_IMPORT' : 'REFERENCE_DATA_IMPORT',
        description,
        ...{ mode, columns: view.suggestedColumns, allOrNothing, format: profile.format, fixes: resolved.fixes.length },
      });
      return { status: 202, body: { ...body, dataSetId } };
    },
  );

/**
 * Starts the import of a file that may not have been read yet. The job waits for the reading, and fails if the file has
 * unanswered questions.
 */
export const startUpload = command<{ fileId: string; replayKey: string }>(
  'StartUpload',
  async (x, { fileId, replayKey }) => {
    const draft = await requireDraft(x.pool, fileId, x.ownerId);
    const jobIds = await x.allocate('job_ids', 3);
    const [jobId] = jobIds as [number];
    requireNotStarted(draft, jobId);
    const { id, fileName, size, hash, settings } = draft;
    const dataSetId = requireDataSetTarget(settings);
    requireNoExclusiveImport(await dataSetFor(x, dataSetId));
    await markStarted(x.pool, id, jobId, ['READING', 'READY', 'REFUSED']);
    const view: StagedFileView = {
      ...{ id, dataSetId, fileName, size, hash, format: 'csv', delimiter: ',', encoding: 'utf-8', hasHeader: true },
      ...{ columns: [], suggestedColumns: {}, sample: [] },
    };
    const answer = await requestJob(x, view, jobIds, {
      ...{ jobType: 'DATASET_INSTANCES_IMPORT', columns: {}, mode: settings.mode ?? 'upsert' },
      allOrNothing: settings.allOrNothing ?? false,
      description: settings.description || importDescription(fileName),
    });
    await x.pool.query('UPDATE command.imports SET replay_key = $2 WHERE job_id = $1', [jobId, replayKey]);
    return answer;
  },
);

/** Returns the id of the existing data set that the settings name. Throws INVALID if there is none. */
export function requireDataSetTarget({ target }: DraftSettings): number {
  if (target?.kind === 'dataSet') return target.dataSetId;
  throw new Refusal('INVALID', 'To start the import with its upload, name the dataSetId of an existing data set');
}

/** A repeated import is answered with the job of the first import for this many days. */
const REPLAYED_DAYS = 30;

/**
 * Returns the id of the completed job with the same file, target and settings. Ignores a job that is too old or undone.
 * Also ignores a job if a different import into the data set followed and has not failed.
 */
export async function findReplayed(x: Execution, replayKey: string): Promise<number | undefined> {
  const { rows } = await x.pool.query<{ jobId: number }>(
    `SELECT i.job_id AS "jobId" FROM command.imports i JOIN jobs.progress p ON p.job_id = i.job_id
      WHERE i.replay_key = $1 AND coalesce(p.ended_at, now()) > now() - $2 * interval '1 day'
        AND p.status NOT IN ('FAILED', 'CANCELLED')
        AND NOT EXISTS (
          SELECT FROM command.imports later JOIN jobs.progress l ON l.job_id = later.job_id
           WHERE later.data_set_id = i.data_set_id AND later.job_id > i.job_id
             AND later.replay_key IS DISTINCT FROM i.replay_key AND l.status <> 'FAILED')
      ORDER BY i.job_id DESC LIMIT 1`,
    [replayKey, REPLAYED_DAYS],
  );
  const jobId = rows[0]?.jobId;
  if (jobId === undefined) return undefined;
  // The table `jobs.progress` shows the end of a job later than the stream of the job.
  const { state } = await x.load(kinds.importJob, streams.importJob(jobId));
  return state?.status === 'DONE' && !('undone' in state) ? jobId : undefined;
}

/**
 * Requests the cancellation of a job, which stops before the next piece. Only an all-or-nothing import undoes rows that
 * it has imported.
 */
export const cancel = command<{ jobId: number }>('CancelImport', async (x, { jobId }) => {
  const bulkAnswer = await cancelBulk(x, jobId);
  if (bulkAnswer) return bulkAnswer;
  requireRunning(await requireJob(x, jobId));
  const { actorId, apiKeyId, requestId } = x.meta;
  const by: Requester = { actorId, ...(apiKeyId === undefined ? {} : { apiKeyId }), requestId };
  await x.pool.query('UPDATE command.imports SET cancellation = coalesce(cancellation, $2) WHERE job_id = $1', [
    jobId,
    JSON.stringify(by),
  ]);
  return { status: 202, body: { jobId } };
});

export const retry = command<{ jobId: number }>('RetryImport', async (x, { jobId }) => {
  const { state: bulk } = await x.load(kinds.bulkDecision, streams.bulkDecision(jobId));
  // A failed undo is retried as a new job, which skips rows that are already undone.
  if (bulk?.request.undoneJobId !== undefined && bulk.status === 'FAILED') {
    return undoImport.run(x, { jobId: bulk.request.undoneJobId });
  }
  await refuseRetry(x, jobId);
  const job = await requireJob(x, jobId);
  await requireNoUndo(x.pool, jobId, x.meta.commandId);
  const { type } = await loadTarget(x, job.dataSetId);
  if (job.status === 'FAILED' && !(await findStaged(x.pool, job.request.fileId))) {
    throw new Refusal('CONFLICT', 'The file of this job is gone: upload it again');
  }
  await x.change(kinds.importJob, streams.importJob(jobId), [job.dataSetId], (state) =>
    retryImport(state, type.schemaRevision),
  );
  await requeue(x.pool, jobId);
  return { status: 202, body: { jobId } };
});

/**
 * Queues a failed job again. Its status in `jobs.progress` can still be IN_PROGRESS, because this table shows a failure
 * later than the stream of the job.
 */
async function requeue(pool: Pool, jobId: number): Promise<void> {
  await pool.query(
    `WITH parent AS (
       UPDATE jobs.progress SET status = 'PENDING', ended_at = NULL, leased_until = NULL, leased_by = NULL
        WHERE job_id = $1 AND status IN ('FAILED', 'IN_PROGRESS') RETURNING job_id),
     import AS (
       UPDATE command.imports
          SET failures = 0, memory_failures = 0, memory_place = NULL, cancellation = NULL, ending = NULL
        WHERE job_id IN (SELECT job_id FROM parent))
     UPDATE jobs.progress SET status = 'PENDING', ended_at = NULL
      WHERE parent_job_id IN (SELECT job_id FROM parent) AND status <> 'DONE'`,
    [jobId],
  );
}

/** Returns the job. Throws if the job does not exist, or if the user lacks the route's level on the data set. */
async function requireJob(x: Execution, jobId: number): Promise<ImportJob> {
  const { state } = await x.load(kinds.importJob, streams.importJob(jobId));
  const job = existingJob(state);
  await dataSetFor(x, job.dataSetId);
  return job;
}

async function loadTarget(x: Execution, dataSetId: number) {
  const dataSet = await dataSetFor(x, dataSetId);
  const { state } = await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId));
  return { dataSet, type: requireType(state) };
}
