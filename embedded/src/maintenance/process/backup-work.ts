/**
 * Does the work on backups, one piece at a time: makes and verifies backups, deletes the files of deleted backups, and
 * starts scheduled backups. Reads the stream `system-backups` to its end before each piece, so that the work continues
 * after a restart.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backup, BackupEvent, Backups, Verification, VerificationLevel } from '@rdm/contracts';
import type { EventStore, Log, Pool } from '@rdm/platform';
import { BACKUP_PASSPHRASE, unseal } from '@rdm/platform/identity/sealing';
import { type CompletedBackup, createBackup, removeUnfinished } from '../backup.ts';
import { MaintenanceError } from '../errors.ts';
import type { LogSource } from '../log-source.ts';
import { deleteScratchFolders } from '../restore/complete.ts';
import { verifyFile } from '../verify-file.ts';
import { verifyByRestore } from '../verify-restore.ts';
import { openBackupStream } from './backup-stream.ts';
import type { CommandApi, Outcome } from './command-api.ts';
import { openProgress } from './progress.ts';
import { expiredBackups, expiryTimes, isOverdue, nextBackupAt, nextRestoreCheckOf } from './schedule.ts';

const POLL_MS = 1_000;
const RETRY_MS = 5_000;

export interface BackupWorkDependencies {
  pool: Pool;
  store: EventStore;
  source: LogSource;
  commandApi: CommandApi;
  log: Log;
  folder: string;
  /** The data folder; undefined if the stores are not embedded. No backup can then be verified by a restore. */
  dataDir: string | undefined;
  sessionSecret: string;
  /** PEM file of the private key that signs backups; undefined if none is set. */
  signingKeyFile: string | undefined;
  /** PEM public keys whose signatures this installation accepts. */
  trustedKeys: () => Promise<string[]>;
  productVersion: string;
  /** The passphrase of backups that are requested without one; if undefined, these backups are not encrypted. */
  passphrase: string | undefined;
  now: () => Date;
}

export interface BackupWork {
  /** Returns the current state of a backup; undefined if there is no backup with this id. */
  backup(id: number): Promise<Backup | undefined>;
  /** Returns the file name of the backup with this SHA-256, if there is one. */
  nameOf(sha256: string): Promise<string | undefined>;
  /** Returns when the next scheduled backup starts; null for none. */
  nextAt(): Date | null;
  /** Returns when the retention deletes backups, by their ids; see `expiryTimes` in schedule.ts. */
  expiryTimes(): Promise<Map<number, Date>>;
  /** Whether two scheduled backups are missing; see `isOverdue` in schedule.ts. */
  isOverdue(): boolean;
  /** Returns the time of the newest intact backup (see `BackupTimes.byBackupId`); null if there is none. */
  newestIntactAt(): Date | null;
  stop(): Promise<void>;
}

