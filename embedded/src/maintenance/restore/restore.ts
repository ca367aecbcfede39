/**
 * Restores a backup into the data folder: fills new stores in a prepared folder, then replaces the live stores with
 * them.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createPool, transaction } from '@rdm/platform';
import { readRegisteredPurges } from '@rdm/platform/event-store/purge-log';
import { syncDirectory } from '../../event-store/storage/disk.ts';
import { readOrCreateSecrets } from '../../launcher/secrets.ts';
import type { Settings } from '../../launcher/settings.ts';
import { startPostgres } from '../../postgres/postgres.ts';
import { type CompletedBackup, createBackup } from '../backup.ts';
import { MaintenanceError } from '../errors.ts';
import type { BackupTrailer } from '../format/entries.ts';
import { type FreeSpace, freeSpaceOf, outOfSpace, withFreeSpace } from '../free-space.ts';
import { fingerprintOf } from '../signature.ts';
import { openStores } from '../stopped-product.ts';
import { type VerifiedBackup, verifyFile } from '../verify-file.ts';
import { recordBackups } from './backups-record.ts';
import { buildReadModels } from './build-read-models.ts';
import { accessOf, applyCarryOver, type CarryOver, readCarryOver } from './carry-over.ts';
import {
  type CompletionStep,
  completeRestore,
  isRestorePlanned,
  planRestore,
  preparedFolder,
  RESTORED_KEY,
  STORES,
  syncFile,
} from './complete.ts';
import { correctTables } from './corrections.ts';
import { type FillResult, fillStores, type NewStores } from './fill-stores.ts';
import { continueSequences, requireKnownSchema } from './new-database.ts';
import { type NewLog, openNewLog } from './new-log.ts';
import { purgesInLedger, requireNothingPurged } from './purged-since.ts';

/** The progress within a phase. */
export interface PhaseProgress {
  done: number;
  total: number;
}

/** The steps after which tests end the process. */
export type RestoreStep = 'verified' | 'filled' | 'saved' | 'prepared' | CompletionStep;

export interface RestoreOptions {
  /**
   * The settings of the product. Without `stopProduct`, the product must be stopped, and the caller must hold the lock
   * of the data folder.
   */
  settings: Settings;
  /**
   * Set if the product is running. Called when the new stores are filled. When it resolves, the product is stopped and
   * the caller holds the lock of the data folder.
   */
  stopProduct?: (() => Promise<void>) | undefined;
  env: NodeJS.ProcessEnv;
  file: string;
  /** The folder of the backups, in which the safety backup (of the data that are replaced) is made. */
  backupDir: string;
  /** Whether to replace existing data. If false, existing data are an error. */
  replace: boolean;
  /** Whether to restore data that were purged after the backup was made. If false, such data are an error. */
  withPurged: boolean;
  /** Whether users who changed their password after the backup must choose a new one at their next sign-in. */
  requireNewPasswords: boolean;
  passphrase: string | undefined;
  /** The passphrase of the safety backup; if undefined, it is not encrypted. */
  safetyPassphrase: string | undefined;
  trustedKeys: readonly string[];
  trustFileKey: boolean;
  productVersion: string;
  signal: AbortSignal;
  onProgress?: (progress: { phase: string } & PhaseProgress) => void;
  onStep?: (step: RestoreStep, store?: string) => void;
  /** Replaced by tests. */
  freeSpace?: FreeSpace;
}

export interface RestoreResult {
  trailer: BackupTrailer;
  /** The backup of the replaced data; undefined if no data were replaced. */
  safety: CompletedBackup | undefined;
}

