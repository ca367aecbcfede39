/** What one run of an import works with: its claim, its file, its plan, and how it speaks to the log as its starter. */
import {
  type DataSet,
  type ImportJob,
  type InstanceEvent,
  type ReferenceType,
  Refusal,
  type StagedFileView,
  streams,
} from '@rdm/contracts';
import type { Access, ErrorLog, EventStore, Log, Pool } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import { findStaged } from '../../file-imports/staged-files.ts';
import { requireType } from '../../invariants/dependants.ts';
import { requireDataSet, requireNoExclusiveImport } from '../../invariants/exclusive-import.ts';
import { dataSetFor } from '../../runtime/authorise.ts';
import { type CommandLog, type CommandMeta, Execution, type Memory } from '../../runtime/execution.ts';
import type { PacedCommand } from '../../runtime/pace.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { type StreamKind, Streams } from '../../runtime/streams.ts';
import { type BucketKeys, bucketKeys, keysBeside } from '../validation/bucket-keys.ts';
import { planImport } from '../validation/plan.ts';
import type { ImportPlan } from '../validation/row-validation.ts';
import type { Asker, ClaimedImport, Lease } from './lease.ts';

export interface ImportContext {
  pool: Pool;
  store: EventStore;
  streams: Streams;
  /** Buckets of which only the keys are kept (known-keys.ts): nobody else may look at them. */
  keys: Streams;
  access: Access;
  log: Log;
  errors?: Pick<ErrorLog, 'record'>;
  now: () => Date;
  /** Keeps an import close to the read models; left out where nothing projects what is imported. */
  newPace?: () => PacedCommand;
}

interface Schema {
  type: ReferenceType;
  keyFieldIds: readonly number[];
  schemaRevision: number;
}

/** A run that knows its file and its plan. */
export interface Run {
  context: ImportContext;
  lease: Lease;
  claimed: ClaimedImport;
  job: ImportJob;
  file: StagedFileView;
  plan: ImportPlan;
  schemaRevision: number;
  keyFieldIds: readonly number[];
  keys: KeyCache;
  paced: PacedCommand | undefined;
}

/** Where the keys of buckets are kept while rows are inserted, and how they fold there. */
interface KeyCache {
  streams: Streams;
  kind: StreamKind<BucketKeys, InstanceEvent>;
}

/** What an import of all or nothing took back may be restored by somebody else: it looks at its own rows as well. */
const keyCacheFor = (context: ImportContext, job: ImportJob): KeyCache =>
  job.request.allOrNothing
    ? { streams: context.keys, kind: bucketKeys }
    : { streams: new Streams(context.store, { cacheBytes: KEY_CACHE_BYTES }), kind: keysBeside(job.jobId) };

/** What the keys of others may take that an import into their data set keeps in memory. */
export const KEY_CACHE_BYTES = 16 * 1024 * 1024;

const IMPORTS = '9b0c8f5e-3c0e-4d59-8d5e-64b0f6b7a6c1';

const FRESH: Memory = { allocated: [], steps: {} };
/** For steps whose decider sees by the state that they were done. */
const NO_LOG: CommandLog = { rememberIds: async () => undefined, rememberStep: async () => undefined };

/** One step of a job, acting as the job's starter unless somebody else asked for it; `step` makes repeating it safe. */
export function stepOf(
  context: ImportContext,
  claimed: ClaimedImport,
  job: ImportJob,
  step: string,
  options: { memory?: Memory; log?: CommandLog; by?: Asker } = {},
): Execution {
  const meta: CommandMeta = {
    commandId: uuidv5(`${claimed.jobId}:${step}`, IMPORTS),
    ...(options.by ?? { ...starterOf(job), requestId: claimed.requestId }),
    correlationId: claimed.correlationId,
    sourceType: 'IMPORT',
  };
  return new Execution(meta, options.memory ?? FRESH, { ...context, log: options.log ?? NO_LOG });
}

const starterOf = ({ startedBy, startedByKey }: ImportJob) =>
  startedByKey === undefined ? { actorId: startedBy } : { actorId: startedBy, apiKeyId: startedByKey };

/** A context whose buckets are cached as the mode of the import folds them. */
export const bucketsOf = ({ context, job, keys }: Run): ImportContext =>
  job.request.mode === 'insert' ? { ...context, streams: keys.streams } : context;

/** Whether the first append of a step stands where it was expected to; its command tells. */
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

/** Whether the starter may still write here, asked of the log before each append; refuses if not. */
export async function authorised(x: Execution, job: ImportJob): Promise<DataSet> {
  const dataSet = await dataSetFor(x, job.dataSetId, 'WRITE').catch(async (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    // A key that is good no more is the reason itself, also when it went this very moment.
    await x.actor();
    const { state } = await x.load(kinds.dataSet, streams.dataSet(job.dataSetId));
    throw new Refusal(
      'FORBIDDEN',
      state?.deleted === false
        ? 'Whoever started this job may not write to its data set any more'
        : 'The data set of this job does not exist any more',
    );
  });
  requireNoExclusiveImport(dataSet, job.jobId);
  return dataSet;
}

/** The data set and its type as the log has them, whoever may look. */
export async function schemaOf(context: ImportContext, job: ImportJob): Promise<Schema> {
  const { state: dataSet } = await context.streams.load(kinds.dataSet, streams.dataSet(job.dataSetId));
  const { keyFieldIds, typeId } = requireDataSet(dataSet);
  const { state: type } = await context.streams.load(kinds.referenceType, streams.referenceType(typeId));
  return { type: requireType(type), keyFieldIds, schemaRevision: requireType(type).schemaRevision };
}

/** Opens a run; refuses when the file is gone or the type does not fit its columns any more. */
export async function openRun(context: ImportContext, lease: Lease, job: ImportJob): Promise<Run> {
  const staged = await findStaged(context.pool, job.request.fileId);
  if (!staged) throw new Refusal('NOT_FOUND', 'The file of this job is gone: upload it again');
  const { type, keyFieldIds, schemaRevision } = await schemaOf(context, job);
  const plan = planImport(staged.view.columns, job.request.columns, keyFieldIds, type);
  return {
    context,
    lease,
    claimed: lease.claimed,
    job,
    file: staged.view,
    plan,
    schemaRevision,
    keyFieldIds,
    keys: keyCacheFor(context, job),
    paced: context.newPace?.(),
  };
}
