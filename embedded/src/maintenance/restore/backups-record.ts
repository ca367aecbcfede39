/**
 * Records the restored backup in the restored log, and adds the backup files that this log does not list. Ends the
 * backups and verifications that are still running in this log.
 */
import {
  BACKUPS_STREAM,
  type BackupEvent,
  type BackupFile,
  type BackupTrigger,
  emptyBackups,
  evolveBackups,
  type ProductEvent,
} from '@rdm/contracts';
import type { Client } from '@rdm/platform';
import type { CompletedBackup } from '../backup.ts';
import type { VerifiedBackup } from '../verify-file.ts';
import type { ListedBackup } from './carry-over.ts';
import { appendAsSystem, type NewLog } from './new-log.ts';

export interface BackupFiles {
  /** The restored file; `isKept` if the file is in the folder of the backups. */
  restored: { fileName: string; isKept: boolean; verified: VerifiedBackup };
  /** The backups that the replaced log lists and whose files are in the folder. */
  known: readonly ListedBackup[];
  /** The backup of the replaced data. */
  safety: CompletedBackup | undefined;
}

type NewFile = Pick<CompletedBackup, 'fileName' | 'bytes' | 'sha256' | 'cut' | 'events' | 'encrypted'>;

const fileOf = ({ cut, fileName, bytes, sha256, events, encrypted }: NewFile): BackupFile => ({
  ...{ fileName, bytes, sha256, events, encrypted },
  ...{ position: String(cut.position ?? 0), seq: cut.seq, chainHash: cut.chainHash },
});

type DataOf<Type extends BackupEvent['type']> = Extract<BackupEvent, { type: Type }>['data'];

const completionEvent = (backupId: number, file: BackupFile, madeAt?: string): BackupEvent => ({
  type: 'BackupCompleted',
  data: { backupId, ...file, ...(madeAt !== undefined && { madeAt }) },
});

export async function recordBackups(client: Client, log: NewLog, files: BackupFiles, cause: string): Promise<void> {
  const { fileName, isKept, verified } = files.restored;
  const { bytes, sha256, encrypted, header, trailer } = verified;
  const file = fileOf({ fileName, bytes, sha256, encrypted, cut: trailer.cut, events: trailer.events });
  const state = emptyBackups();
  for (const event of await log.events(BACKUPS_STREAM)) evolveBackups(state, event as unknown as BackupEvent);
  const events: BackupEvent[] = [];
  let backupId = [...state.backups.values()].find((backup) => backup.file?.fileName === fileName)?.backupId ?? null;

  const verification = (id: number, overrides: Partial<DataOf<'BackupVerified'>> = {}): BackupEvent => ({
    type: 'BackupVerified',
    data: { backupId: id, verificationId: null, level: 'checksums', result: 'INTACT', problem: null, ...overrides },
  });
  const listFile = async (newFile: BackupFile, trigger: BackupTrigger, madeAt?: string): Promise<number> => {
    const { rows } = await client.query<{ id: number }>(`SELECT nextval('command.job_ids') AS id`);
    const id = rows[0]?.id as number;
    // The file may have another passphrase than the installation.
    const passphrase = newFile.encrypted ? { hasOwnPassphrase: true as const } : {};
    events.push(
      { type: 'BackupRequested', data: { backupId: id, trigger, ...passphrase } },
      completionEvent(id, newFile, madeAt),
    );
    return id;
  };

  const listed = new Set([...state.backups.values()].map((backup) => backup.file?.fileName));
  // In the restored log, the restored backup is still running, because it was completed after the log was copied. The
  // name of the file contains the id of the backup.
  for (const { backupId: id, status } of state.backups.values()) {
    if (status !== 'RUNNING') continue;
    const isRestored = new RegExp(`-${id}\\.tar\\.gz(\\.age)?$`).test(fileName) && isKept;
    const original = files.known.find(({ backupId }) => backupId === id)?.file;
    if (isRestored) {
      events.push(completionEvent(id, file), verification(id));
      backupId = id;
    } else if (original) {
      // The restored file is a copy of this backup, for example an upload.
      events.push(completionEvent(id, original));
      listed.add(original.fileName);
    } else {
      const problem = 'The backup ran when the restored backup was made';
      events.push({ type: 'BackupFailed', data: { backupId: id, code: 'INTERRUPTED', problem } });
    }
    await client.query(`UPDATE jobs.progress SET status = $2, ended_at = now() WHERE job_id = $1`, [
      id,
      isRestored || original ? 'DONE' : 'FAILED',
    ]);
  }
  for (const { backupId: id, verificationId, level } of state.verifications.values()) {
    const problem = 'The verification ran when the restored backup was made';
    events.push({ type: 'BackupVerified', data: { backupId: id, verificationId, level, result: 'FAILED', problem } });
  }
  if (backupId !== null) listed.add(fileName);
  for (const backup of files.known) {
    if (listed.has(backup.file.fileName)) continue;
    listed.add(backup.file.fileName);
    const id = await listFile(backup.file, backup.trigger, backup.madeAt);
    if (backup.file.fileName === fileName) backupId = id;
    if (backup.verifiedLevel !== null) events.push(verification(id, { level: backup.verifiedLevel }));
    if (backup.status === 'DAMAGED') events.push(verification(id, { result: 'DAMAGED', problem: backup.problem }));
    if (backup.pinned) events.push({ type: 'BackupPinned', data: { backupId: id, pinned: true } });
  }
  if (isKept && backupId === null) {
    backupId = await listFile(file, 'UPLOAD', header.createdAt);
    events.push(verification(backupId));
  }
  if (files.safety) await listFile(fileOf(files.safety), 'RESTORE');
  const { seq, chainHash } = trailer.cut;
  const restored: BackupEvent = { type: 'BackupRestored', data: { backupId, fileName, seq, chainHash } };
  await appendAsSystem(log, BACKUPS_STREAM, [restored as ProductEvent], cause);
  await appendAsSystem(log, BACKUPS_STREAM, events as ProductEvent[], cause);
}
