/** Specifies how backups are requested, verified, pinned, deleted and scheduled. */
import type { BackupEvent, Backups } from '@rdm/contracts';
import { describe, it } from 'vitest';
import { kinds } from '../../runtime/stream-kinds.ts';
import { specify } from '../../testing/given.ts';
import {
  changeSchedule,
  deleteBackup,
  pinBackup,
  recordDownload,
  recordOutcome,
  recordOverdue,
  requestBackup,
  requestVerification,
} from './decider.ts';

const backups = specify(kinds.backups);
const file = {
  fileName: 'rdm-20261126T160000Z-1.tar.gz',
  bytes: 10,
  sha256: '00',
  encrypted: false,
  events: 3,
  position: '900',
  seq: 3,
  chainHash: 'aa',
};
const requested = (trigger: 'MANUAL' | 'SCHEDULE' = 'MANUAL', backupId = 1): BackupEvent => ({
  type: 'BackupRequested',
  data: { backupId, trigger },
});
const completed: BackupEvent = { type: 'BackupCompleted', data: { ...file, backupId: 1 } };
const failed: BackupEvent = { type: 'BackupFailed', data: { backupId: 1, code: 'DISK_SPACE', problem: 'full' } };
const verificationRequested: BackupEvent = {
  type: 'BackupVerificationRequested',
  data: { backupId: 1, verificationId: 7, level: 'checksums' },
};
const verified = (verificationId: number | null, result: 'INTACT' | 'DAMAGED' | 'FAILED' = 'INTACT') =>
  ({
    type: 'BackupVerified',
    data: { backupId: 1, verificationId, level: 'checksums', result, problem: null },
  }) as const satisfies BackupEvent;
const pinned: BackupEvent = { type: 'BackupPinned', data: { backupId: 1, pinned: true } };
const deleted = (byRetention: boolean): BackupEvent => ({ type: 'BackupDeleted', data: { backupId: 1, byRetention } });

const request = (backupId: number) => (state: Backups) => requestBackup(state, { backupId, trigger: 'MANUAL' });

describe('a backup', () => {
  it('is requested', () => backups.given().when(request(1)).then(requested()));
  it('is requested once', () => backups.given(requested()).when(request(1)).thenNothing());
  it('is refused while another backup runs', () =>
    backups.given(requested()).when(request(2)).thenRefused('BACKUP_RUNNING'));
  it('may follow a backup that has ended', () => {
    backups.given(requested(), completed).when(request(2)).then(requested('MANUAL', 2));
    backups.given(requested(), failed).when(request(2)).then(requested('MANUAL', 2));
  });
});

describe('an outcome', () => {
  const record = (outcome: Parameters<typeof recordOutcome>[1]) => (state: Backups) => recordOutcome(state, outcome);
  it('of a running backup is recorded once', () => {
    backups.given(requested()).when(record(completed)).then(completed);
    backups.given(requested(), completed).when(record(completed)).thenNothing();
    backups.given(requested(), failed).when(record(completed)).thenNothing();
    backups.given(requested(), completed).when(record(failed)).thenNothing();
  });
  it('of the verification after a backup is recorded once', () => {
    backups
      .given(requested(), completed)
      .when(record(verified(null)))
      .then(verified(null));
    backups
      .given(requested(), completed, verified(null))
      .when(record(verified(null)))
      .thenNothing();
    backups
      .given(requested(), completed, verified(null, 'FAILED'))
      .when(record(verified(null)))
      .thenNothing();
  });
  it('of a requested verification is recorded once', () => {
    backups
      .given(requested(), completed, verificationRequested)
      .when(record(verified(7)))
      .then(verified(7));
    backups
      .given(requested(), completed, verificationRequested, verified(7))
      .when(record(verified(7)))
      .thenNothing();
  });
  it('of a deleted backup is ignored', () =>
    backups
      .given(requested(), completed, deleted(false))
      .when(record(verified(null)))
      .thenNothing());
});