export function startBackupWork(deps: BackupWorkDependencies): BackupWork {
  const stopping = new AbortController();
  const { signal } = stopping;
  const startedAt = deps.now();
  const stream = openBackupStream(deps.store);
  const { state, times, withOwnPassphrase } = stream;

  function nextAt(): Date | null {
    const scheduled = [...state.backups.values()]
      .filter(({ trigger }) => trigger === 'SCHEDULE')
      .map(({ backupId }) => times.byBackupId.get(backupId)?.getTime() ?? 0);
    const since = new Date(Math.max(times.scheduleChangedAt.getTime(), ...scheduled));
    return nextBackupAt(state.schedule, { since, startedAt });
  }

  /** Does the next piece of work; returns whether there was one. */
  async function workOnce(): Promise<boolean> {
    await stream.read();
    if (await deleteFiles(deps.folder, state.deletedFiles)) return true;
    const runningBackup = [...state.backups.values()].find(({ status }) => status === 'RUNNING');
    if (runningBackup) {
      await makeBackup(deps, runningBackup, signal);
      return true;
    }
    const unchecked = [...state.backups.values()].find(({ status, isChecked }) => status === 'DONE' && !isChecked);
    if (unchecked) {
      await verifyAfterwards(deps, unchecked, signal);
      return true;
    }
    const [verification] = state.verifications.values();
    if (verification) {
      await verify(deps, state, verification, signal);
      return true;
    }
    const expired = state.schedule ? expiredBackups(keptBackups(), state.schedule) : [];
    for (const backupId of expired) await deps.commandApi.expire(backupId);
    if (expired.length > 0) return true;
    if (await requestRestoreCheck()) return true;
    if (await reportOverdue()) return true;
    const due = nextAt();
    if (due === null || due > deps.now()) return false;
    await deps.commandApi.startScheduled(`scheduled-${due.toISOString()}`);
    return true;
  }

  /**
   * Requests, at most once a week, that a restore verifies the newest intact and readable backup. Returns whether it
   * requested a verification.
   */
  async function requestRestoreCheck(): Promise<boolean> {
    if (deps.dataDir === undefined || !state.schedule?.enabled) return false;
    const backupId = nextRestoreCheckOf(keptBackups(), { checkedAt: times.checkedByRestoreAt, now: deps.now() });
    if (backupId === undefined) return false;
    await deps.commandApi.startRestoreCheck(backupId);
    return true;
  }

  /** Reports overdue backups, so that administrators are notified once. Returns whether it sent a report. */
  async function reportOverdue(): Promise<boolean> {
    const since = successOrChange();
    if (!isOverdue(state.schedule, { since, now: deps.now() })) return false;
    if (state.overdueSince === since.toISOString()) return false;
    await deps.commandApi.reportOverdue(since);
    return true;
  }

  const keptBackups = () =>
    [...state.backups.values()]
      .filter(({ status }) => status === 'DONE')
      .map(({ backupId, trigger, pinned, verifiedLevel, file }) => ({
        backupId,
        trigger,
        pinned,
        isIntact: verifiedLevel !== null,
        // A later check has only the passphrase of the installation, so uploads and backups with another passphrase
        // count as unreadable.
        isReadable: file?.encrypted === false || (!withOwnPassphrase.has(backupId) && deps.passphrase !== undefined),
        at: times.byBackupId.get(backupId) ?? startedAt,
      }));

  /**
   * Deletes what a killed process left: unfinished backup files and the scratch folders of verifications. Keeps the
   * unfinished file of a backup with the status RUNNING: from this file, `makeBackup` sees that the backup was
   * interrupted.
   */
  async function cleanUp(): Promise<void> {
    await stream.read();
    const runningBackups = [...state.backups.values()].filter(({ status }) => status === 'RUNNING');
    await removeUnfinished(deps.folder, (name) => runningBackups.some(({ backupId }) => isFileOf(name, backupId)));
    if (deps.dataDir !== undefined) await deleteScratchFolders(deps.dataDir);
    isClean = true;
  }

  /** The cached expiry times. They only change when the stream changes. */
  let expiries = { revision: -1, times: new Map<number, Date>() };
  let isClean = false;
  const workLoop = (async () => {
    while (!signal.aborted) {
      try {
        if (!isClean) await cleanUp();
        if (!(await workOnce())) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        deps.log.warn({ err: error }, 'A piece of maintenance work could not be done yet: trying again');
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  })();

  function newestIntactAt(): Date | null {
    const intact = keptBackups().filter(({ isIntact }) => isIntact);
    return intact.length === 0 ? null : new Date(Math.max(...intact.map(({ at }) => at.getTime())));
  }

  /** Returns the time of the newest intact backup, or of the last change of the schedule if that was later. */
  const successOrChange = (): Date =>
    new Date(Math.max(times.scheduleChangedAt.getTime(), newestIntactAt()?.getTime() ?? 0));

  return {
    nextAt,
    newestIntactAt,
    async expiryTimes() {
      await stream.read();
      if (expiries.revision !== stream.revision()) {
        expiries = { revision: stream.revision(), times: expiryTimes(keptBackups(), state.schedule, nextAt()) };
      }
      return expiries.times;
    },
    isOverdue: () => isOverdue(state.schedule, { since: successOrChange(), now: deps.now() }),
    async backup(id) {
      await stream.read();
      return state.backups.get(id);
    },
    async nameOf(sha256) {
      await stream.read();
      return [...state.backups.values()].find(({ file }) => file?.sha256 === sha256)?.file?.fileName;
    },
    async stop() {
      stopping.abort();
      await workLoop;
    },
  };
}

/** Deletes the files that exist; returns whether there were any. */
async function deleteFiles(folder: string, names: ReadonlySet<string>): Promise<boolean> {
  let hasDeleted = false;
  for (const name of names) {
    const path = join(folder, name);
    if (!existsSync(path)) continue;
    await rm(path);
    hasDeleted = true;
  }
  return hasDeleted;
}

const isFileOf = (name: string, backupId: number): boolean => name.includes(`-${backupId}.`);

async function makeBackup(deps: BackupWorkDependencies, backup: Backup, signal: AbortSignal): Promise<void> {
  const { backupId } = backup;
  const { folder, pool, commandApi, log } = deps;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // File names contain the id of the backup, so that the file of a killed process is recognised.
  const filesOfBackup = (await readdir(folder)).filter((name) => isFileOf(name, backupId));
  const interrupted = filesOfBackup.find((name) => name.endsWith('.part'));
  const progress = openProgress(pool, backupId);
  let outcome: Outcome;
  try {
    if (interrupted !== undefined) {
      await rm(join(folder, interrupted));
      throw new MaintenanceError('INTERRUPTED', 'The backup was interrupted. Start it again.');
    }
    for (const name of filesOfBackup) await rm(join(folder, name));
    const { signingKeyFile } = deps;
    if (signingKeyFile === undefined) {
      const message =
        'No key is set that signs backups. Set AUDIT_SIGNING_KEY to the file with the key of the audit log.';
      throw new MaintenanceError('UNKNOWN_KEY', message);
    }
    const passphrase = await passphraseOf(deps, backupId);
    log.info({ backupId }, 'Making a backup');
    const made = await createBackup({
      id: String(backupId),
      folder,
      pool,
      source: deps.source,
      signingKeyFile,
      productVersion: deps.productVersion,
      sessionSecret: deps.sessionSecret,
      passphrase,
      onProgress: progress.report,
      signal,
    });
    outcome = { type: 'BackupCompleted', data: completedData(backupId, made) };
  } catch (error) {
    // While a script, a purge or a scavenge runs, the backup is tried again later.
    if (signal.aborted || isOccupied(error)) throw error;
    log.warn({ err: error, backupId }, 'A backup failed');
    outcome = { type: 'BackupFailed', data: { backupId, ...problemOf(error) } };
  }
  await commandApi.recordOutcome(outcome);
  await progress.end(outcome.type === 'BackupCompleted' ? 'DONE' : 'FAILED');
  // Keep the passphrase after a success: the first verification needs it.
  if (outcome.type === 'BackupFailed') await forgetPassphrase(pool, backupId);
}

const isOccupied = (error: unknown): boolean =>
  error instanceof MaintenanceError && error.code === 'MAINTENANCE_RUNNING';

const completedData = (backupId: number, { cut, fileName, bytes, sha256, events, encrypted }: CompletedBackup) => ({
  backupId,
  fileName,
  bytes,
  sha256,
  events,
  encrypted,
  position: String(cut.position ?? 0),
  seq: cut.seq,
  chainHash: cut.chainHash,
});

const problemOf = (error: unknown): { code: string; problem: string } =>
  error instanceof MaintenanceError
    ? { code: error.code, problem: error.message }
    : { code: 'INTERNAL', problem: 'The work failed for a reason that is in the log of the maintenance process' };

/** Verifies a backup after it was made. */
async function verifyAfterwards(
  deps: BackupWorkDependencies,
  { backupId, file }: Backup,
  signal: AbortSignal,
): Promise<void> {
  const result = await check(deps, { fileName: file?.fileName ?? '', level: 'checksums', jobId: backupId }, signal);
  await deps.commandApi.recordOutcome({
    type: 'BackupVerified',
    data: { backupId, verificationId: null, level: 'checksums', ...result },
  });
  await forgetPassphrase(deps.pool, backupId);
}

async function verify(
  deps: BackupWorkDependencies,
  { backups }: Backups,
  { backupId, verificationId, level }: Verification,
  signal: AbortSignal,
): Promise<void> {
  const { pool, commandApi } = deps;
  const progress = openProgress(pool, verificationId);
  const fileName = backups.get(backupId)?.file?.fileName ?? '';
  const result = await check(deps, { fileName, level, jobId: verificationId }, signal, progress.report);
  await commandApi.recordOutcome({ type: 'BackupVerified', data: { backupId, verificationId, level, ...result } });
  await progress.end(result.result === 'INTACT' ? 'DONE' : 'FAILED');
  await forgetPassphrase(pool, verificationId);
}

const NEEDS_EMBEDDED_STORES =
  'Only an installation with the embedded stores can restore a copy for a verification. Restore the backup into empty servers instead, as docs/operations.md describes.';

type Result = Pick<Extract<BackupEvent, { type: 'BackupVerified' }>['data'], 'result' | 'problem'>;

/**
 * Verifies a backup with the passphrase of the job. The result is DAMAGED also if the file is missing, or if no trusted
 * key has signed the file. The result is FAILED if the check cannot determine whether the file is intact, for example
 * with a wrong passphrase.
 */
async function check(
  deps: BackupWorkDependencies,
  { fileName, level, jobId }: { fileName: string; level: VerificationLevel; jobId: number },
  signal: AbortSignal,
  onProgress?: (progress: { done: number; total: number }) => void,
): Promise<Result> {
  const { folder, dataDir, pool, trustedKeys, log } = deps;
  const path = join(folder, fileName);
  if (!existsSync(path)) {
    return { result: 'DAMAGED', problem: `The file ${fileName} is no longer in the folder of the backups` };
  }
  try {
    const passphrase = await passphraseOf(deps, jobId);
    const options = { passphrase, trustedKeys: await trustedKeys(), signal, ...(onProgress && { onProgress }) };
    if (level === 'checksums') await verifyFile(path, options);
    else if (dataDir !== undefined) await verifyByRestore(path, { ...options, dataDir, live: pool });
    else throw new MaintenanceError('RESTORE_NOT_HERE', NEEDS_EMBEDDED_STORES);
    return { result: 'INTACT', problem: null };
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ err: error, fileName }, 'A backup was not verified');
    const { code, problem } = problemOf(error);
    const isDamaged = code === 'BACKUP_DAMAGED' || code === 'UNKNOWN_KEY';
    return { result: isDamaged ? 'DAMAGED' : 'FAILED', problem };
  }
}

/** Returns the passphrase that was given for a job, or else the passphrase of the installation. */
async function passphraseOf(
  { pool, sessionSecret, passphrase }: BackupWorkDependencies,
  jobId: number,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ sealed: Buffer }>(
    'SELECT sealed FROM command.backup_passphrases WHERE job_id = $1',
    [jobId],
  );
  const [stored] = rows;
  if (!stored) return passphrase;
  const opened = unseal(sessionSecret, BACKUP_PASSPHRASE, stored.sealed);
  if (opened === undefined) {
    throw new MaintenanceError('WRONG_PASSPHRASE', 'The stored passphrase cannot be read any more. Enter it again.');
  }
  return opened;
}

const forgetPassphrase = (pool: Pool, jobId: number) =>
  pool.query('DELETE FROM command.backup_passphrases WHERE job_id = $1', [jobId]);
