/** The context of an import run: claim, file, plan, and executions on behalf of the user who started the import. */
import {
  activeFields,
  type DataSet,
  type FileProfile,
  type ImportJob,
  type InstanceEvent,
  type InstanceRow,
  type ReferenceType,
  Refusal,
  resolveDraft,
  type StagedFileView,
  streams,
} from '@rdm/contracts';
import { type Access, type ErrorLog, type EventStore, findDraft, type Log, type Pool } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import type { Requester } from '../../bulk/job-lease.ts';
import { findStaged, setStagedView } from '../../file-imports/staged-files.ts';
import { requireType } from '../../invariants/dependants.ts';
import { requireDataSet, requireNoExclusiveImport } from '../../invariants/exclusive-import.ts';
import { loadRowReferences } from '../../invariants/row-references.ts';
import { dataSetFor } from '../../runtime/authorise.ts';
import { type CommandLog, type CommandMeta, Execution, type Memory } from '../../runtime/execution.ts';
import type { StreamKind } from '../../runtime/fold.ts';
import type { PacedCommand } from '../../runtime/pace.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { Streams } from '../../runtime/streams.ts';
import { loadTarget, requireReadyDraft, targetFileOf } from '../drafts/draft-target.ts';
import { type FixPlan, planFixes } from '../drafts/fixes.ts';
import { type BucketKeys, bucketKeys, keysExceptOf } from '../validation/bucket-keys.ts';
import { planImport } from '../validation/plan.ts';
import type { ImportPlan } from '../validation/row-validation.ts';
import type { ClaimedImport, Lease } from './lease.ts';

export interface ImportContext {
  pool: Pool;
  store: EventStore;
  streams: Streams;
  /** The cache of the states of `bucketKeys`; states of other kinds must not use this cache. */
  keyStates: Streams;
  access: Access;
  log: Log;
  errors?: Pick<ErrorLog, 'record'>;
  now: () => Date;
  /** Limits how far an import runs ahead of the read models; omitted where there are no read models. */
  newPace?: () => PacedCommand;
}

interface Schema {
  type: ReferenceType;
  keyFieldIds: readonly number[];
  schemaRevision: number;
}

interface DraftRun {
  profile: FileProfile;
  fixes: FixPlan;
}

/** A run with its file and plan. */
export interface Run {
  context: ImportContext;
  lease: Lease;
  claimed: ClaimedImport;
  job: ImportJob;
  file: StagedFileView;
  plan: ImportPlan;
  /** The profile and fixes of the draft, if the file of the import has a draft. */
  draft: DraftRun | undefined;
  schemaRevision: number;
  keyFieldIds: readonly number[];
  keyCache: KeyCache;
  paced: PacedCommand | undefined;
  /** Loads the references to rows once, and returns the test whether other data refers to a row. */
  rowReferences: () => Promise<(row: InstanceRow) => boolean>;
}

/** The cache of the bucket keys that an insert checks, and the fold of the keys. */
interface KeyCache {
  streams: Streams;
  kind: StreamKind<BucketKeys, InstanceEvent>;
}

/**
 * Returns the cache of the keys that an import checks: the keys of rows that the import did not add. An all-or-nothing
 * import checks all keys, because another user can restore the import's undone rows after a failure.
 */
const keyCacheFor = (context: ImportContext, job: ImportJob): KeyCache =>
  job.request.allOrNothing
    ? { streams: context.keyStates, kind: bucketKeys }
    : { streams: new Streams(context.store, { cacheBytes: KEY_CACHE_BYTES }), kind: keysExceptOf(job.jobId) };

/** The size of the cache for the keys of rows that the import did not add. */
export const KEY_CACHE_BYTES = 16 * 1024 * 1024;

const NAMESPACE = '9b0c8f5e-3c0e-4d59-8d5e-64b0f6b7a6c1';

const EMPTY_MEMORY: Memory = { allocated: [], steps: {} };
/** No step log is needed: the decider recognises steps that are already done. */
const NO_LOG: CommandLog = { rememberIds: async () => undefined, rememberStep: async () => undefined };

/**
 * Returns an execution for one step of a job, on behalf of `by` or of the user who started the job. `step` determines
 * the command id, so that a repeated step is recognised.
 */
export function stepOf(
  context: ImportContext,
  claimed: ClaimedImport,
  job: ImportJob,
  step: string,
  options: { memory?: Memory; log?: CommandLog; by?: Requester } = {},
): Execution {
  const meta: CommandMeta = {
    commandId: uuidv5(`${claimed.jobId}:${step}`, NAMESPACE),
    ...(options.by ?? { ...requesterOf(job), requestId: claimed.requestId }),
    correlationId: claimed.correlationId,
    sourceType: 'IMPORT',
  };
  return new Execution(meta, options.memory ?? EMPTY_MEMORY, { ...context, log: options.log ?? NO_LOG });
}

const requesterOf = ({ startedBy, startedByKey }: ImportJob) =>
  startedByKey === undefined ? { actorId: startedBy } : { actorId: startedBy, apiKeyId: startedByKey };