describe('a verification', () => {
  const verify = (verificationId: number) => (state: Backups) =>
    requestVerification(state, { backupId: 1, verificationId, level: 'checksums' });
  it('is requested for a backup with a file', () =>
    backups.given(requested(), completed).when(verify(7)).then(verificationRequested));
  it('runs at most once at a time for each backup', () => {
    backups.given(requested(), completed, verificationRequested).when(verify(7)).thenNothing();
    backups.given(requested(), completed, verificationRequested).when(verify(8)).thenRefused('BACKUP_RUNNING');
  });
  it('is refused for a backup that runs, failed or does not exist', () => {
    backups.given(requested()).when(verify(7)).thenRefused('CONFLICT');
    backups.given(requested(), failed).when(verify(7)).thenRefused('CONFLICT');
    backups.given().when(verify(7)).thenRefused('NOT_FOUND');
  });
});

describe('pinning a backup', () => {
  const pin = (value: boolean) => (state: Backups) => pinBackup(state, { backupId: 1, pinned: value });
  it('is recorded once', () => {
    backups.given(requested(), completed).when(pin(true)).then(pinned);
    backups.given(requested(), completed, pinned).when(pin(true)).thenNothing();
  });
});

describe('deleting a backup', () => {
  const remove = (byRetention: boolean) => (state: Backups) => deleteBackup(state, { backupId: 1, byRetention });
  it('is possible once the backup has ended', () => {
    backups.given(requested(), completed).when(remove(false)).then(deleted(false));
    backups.given(requested(), failed).when(remove(false)).then(deleted(false));
  });
  it('is refused for a backup that runs, is being verified or does not exist', () => {
    backups.given(requested()).when(remove(false)).thenRefused('BACKUP_RUNNING');
    backups.given(requested(), completed, verificationRequested).when(remove(false)).thenRefused('BACKUP_RUNNING');
    backups.given().when(remove(false)).thenRefused('NOT_FOUND');
  });
  it('by the retention needs an ended scheduled backup that is neither pinned nor being verified', () => {
    backups.given(requested('SCHEDULE'), completed).when(remove(true)).then(deleted(true));
    backups.given(requested('MANUAL'), completed).when(remove(true)).thenNothing();
    backups.given(requested('SCHEDULE'), completed, pinned).when(remove(true)).thenNothing();
    backups.given(requested('SCHEDULE')).when(remove(true)).thenNothing();
    backups.given(requested('SCHEDULE'), completed, verificationRequested).when(remove(true)).thenNothing();
    backups.given().when(remove(true)).thenNothing();
  });
});

describe('a download', () => {
  const download = (state: Backups) => recordDownload(state, { backupId: 1 });
  it('is recorded', () =>
    backups
      .given(requested(), completed)
      .when(download)
      .then({ type: 'BackupDownloaded', data: { backupId: 1 } }));
  it('needs a file', () => backups.given(requested(), failed).when(download).thenRefused('CONFLICT'));
});

describe('the schedule', () => {
  const schedule = {
    enabled: true,
    every: 'DAY' as const,
    weekday: 1,
    at: '02:00',
    zone: 'Europe/Berlin',
    keep: { daily: 7, weekly: 4, monthly: 12 },
  };
  const changed: BackupEvent = { type: 'BackupScheduleChanged', data: schedule };
  it('is recorded if it changes', () => {
    backups
      .given()
      .when((state) => changeSchedule(state, schedule))
      .then(changed);
    backups
      .given(changed)
      .when((state) => changeSchedule(state, schedule))
      .thenNothing();
  });
});

describe('a schedule without a successful backup', () => {
  const overdue = (since: string): BackupEvent => ({ type: 'BackupOverdue', data: { since } });
  const record = (since: string) => (state: Backups) => recordOverdue(state, { since });
  it('is recorded as overdue once for each `since`', () => {
    backups.given().when(record('2026-11-24')).then(overdue('2026-11-24'));
    backups.given(overdue('2026-11-24')).when(record('2026-11-24')).thenNothing();
    backups.given(overdue('2026-11-24')).when(record('2026-11-25')).then(overdue('2026-11-25'));
  });
});
