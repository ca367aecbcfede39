/** Tests the sentences about backups and restores. */
import type { BackupsView, BackupView } from '@rdm/contracts/admin/backups';
import { expect, it } from 'vitest';
import { lastBackupText, lastRestoreText, warnings } from './summary.ts';

const DAY_MS = 86_400_000;
const backup = (daysAgo: number, overrides: Partial<BackupView> = {}) =>
  ({
    status: 'DONE',
    bytes: 2048,
    createdAt: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    completedAt: new Date().toISOString(),
    verifiedAt: new Date().toISOString(),
    ...overrides,
  }) as BackupView;
const backups = (items: BackupView[], lastRestore: BackupsView['lastRestore'] = null): BackupsView => ({
  items,
  total: items.length,
  folder: '/backups',
  freeBytes: 1,
  onDiskOfData: false,
  restoring: null,
  lastRestore,
  overdue: false,
});

it('the text about an uploaded backup has the time of the backup, not of the upload', () => {
  const text = lastBackupText(backups([backup(3, { trigger: 'UPLOAD' })]));
  expect(text).toMatch(/^Last backup 3 days ago \(\d+ \w{3} \d{4}, \d{2}:\d{2}\), 2\.0 KiB, verified\.$/);
});

it('the text about the last backup skips failed and damaged backups', () => {
  const bad = [backup(1, { status: 'FAILED' }), backup(2, { status: 'DAMAGED' })];
  expect(lastBackupText(backups([...bad, backup(4, { verifiedAt: null })]))).toMatch(
    /^Last backup 4 days ago \(.+\), 2\.0 KiB, not verified\.$/,
  );
  expect(lastBackupText(backups(bad))).toBe('There is no backup yet.');
});

it('a restore that changed nothing has a warning instead of a text', () => {
  const restored = { fileName: 'rdm-7.tar.gz', at: '2026-11-27T12:05:00', problem: null };
  expect(lastRestoreText(backups([], restored))).toBe('Restored on 27 Nov 2026, 12:05 from rdm-7.tar.gz.');
  expect(warnings(backups([], restored))).toEqual([]);

  const refused = backups([], { ...restored, problem: 'The disk is full' });
  expect(lastRestoreText(refused)).toBe('');
  expect(warnings(refused)).toEqual([
    'The restore of rdm-7.tar.gz (27 Nov 2026, 12:05) changed nothing: The disk is full',
  ]);
  expect(lastRestoreText(backups([]))).toBe('');
});
