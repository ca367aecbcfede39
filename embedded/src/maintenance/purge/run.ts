/**
 * Executes a confirmed purge. Nothing is deleted before the manifest is sealed. A later run skips the steps before
 * TOMBSTONES if the manifest is sealed, and the steps before SPACE if the purge waited for an operator.
 */
import {
  PURGES_STREAM,
  type Purge,
  type PurgedStream,
  type PurgePlan,
  type PurgeStep,
  streams as streamNames,
} from '@rdm/contracts';
import { type Client, type EventStore, type Log, type Pool, type Queryable, transaction } from '@rdm/platform';
import type { SigningKey } from '@rdm/platform/identity/signing-key';
import { MaintenanceError } from '../errors.ts';
import { withMaintenanceLock } from '../maintenance-lock.ts';
import type { CommandApi } from '../process/command-api.ts';
import { writeLedger } from './ledger.ts';
import { compareEvents, copyAuditRows, sealManifest } from './manifest.ts';
import { type Projectors, rebuildReadModels } from './read-models.ts';
import type { ReclaimResult } from './reclaim.ts';
import { requireReady } from './requirements.ts';
import { cleanPostgres, databaseBytes, emptyLogFiles } from './space.ts';
import { concernedTables, deleteRows, type TargetPlan } from './tables.ts';

export interface PurgeRunDependencies {
  pool: Pool;
  store: EventStore;
  commandApi: Pick<CommandApi, 'recordPurge' | 'registerPurge'>;
  projectors: Projectors;
  /**
   * Removes the events of the deleted streams from the files of the event store, or returns the command with which the
   * operator of the event store removes them. `client` holds the maintenance lock.
   */
  reclaim: (client: Client, streams: readonly PurgedStream[], signal: AbortSignal) => Promise<ReclaimResult>;
  signingKey: () => SigningKey;
  /** Maximum number of events, or of streams, in one part of a manifest. */
  manifestPartMax: number;
  /** The folder with the ledger. */
  folder: string;
  dataDir: string | undefined;
  /** How long the first step waits for commands, jobs and read models. */
  waitMs: number;
  log: Log;
  onProgress: (progress: { done: number; total: number }) => void;
}

/**
 * Resolves when the purge is complete, has failed, or waits for an operator to reclaim the space. Rejects if the signal
 * is aborted, and with a `MaintenanceError` (`MAINTENANCE_RUNNING`) while a backup, restore, scavenge or another purge
 * runs.
 */
export async function runPurge(deps: PurgeRunDependencies, purge: Purge, signal: AbortSignal): Promise<void> {
  const { pool, commandApi, log } = deps;
  const { purgeId } = purge;
  let step: PurgeStep = 'REQUIREMENTS';
  const enter = async (next: PurgeStep): Promise<void> => {
    signal.throwIfAborted();
    step = next;
    await pool.query('UPDATE command.purge_plans SET step = $2 WHERE purge_id = $1', [purgeId, next]);
    log.info({ purgeId, step: next }, 'A purge begins its next step');
  };
  try {
    await withMaintenanceLock(pool, async (client) => {
      const plan = await loadPlan(pool, purgeId);
      const target = { kind: purge.kind, before: purge.before, plan };
      if (!purge.isSealed) {
        await enter('REQUIREMENTS');
        await storeBytesBefore(pool, purgeId);
        await requireReady({ ...deps, target, purgeId, signal });
        await enter('MANIFEST');
        await makeManifest(deps, client, plan.streams, purge, signal);
      }
      if (!purge.isReclaiming) {
        await enter('TOMBSTONES');
        await register(deps, purge, plan.streams);
        for (const { stream, revision } of plan.streams) {
          signal.throwIfAborted();
          await deps.store.tombstone(stream, revision);
        }
        await enter('TABLES');
        await transaction(pool, async (db) => {
          await deleteRows(db, target);
          await forgetNames(db, purgeId, plan);
        });
        await enter('READ_MODELS');
        if (plan.streams.length > 0) await rebuildReadModels(pool, deps.projectors, signal);
      }
      await enter('SPACE');
      const reclaimed: ReclaimResult =
        plan.streams.length > 0 ? await deps.reclaim(client, plan.streams, signal) : { bytes: 0, leftovers: [] };
      const leftovers = [
        ...('leftovers' in reclaimed ? reclaimed.leftovers : []),
        ...(await cleanPostgres(pool, concernedTables(purge.kind))),
        ...(await emptyLogFiles(deps.dataDir)),
        ...plan.backups.map(({ fileName }) => `The backup ${fileName}: delete it, or wait until it expires.`),
      ];
      await enter('LEDGER');
      await writeLedger(deps.folder, purgeId, plan.streams);
      if ('command' in reclaimed) {
        await commandApi.recordPurge({ type: 'PurgeReclaiming', data: { purgeId, ...reclaimed } });
        return;
      }
      const { kind, counts, reason, confirmedBy } = purge;
      if (confirmedBy === null) throw new Error(`Purge ${purgeId} runs and is not confirmed`);
      await commandApi.recordPurge({
        type: 'PurgeCompleted',
        data: {
          ...{ purgeId, kind, counts, reason, confirmedBy, leftovers },
          bytes: reclaimed.bytes + (await freedBytes(pool, purgeId)),
        },
      });
    });
  } catch (error) {
    const isOccupied = error instanceof MaintenanceError && error.code === 'MAINTENANCE_RUNNING';
    if (signal.aborted || isOccupied) throw error;
    log.warn({ err: error, purgeId, step }, 'A purge failed');
    const problem =
      error instanceof MaintenanceError
        ? error.message
        : 'The step failed for a reason that is in the log of the maintenance process. Resume the purge.';
    await commandApi.recordPurge({ type: 'PurgeFailed', data: { purgeId, step, problem } });
  }
}

