/**
 * Rules of backups: one runs at a time, an outcome is recorded once, and the retention deletes only unpinned scheduled
 * backups.
 */
import { type Backup, type BackupEvent, type Backups, Refusal, type Verification } from '@rdm/contracts';
import { type Decision, decided, nothing } from '../../runtime/decision.ts';

type DataOf<Type extends BackupEvent['type']> = Extract<BackupEvent, { type: Type }>['data'];

export const runningBackup = ({ backups }: Backups): Backup | undefined =>
  [...backups.values()].find(({ status }) => status === 'RUNNING');

function existingBackup({ backups }: Backups, id: number): Backup {
  const backup = backups.get(id);
  if (!backup) throw new Refusal('NOT_FOUND', 'This backup does not exist');
  return backup;
}

/** Returns a backup that has a file; otherwise throws. */
function requireBackupWithFile(state: Backups, id: number): Backup {
  const backup = existingBackup(state, id);
  if (backup.status === 'RUNNING') throw new Refusal('CONFLICT', 'This backup is running: wait until it has ended');
  if (backup.file === null) throw new Refusal('CONFLICT', 'This backup failed: it has no file');
  return backup;
}

export function requestBackup(state: Backups, data: DataOf<'BackupRequested'>): Decision<BackupEvent> {
  if (state.backups.has(data.backupId)) return nothing();
  const running = runningBackup(state);
  if (running) {
    throw new Refusal('BACKUP_RUNNING', 'A backup is running: wait until it has ended', { backupId: running.backupId });
  }
  return decided({ type: 'BackupRequested', data });
}

export function requestVerification(
  state: Backups,
  data: DataOf<'BackupVerificationRequested'>,
): Decision<BackupEvent> {
  requireBackupWithFile(state, data.backupId);
  const verification = runningVerification(state, data.backupId);
  if (verification?.verificationId === data.verificationId) return nothing();
  if (verification) {
    throw new Refusal('BACKUP_RUNNING', 'This backup is being verified: wait for the result', {
      jobId: verification.verificationId,
    });
  }
  return decided({ type: 'BackupVerificationRequested', data });
}

const runningVerification = ({ verifications }: Backups, backupId: number): Verification | undefined =>
  [...verifications.values()].find((each) => each.backupId === backupId);

/** An outcome that the maintenance process reports; a repeated report changes nothing. */
export type Outcome = Extract<BackupEvent, { type: 'BackupCompleted' | 'BackupFailed' | 'BackupVerified' }>;

export function recordOutcome(state: Backups, outcome: Outcome): Decision<BackupEvent> {
  const { backupId } = outcome.data;
  const backup = state.backups.get(backupId);
  if (!backup) return nothing(); // deleted meanwhile
  if (outcome.type === 'BackupVerified') {
    const { verificationId } = outcome.data;
    // After a backup, a verification with the id `null` runs without a request; `isChecked` records its end.
    const isOpen =
      verificationId === null ? backup.status === 'DONE' && !backup.isChecked : state.verifications.has(verificationId);
    return isOpen ? decided(outcome) : nothing();
  }
  return backup.status === 'RUNNING' ? decided(outcome) : nothing();
}

export function pinBackup(state: Backups, data: DataOf<'BackupPinned'>): Decision<BackupEvent> {
  const backup = requireBackupWithFile(state, data.backupId);
  return backup.pinned === data.pinned ? nothing() : decided({ type: 'BackupPinned', data });
}

/**
 * Deletes a backup that is neither running nor being verified. The retention deletes only unpinned scheduled backups.
 */
export function deleteBackup(state: Backups, data: DataOf<'BackupDeleted'>): Decision<BackupEvent> {
  const { backupId, byRetention } = data;
  if (byRetention) {
    const backup = state.backups.get(backupId);
    const isDeletable = backup?.trigger === 'SCHEDULE' && !backup.pinned && backup.status !== 'RUNNING';
    return isDeletable && !runningVerification(state, backupId) ? decided({ type: 'BackupDeleted', data }) : nothing();
  }
  const { status } = existingBackup(state, backupId);
  if (status === 'RUNNING') {
    throw new Refusal('BACKUP_RUNNING', 'This backup is running: delete it when it has ended');
  }
  if (runningVerification(state, backupId)) {
    throw new Refusal('BACKUP_RUNNING', 'This backup is being verified: delete it when the result is there');
  }
  return decided({ type: 'BackupDeleted', data });
}

export function changeSchedule(state: Backups, data: DataOf<'BackupScheduleChanged'>): Decision<BackupEvent> {
  return JSON.stringify(state.schedule) === JSON.stringify(data)
    ? nothing()
    : decided({ type: 'BackupScheduleChanged', data });
}

/** Records that no backup has succeeded since `since`. A repetition with the same `since` changes nothing. */
export function recordOverdue(state: Backups, data: DataOf<'BackupOverdue'>): Decision<BackupEvent> {
  return state.overdueSince === data.since ? nothing() : decided({ type: 'BackupOverdue', data });
}

export function uploadBackup(state: Backups, data: DataOf<'BackupUploaded'>): Decision<BackupEvent> {
  if (state.backups.has(data.backupId)) return nothing();
  const duplicate = [...state.backups.values()].find(({ file }) => file?.sha256 === data.sha256);
  if (duplicate) throw new Refusal('CONFLICT', `This backup is in the list already: ${duplicate.file?.fileName}`);
  return decided({ type: 'BackupUploaded', data });
}

export function recordDownload(state: Backups, data: DataOf<'BackupDownloaded'>): Decision<BackupEvent> {
  requireBackupWithFile(state, data.backupId);
  return decided({ type: 'BackupDownloaded', data });
}

/**
 * Requests a restore; returns the file name of the backup. The administrator types this name to confirm the loss of all
 * later changes.
 */
export function requestRestore(
  state: Backups,
  { backupId, name }: { backupId: number; name: string },
): Decision<BackupEvent, string> {
  const { file } = requireBackupWithFile(state, backupId);
  const fileName = file?.fileName ?? '';
  if (name !== fileName) {
    throw new Refusal('WRONG_PHRASE', `Type the name of the file, ${fileName}, to restore it`);
  }
  if (runningBackup(state)) throw new Refusal('BACKUP_RUNNING', 'A backup is running: restore when it has ended');
  return { events: [{ type: 'BackupRestoreRequested', data: { backupId } }], result: fileName };
}
