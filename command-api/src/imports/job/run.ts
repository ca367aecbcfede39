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
import { existing } from '../../invariants/dependants.ts';
import { existingDataSet, requireNoExclusiveImport } from '../../invariants/exclusive-import.ts';
import { dataSetFor } from '../../runtime/authorise.ts';
import { type CommandLog, type CommandMeta, Execution, type Memory } from '../../runtime/execution.ts';
import type { PacedRun } from '../../runtime/pace.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { type StreamKind, Streams } from '../../runtime/streams.ts';
import { type BucketKeys, bucketKeys, keysBeside } from '../validation/bucket-keys.ts';
import { planImport } from '../validation/plan.ts';
import type { ImportPlan } from '../validation/row-validation.ts';
import type { Asker, ClaimedImport, Lease } from './lease.ts';

export interface ImportFloor {
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
  newPace?: () => PacedRun;
}

interface Schema {
  type: ReferenceType;
  keyFieldIds: readonly number[];
  schemaRevision: number;
}

/** A run that knows its file and its plan. */
export interface Run {
  floor: ImportFloor;
  lease: Lease;
  claimed: ClaimedImport;
  job: ImportJob;
  file: StagedFileView;
  plan: ImportPlan;
  schemaRevision: number;
  keyFieldIds: readonly number[];
  keys: KeyCache;
  paced: PacedRun | undefined;
}

/** Where the keys of buckets are kept while rows are inserted, and how they fold there. */
interface KeyCache {
  streams: Streams;
  kind: StreamKind<BucketKeys, InstanceEvent>;
}

/** What an import of all or nothing took back may be restored by somebody else: it looks at its own rows as well. */
const keyCacheFor = (floor: ImportFloor, job: ImportJob): KeyCache =>
  job.request.allOrNothing
    ? { streams: floor.keys, kind: bucketKeys }
    : { streams: new Streams(floor.store, { cacheBytes: KEY_CACHE_BYTES }), kind: keysBeside(job.jobId) };

/** What the keys of others may take that an import into their data set keeps in memory. */
export const KEY_CACHE_BYTES = 16 * 1024 * 1024;

const IMPORTS = '9b0c8f5e-3c0e-4d59-8d5e-64b0f6b7a6c1';

const FRESH: Memory = { allocated: [], steps: {} };
/** For steps whose decider sees by the state that they were done. */
const NO_LOG: CommandLog = { rememberIds: async () => undefined, rememberStep: async () => undefined };

/** One step of a job, acting as the job's starter unless somebody else asked for it; `step` makes repeating it safe. */
export function stepOf(
  floor: ImportFloor,
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
  return new Execution(meta, options.memory ?? FRESH, { ...floor, log: options.log ?? NO_LOG });
}

const starterOf = ({ startedBy, startedByKey }: ImportJob) =>
  startedByKey === undefined ? { actorId: startedBy } : { actorId: startedBy, apiKeyId: startedByKey };

/** A floor whose buckets are cached as the mode of the import folds them. */
export const bucketsOf = ({ floor, job, keys }: Run): ImportFloor =>
  job.request.mode === 'insert' ? { ...floor, streams: keys.streams } : floor;

/** Whether the first append of a step stands where it was expected to; its command tells. */
export async function wasAppended(
  floor: ImportFloor,
  x: Execution,
  stream: string,
  expected: number,
): Promise<boolean> {
  for await (const event of floor.store.read(stream, expected + 1, 1)) {
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
export async function schemaOf(floor: ImportFloor, job: ImportJob): Promise<Schema> {
  const { state: dataSet } = await floor.streams.load(kinds.dataSet, streams.dataSet(job.dataSetId));
  const { keyFieldIds, typeId } = existingDataSet(dataSet);
  const { state: type } = await floor.streams.load(kinds.referenceType, streams.referenceType(typeId));
  return { type: existing(type), keyFieldIds, schemaRevision: existing(type).schemaRevision };
}

/** Opens a run; refuses when the file is gone or the type does not fit its columns any more. */
export async function openRun(floor: ImportFloor, lease: Lease, job: ImportJob): Promise<Run> {
  const staged = await findStaged(floor.pool, job.request.fileId);
  if (!staged) throw new Refusal('NOT_FOUND', 'The file of this job is gone: upload it again');
  const { type, keyFieldIds, schemaRevision } = await schemaOf(floor, job);
  const plan = planImport(staged.view.columns, job.request.columns, keyFieldIds, type);
  return {
    floor,
    lease,
    claimed: lease.claimed,
    job,
    file: staged.view,
    plan,
    schemaRevision,
    keyFieldIds,
    keys: keyCacheFor(floor, job),
    paced: floor.newPace?.(),
  };
}