/** In insert mode, returns the context with the key cache in place of its streams. */
export const contextForMode = ({ context, job, keyCache }: Run): ImportContext =>
  job.request.mode === 'insert' ? { ...context, streams: keyCache.streams } : context;

/** Whether a step was appended: the command of the step caused the event after the expected revision. */
export async function wasAppended(
  context: ImportContext,
  x: Execution,
  stream: string,
  expected: number,
): Promise<boolean> {
  for await (const event of context.store.read(stream, expected + 1, 1)) {
    return event.metadata.$causationId === x.meta.commandId;
  }
  return false;
}

/**
 * Checks against the log that the user who started the job may still write to the data set, and that no other import
 * has locked it. Called at the start and before each piece.
 */
export async function requireAuthorised(x: Execution, job: ImportJob): Promise<DataSet> {
  const dataSet = await dataSetFor(x, job.dataSetId, 'WRITE').catch(async (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    // Throws if the API key was revoked, so that users see this reason first.
    await x.actor();
    const { state } = await x.load(kinds.dataSet, streams.dataSet(job.dataSetId));
    throw new Refusal(
      'FORBIDDEN',
      state?.deleted === false
        ? 'The user who started this job may no longer write to its data set'
        : 'The data set of this job does not exist any more',
    );
  });
  requireNoExclusiveImport(dataSet, job.jobId);
  return dataSet;
}

/** Loads the data set and its type without checking permissions. */
export async function schemaOf(context: ImportContext, job: ImportJob): Promise<Schema> {
  const { state: dataSet } = await context.streams.load(kinds.dataSet, streams.dataSet(job.dataSetId));
  const { keyFieldIds, typeId } = requireDataSet(dataSet);
  const { state: type } = await context.streams.load(kinds.referenceType, streams.referenceType(typeId));
  return { type: requireType(type), keyFieldIds, schemaRevision: requireType(type).schemaRevision };
}

/** Opens a run. Throws if the file is gone or unreadable, a question is open, or the columns do not match the type. */
export async function openRun(context: ImportContext, lease: Lease, job: ImportJob): Promise<Run> {
  const file = (await findStaged(context.pool, job.request.fileId))?.view ?? (await openFileOfDraft(context, job));
  if (!file) throw new Refusal('NOT_FOUND', 'The file of this job is gone: upload it again');
  const { type, keyFieldIds, schemaRevision } = await schemaOf(context, job);
  const planned = planImport(file.columns, columnsOf(job, file), keyFieldIds, type);
  let references: ReturnType<typeof loadRowReferences> | undefined;
  const loadReferences = async () => {
    const { state } = await context.streams.load(kinds.dataSet, streams.dataSet(job.dataSetId));
    return loadRowReferences(context.streams, requireDataSet(state));
  };
  const { plan, draft } = await withDraftSettings(context, job, planned, type, keyFieldIds);
  return {
    context,
    lease,
    claimed: lease.claimed,
    job,
    file,
    plan,
    draft,
    schemaRevision,
    keyFieldIds,
    keyCache: keyCacheFor(context, job),
    paced: context.newPace?.(),
    rowReferences: () => {
      references ??= loadReferences();
      return references;
    },
  };
}

/** Stores and returns the view of the file, for a job that started while the file was being read. */
async function openFileOfDraft(
  { pool, streams: states }: ImportContext,
  job: ImportJob,
): Promise<StagedFileView | undefined> {
  const draft = await findDraft(pool, job.request.fileId);
  if (!draft) return undefined;
  const state = draft.state === 'STARTED' ? 'READY' : draft.state;
  const ready = requireReadyDraft({ ...draft, state }, await loadTarget(states, draft.settings.target));
  const file = targetFileOf(draft, ready, job.dataSetId);
  await setStagedView(pool, file);
  return file;
}

/** The columns of the request, or the suggested columns if the job started while the file was being read. */
const columnsOf = ({ request: { columns } }: ImportJob, { suggestedColumns }: StagedFileView) =>
  Object.keys(columns).length > 0 ? columns : suggestedColumns;

/** Adds the formats and fixes of the draft, if the file of the import has a draft. */
async function withDraftSettings(
  context: ImportContext,
  job: ImportJob,
  plan: ImportPlan,
  type: ReferenceType,
  keyFieldIds: readonly number[],
): Promise<Pick<Run, 'plan' | 'draft'>> {
  const draft = await findDraft(context.pool, job.request.fileId);
  if (!draft?.profile) return { plan, draft: undefined };
  const resolved = resolveDraft(draft.profile, draft.settings, draft.fileName, {
    fields: activeFields(type),
    keyFieldIds,
  });
  const mapped = plan.mapped.map((column) => {
    const format = resolved.columns[column.index]?.format;
    return format ? { ...column, format } : column;
  });
  return {
    plan: { ...plan, mapped, hasNoApostrophes: draft.profile.format !== 'text' },
    draft: { profile: draft.profile, fixes: planFixes(resolved, draft.profile.read.delimiter) },
  };
}
