/** Verifies a backup by restoring a copy beside the running product: an intact backup, and a kill during the verification. */
import { expect, it, vi } from 'vitest';
import { done } from '../stories/fixtures.ts';
import { admin, backupId, readBackup, stack, useBackup, verificationFolders } from './verify-restore/backup.ts';

useBackup();

it('deletes the copy of a killed process, and finds a backup intact whose copy equals the data at the time of the backup', async () => {
  done(await admin.post(`/api/backups/${backupId}/verify`, { level: 'restore' }));
  await vi.waitFor(() => expect(verificationFolders()).toHaveLength(1), { timeout: 60_000, interval: 10 });
  const [killed] = verificationFolders();
  process.kill(stack.parts['maintenance']?.pid as number, 'SIGKILL');
  await vi.waitFor(() => expect(verificationFolders()).not.toContain(killed), { timeout: 60_000 });
  await vi.waitFor(async () => expect((await readBackup())['verifying']).toBe(false), { timeout: 180_000 });
  expect(await readBackup()).toMatchObject({ status: 'DONE', verifiedLevel: 'restore', problem: null });
  expect(verificationFolders()).toEqual([]);
});