type ExecutedPlan = TargetPlan & Pick<PurgePlan, 'backups'>;

async function loadPlan(pool: Pool, purgeId: number): Promise<ExecutedPlan> {
  const { rows } = await pool.query<{ plan: ExecutedPlan | null }>(
    'SELECT plan FROM command.purge_plans WHERE purge_id = $1',
    [purgeId],
  );
  const plan = rows[0]?.plan;
  if (!plan) {
    throw new MaintenanceError('PLAN_CHANGED', 'The plan of this purge is missing: cancel it, and make a new dry run.');
  }
  return plan;
}

/** Removes the names of purged entities from the stored plan. The plan itself is kept until the purge has ended. */
async function forgetNames(db: Queryable, purgeId: number, plan: ExecutedPlan): Promise<void> {
  const nameless = (items: PurgePlan['items']) => items.map((item) => ({ ...item, name: '' }));
  const stored = { ...plan, items: nameless(plan.items), dependants: nameless(plan.dependants) };
  await db.query('UPDATE command.purge_plans SET plan = $2 WHERE purge_id = $1', [purgeId, JSON.stringify(stored)]);
}

async function storeBytesBefore(pool: Pool, purgeId: number): Promise<void> {
  await pool.query('UPDATE command.purge_plans SET bytes_before = coalesce(bytes_before, $2) WHERE purge_id = $1', [
    purgeId,
    await databaseBytes(pool),
  ]);
}

/** Returns the number of bytes by which the database has shrunk; 0 if it has grown. */
async function freedBytes(pool: Pool, purgeId: number): Promise<number> {
  const { rows } = await pool.query<{ before: number | null }>(
    'SELECT bytes_before AS before FROM command.purge_plans WHERE purge_id = $1',
    [purgeId],
  );
  return Math.max(0, (rows[0]?.before ?? 0) - (await databaseBytes(pool)));
}

/**
 * Compares the events of the streams with the audit rows, and lists the events in a sealed manifest. The manifest is
 * empty if the purge only deletes rows of tables.
 */
async function makeManifest(
  { store, commandApi, signingKey, manifestPartMax, onProgress }: PurgeRunDependencies,
  client: Parameters<typeof copyAuditRows>[0],
  streams: readonly PurgedStream[],
  purge: Purge,
  signal: AbortSignal,
): Promise<void> {
  const { purgeId } = purge;
  await copyAuditRows(client, streams);
  const total = streams.reduce((sum, { revision }) => sum + revision + 1, 0);
  let done = 0;
  const onCompared = (events: number) => {
    done += events;
    onProgress({ done, total });
  };
  await compareEvents(client, store, streams, onCompared, signal);
  const seal = await sealManifest(client, streams, purge, signingKey(), manifestPartMax, (part) =>
    commandApi.recordPurge({ type: 'PurgeManifestPart', data: { purgeId, ...part } }),
  );
  await client.query('DROP TABLE purged_events');
  await commandApi.recordPurge({ type: 'PurgeManifestSealed', data: seal });
  await requireRecorded(store, streamNames.purge(purgeId), 'PurgeManifestSealed', purgeId);
}

/** Throws NOT_READY if the event is not in the log, for example because the purge was cancelled meanwhile. */
async function requireRecorded(store: EventStore, stream: string, eventType: string, purgeId: number): Promise<void> {
  for await (const { type, data } of store.read(stream)) {
    if (type === eventType && (data as { purgeId: number }).purgeId === purgeId) return;
  }
  throw new MaintenanceError('NOT_READY', 'The step was not recorded. Resume the purge, or make a new dry run.');
}

/** Registers a purge of streams in the stream `system-purges`, so that readers of the log find the manifest. */
async function register(
  { store, commandApi }: PurgeRunDependencies,
  { purgeId }: Purge,
  streams: readonly PurgedStream[],
): Promise<void> {
  if (streams.length === 0) return;
  let firstSeq: number | undefined;
  let lastSeq = 0;
  let events = 0;
  for await (const { type, data } of store.read(streamNames.purge(purgeId))) {
    if (type !== 'PurgeManifestPart') continue;
    const { events: listed } = data as { events: { seq: number }[] };
    events += listed.length;
    firstSeq ??= listed[0]?.seq;
    lastSeq = listed.at(-1)?.seq ?? lastSeq;
  }
  if (firstSeq === undefined) throw new Error(`The manifest of purge ${purgeId} names no event`);
  await commandApi.registerPurge({ purgeId, events, firstSeq, lastSeq });
  await requireRecorded(store, PURGES_STREAM, 'PurgeRegistered', purgeId);
}