/**
 * Restores a backup. If it rejects before the restore is planned, for example with a `MaintenanceError` or the reason
 * of the signal, the live data are unchanged. If it rejects later, the next start completes the restore.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { settings, replace, signal, stopProduct, onStep = () => {} } = options;
  const { dataDir, databaseUrl, eventStoreUrl } = settings;
  if (databaseUrl !== undefined || eventStoreUrl !== undefined) {
    const message =
      'One of DATABASE_URL and EVENTSTORE_URL names a server of your own, and the other store is the embedded one. Set both to empty servers, or unset both.';
    throw new MaintenanceError('RESTORE_NOT_HERE', message);
  }
  // If the product is running, its start has completed earlier restores already.
  if (!stopProduct) await completeRestore(dataDir);
  const hasData = STORES.some((store) => existsSync(join(dataDir, store)));
  if (hasData && !replace) {
    const message = `${dataDir} holds data. Add --replace to replace them: a backup of them is made first. Or set DATA_DIR to a new folder.`;
    throw new MaintenanceError('DATA_EXIST', message);
  }
  const verified = await verify(options);
  onStep('verified');
  const id = randomBytes(4).toString('hex');
  const folder = preparedFolder(dataDir, id);
  const saved: { live?: LiveData } = {};
  let isPlanned = false;
  try {
    mkdirSync(folder, { mode: 0o700 });
    await prepare(options, folder, verified, async () => {
      onStep('filled');
      await stopProduct?.();
      if (hasData) saved.live = await saveLiveData(options, verified);
      onStep('saved');
      return saved.live;
    });
    signal.throwIfAborted();
    onStep('prepared');
    planRestore(dataDir, id);
    isPlanned = true;
    await completeRestore(dataDir, onStep);
    return { trailer: verified.trailer, safety: saved.live?.safety };
  } catch (error) {
    if (!isPlanned && !isRestorePlanned(dataDir)) {
      rmSync(folder, { recursive: true, force: true });
      if (saved.live) rmSync(join(options.backupDir, saved.live.safety.fileName), { force: true });
    }
    throw error;
  }
}

/** Checks the backup, the free space and the folder before anything is written. */
async function verify(options: RestoreOptions): Promise<VerifiedBackup> {
  const { settings, file, freeSpace = freeSpaceOf, onProgress } = options;
  const { dataDir } = settings;
  const { passphrase, trustedKeys, trustFileKey, signal } = options;
  const verified = await verifyFile(file, {
    ...{ passphrase, trustedKeys, trustFileKey, signal },
    ...(onProgress && { onProgress: ({ done, total }) => onProgress({ phase: 'verifying', done, total }) }),
  });
  requireKnownSchema(verified.header);
  if (!options.withPurged) requireNothingPurged(await purgesInLedger(options.backupDir), verified.trailer);
  const needed = 2 * verified.trailer.entries.reduce((sum, { bytes }) => sum + bytes, 0);
  const { free } = await freeSpace(dataDir);
  if (free < needed) throw outOfSpace(dataDir, `${free} bytes are free and ${needed} are needed`);
  const device = statSync(dataDir).dev;
  for (const store of STORES) {
    const path = join(dataDir, store);
    if (!existsSync(path) || statSync(path).dev === device) continue;
    const message = `${path} is on another file system than ${dataDir}, so a restore cannot replace it in one step. Move its data to the file system of ${dataDir}, then restore again.`;
    throw new MaintenanceError('RESTORE_NOT_HERE', message);
  }
  return verified;
}

interface LiveData {
  safety: CompletedBackup;
  carryOver: CarryOver;
}

async function saveLiveData(options: RestoreOptions, { header, trailer }: VerifiedBackup): Promise<LiveData> {
  const { settings, env, backupDir, safetyPassphrase, productVersion, signal, onProgress } = options;
  const stores = await openStores(settings, env);
  try {
    const { pool, store, source, signingKeyFile, sessionSecret } = stores;
    // The log also has purges that were interrupted before they were written to the ledger.
    if (!options.withPurged) requireNothingPurged((await readRegisteredPurges(store)).keys(), trailer);
    const safety = await createBackup({
      ...{ pool, source, signingKeyFile, sessionSecret, productVersion, signal },
      id: 'before_restore',
      folder: backupDir,
      passphrase: safetyPassphrase,
      acceptsMissingEvents: true,
      pauseFactor: 0,
      ...(onProgress && { onProgress: ({ done, total }) => onProgress({ phase: 'safety backup', done, total }) }),
    });
    const carryOver = await readCarryOver(stores, header.createdAt);
    return { safety, carryOver: options.requireNewPasswords ? carryOver : { ...carryOver, changedPasswords: [] } };
  } finally {
    await stores.close();
  }
}

