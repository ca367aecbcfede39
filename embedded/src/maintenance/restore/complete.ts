/**
 * Completes a prepared restore. If this process is killed, the next start completes a planned restore; if none is
 * planned, the old data remains.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { signingKeyPath } from '@rdm/platform/identity/signing-key';
import { syncDirectory } from '../../event-store/storage/disk.ts';
import { writePrivately } from '../../launcher/secrets.ts';
import { readRecord } from '../../postgres/cluster.ts';
import { stopOrphans } from '../../postgres/orphan.ts';

/** The folders of the stores, in the data folder and in a prepared folder. */
export const STORES = ['postgres', 'event-store'] as const;

const PREPARED = 'restore-';
const REPLACED = 'before-';
/** The prefix of folders with copies that a verification restores and compares. */
const SCRATCH = 'verify-';

export const scratchFolder = (dataDir: string, id: string): string => join(dataDir, `${SCRATCH}${id}`);

export const preparedFolder = (dataDir: string, id: string): string => join(dataDir, `${PREPARED}${id}`);

/** The file in the prepared folder that contains the signing key from the backup. */
export const RESTORED_KEY = 'signing-key.pem';

/** The next start completes the restore if this file exists, and otherwise deletes the prepared folder. */
const planFile = (dataDir: string) => join(dataDir, 'restore.json');

export const isRestorePlanned = (dataDir: string): boolean => existsSync(planFile(dataDir));

/** The steps after which tests end the process. */
export type CompletionStep = 'planned' | 'replaced' | 'placed' | 'completed';
type OnStep = (step: CompletionStep, store?: string) => void;

/** Plans the restore. The caller must hold the lock of the data folder of the stopped product. */
export function planRestore(dataDir: string, id: string): void {
  syncDirectory(preparedFolder(dataDir, id));
  syncDirectory(dataDir);
  writePrivately(planFile(dataDir), `${JSON.stringify({ id })}\n`);
  syncDirectory(dataDir);
}

/**
 * Completes a planned restore, and deletes replaced data and the folders of killed restores and verifications. Can be
 * repeated. The caller must hold the lock of the data folder, and the servers of this folder must be stopped. Returns
 * whether a restore was planned.
 */
export async function completeRestore(dataDir: string, onStep: OnStep = () => {}): Promise<boolean> {
  const path = planFile(dataDir);
  const isPlanned = isRestorePlanned(dataDir);
  if (isPlanned) {
    const { id } = JSON.parse(readFileSync(path, 'utf8')) as { id: string };
    placeStores(dataDir, id, onStep);
    rmSync(path);
    syncDirectory(dataDir);
    onStep('completed');
  }
  await deleteFolders(dataDir, [PREPARED, REPLACED, SCRATCH]);
  return isPlanned;
}

function placeStores(dataDir: string, id: string, onStep: OnStep): void {
  onStep('planned');
  const prepared = preparedFolder(dataDir, id);
  const replaced = join(dataDir, `${REPLACED}${id}`);
  mkdirSync(replaced, { recursive: true, mode: 0o700 });
  for (const store of STORES) {
    // An interrupted completion has already moved this store.
    if (!existsSync(join(prepared, store))) continue;
    const live = join(dataDir, store);
    if (existsSync(live)) renameSync(live, join(replaced, store));
    onStep('replaced', store);
    renameSync(join(prepared, store), live);
    onStep('placed', store);
  }
  const key = join(prepared, RESTORED_KEY);
  const keyPath = signingKeyPath(dataDir);
  if (existsSync(key) && !existsSync(keyPath)) {
    mkdirSync(dirname(keyPath), { recursive: true, mode: 0o700 });
    renameSync(key, keyPath);
    syncDirectory(dirname(keyPath));
  }
  markFirstStartDone(dataDir);
  for (const folder of [prepared, replaced, dataDir]) if (existsSync(folder)) syncDirectory(folder);
}

/** Marks the first start as complete, so that no sample data and no first password are added to the restored data. */
export function markFirstStartDone(dataDir: string): void {
  const marks = { administrator: true, sampleData: true };
  writePrivately(join(dataDir, 'first-start.json'), `${JSON.stringify(marks, null, 2)}\n`);
}

/** Deletes the folders of killed verifications. The caller must be the only process that verifies. */
export const deleteScratchFolders = (dataDir: string): Promise<void> => deleteFolders(dataDir, [SCRATCH]);

/**
 * Deletes the folders of killed restores. Call this only while no restore runs or is planned. The caller must hold the
 * lock of the data folder.
 */
export const deletePreparedFolders = (dataDir: string): Promise<void> => deleteFolders(dataDir, [PREPARED]);

/** Ends servers that killed processes left running in these unused folders, and deletes the folders. */
async function deleteFolders(dataDir: string, prefixes: readonly string[]): Promise<void> {
  const names = readdirSync(dataDir).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  for (const name of names) {
    const postgres = join(dataDir, name, 'postgres');
    if (existsSync(postgres)) await stopOrphans(postgres, (await readRecord(postgres))?.owner);
    // Processes of the ended server may still be deleting files.
    rmSync(join(dataDir, name), { recursive: true, maxRetries: 10 });
  }
}

/** Makes a file durable. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
