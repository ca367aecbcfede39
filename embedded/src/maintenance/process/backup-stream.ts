/** Reads the events of the stream `system-backups` and folds them. */
import { BACKUPS_STREAM, type BackupEvent, type Backups, emptyBackups, evolveBackups } from '@rdm/contracts';
import type { EventStore } from '@rdm/platform';

export interface BackupTimes {
  scheduleChangedAt: Date;
  /**
   * The time when each backup was requested. For uploads, and for backups that a restore added to the list again, the
   * time when the file was made.
   */
  byBackupId: Map<number, Date>;
  checkedByRestoreAt: Date;
}

export interface BackupStream {
  /** The state after the last call of `read`. */
  state: Backups;
  times: BackupTimes;
  /**
   * The ids of backups that may need another passphrase than that of the installation: all uploads, encrypted backups
   * that a restore added to the list, and backups with their own passphrase, which is deleted after the first
   * verification.
   */
  withOwnPassphrase: ReadonlySet<number>;
  /** Returns the revision of the last event that was read; -1 if none was. */
  revision(): number;
  /** Folds the events that were appended since the last call. Concurrent calls run one after the other. */
  read(): Promise<void>;
}

export function openBackupStream(store: Pick<EventStore, 'read'>): BackupStream {
  const state = emptyBackups();
  const times: BackupTimes = {
    scheduleChangedAt: new Date(0),
    byBackupId: new Map<number, Date>(),
    checkedByRestoreAt: new Date(0),
  };
  const withOwnPassphrase = new Set<number>();
  let revision = -1;
  let reading = Promise.resolve();

  async function foldNewEvents(): Promise<void> {
    for await (const event of store.read(BACKUPS_STREAM, revision + 1)) {
      const { type, data, metadata } = event as unknown as BackupEvent & { metadata: { occurredAt: string } };
      const at = new Date(metadata.occurredAt);
      if (type === 'BackupScheduleChanged') times.scheduleChangedAt = at;
      if (type === 'BackupRequested') times.byBackupId.set(data.backupId, at);
      const hasOwnPassphrase = type === 'BackupUploaded' || (type === 'BackupRequested' && data.hasOwnPassphrase);
      if (hasOwnPassphrase) withOwnPassphrase.add(data.backupId);
      if ((type === 'BackupUploaded' || type === 'BackupCompleted') && data.madeAt !== undefined)
        times.byBackupId.set(data.backupId, new Date(data.madeAt));
      if (type === 'BackupVerified' && data.level === 'restore') times.checkedByRestoreAt = at;
      evolveBackups(state, { type, data } as BackupEvent);
      revision = event.revision;
    }
  }

  return {
    state,
    times,
    withOwnPassphrase,
    revision: () => revision,
    read() {
      reading = reading.catch(() => undefined).then(foldNewEvents);
      return reading;
    },
  };
}