/**
 * Fills the prepared folder, then corrects it with the live data that `saveLive` returns. Afterwards the folder needs
 * no further changes before it replaces the live stores.
 */
async function prepare(
  options: RestoreOptions,
  folder: string,
  verified: VerifiedBackup,
  saveLive: () => Promise<LiveData | undefined>,
): Promise<void> {
  const { settings, file, passphrase, signal, stopProduct, onProgress } = options;
  const progressOf = (phase: string) => onProgress && ((progress: PhaseProgress) => onProgress({ phase, ...progress }));
  const directory = join(folder, 'event-store');
  const { url, stop } = await startPostgres({ dir: join(folder, 'postgres'), log: () => {} });
  try {
    const pool = createPool(url, { max: 2, name: 'restore' });
    try {
      const fill = async (signal: AbortSignal): Promise<FillResult> => {
        const onKey = (pem: string) => writeFileSync(join(folder, RESTORED_KEY), pem, { mode: 0o600, flush: true });
        const fillOptions = { file, passphrase, signal, onProgress: progressOf('restoring') };
        return withLog(directory, (log) => fillStores(fillOptions, { url, pool, log, onKey }, verified));
      };
      const fillWhileServing = async (signal: AbortSignal): Promise<FillResult> => {
        const filled = await fill(signal);
        const { seq } = verified.trailer.cut;
        await buildReadModels({ directory, url, pool, seq, signal, onProgress: progressOf('read models') });
        await pool.query('CHECKPOINT'); // makes the later stop of the server faster
        return filled;
      };
      const filled = stopProduct ? await withFreeSpace(folder, signal, fillWhileServing) : await fill(signal);
      const live = await saveLive();
      const secretFingerprint = fingerprintOf(readOrCreateSecrets(settings.dataDir).sessionSecret);
      await withLog(directory, (log) =>
        correctStores(options, { pool, log }, verified, { filled, live, secretFingerprint }),
      );
    } finally {
      await pool.end();
    }
  } finally {
    await stop();
  }
  syncFile(join(folder, 'postgres', 'embedded.json'));
  for (const store of STORES) syncDirectory(join(folder, store));
}

async function withLog<Result>(directory: string, work: (log: NewLog) => Promise<Result>): Promise<Result> {
  const log = await openNewLog(directory);
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

/** Corrects the tables of filled stores, and records the restore in the log. */
export async function correctStores(
  { file, backupDir }: Pick<RestoreOptions, 'file' | 'backupDir'>,
  { pool, log }: Pick<NewStores, 'pool' | 'log'>,
  verified: VerifiedBackup,
  { filled, live, secretFingerprint }: { filled: FillResult; live: LiveData | undefined; secretFingerprint: string },
): Promise<void> {
  const { header } = verified;
  const cause = randomUUID();
  const fileName = basename(file);
  const isKept = resolve(dirname(file)) === resolve(backupDir);
  await transaction(pool, async (client) => {
    await continueSequences(client, live?.carryOver.sequences);
    // The record of the restored backup comes first, because it must be the first event after the cut.
    const known = live?.carryOver.backups.filter(({ file }) => existsSync(join(backupDir, file.fileName))) ?? [];
    const restored = { fileName, isKept, verified };
    await recordBackups(client, log, { restored, known, safety: live?.safety }, cause);
    await correctTables(client, {
      ...filled,
      ...{ access: await accessOf(log), log, cause },
      madeAt: header.createdAt,
      hasSameSecret: header.sessionSecretFingerprint === secretFingerprint,
    });
    if (live) await applyCarryOver(client, log, live.carryOver, cause);
  });
}
