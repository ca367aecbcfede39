/** Restores a backup, and kills the restore at a step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBackup, verifyFile } from '@rdm/embedded/maintenance/index';
import { loadSigningKey, signingKeyPath } from '@rdm/platform';
import { expect } from 'vitest';
import { backupOf, copyOf, createdIds, quietBackup, remainingFolders, run } from './backups.ts';

const KILLED_RESTORE_PROGRAM = fileURLToPath(
  new URL('../../dist/faults/restore/killed-restore.main.js', import.meta.url),
);

interface Outcome {
  /** Whether the log contains a completed restore. */
  restored: boolean;
  /** Whether the log contains the data set that was created after all backups. */
  hasLaterDataSet: boolean;
}
export const UNCHANGED: Outcome = { restored: false, hasLaterDataSet: true };
export const COMPLETED: Outcome = { restored: true, hasLaterDataSet: false };

/** Reads the outcome from a new backup, which must be intact. */
async function readOutcome(dir: string): Promise<Outcome> {
  const folder = join(dir, 'found');
  const ended = await run('backup', ['--to', folder], dir);
  expect(ended.code, ended.output).toBe(0);
  const file = join(folder, readdirSync(folder)[0] as string);
  await verifyFile(file, { trustedKeys: [loadSigningKey(signingKeyPath(dir)).publicKey] });
  const result = { restored: false, hasLaterDataSet: false };
  for await (const part of readBackup(file)) {
    if (part.kind !== 'records') continue;
    for (const { type, stream } of part.records) {
      if (type === 'BackupRestored') result.restored = true;
      if (stream === `dataSet-${createdIds['laterDataSet']}`) result.hasLaterDataSet = true;
    }
  }
  return result;
}

/**
 * Kills a restore of the stopped or serving product at a step. Expects the outcome in a new backup, and that no folders
 * of the restore remain.
 */
export async function killRestore(state: 'stopped' | 'serving', step: string, expected: Outcome): Promise<void> {
  const dir = copyOf('killed');
  const args = [KILLED_RESTORE_PROGRAM, backupOf(dir, quietBackup), dir, state, ...step.split(' ')];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  expect(await readOutcome(dir)).toEqual(expected);
  expect(remainingFolders(dir)).toEqual([]);
}
