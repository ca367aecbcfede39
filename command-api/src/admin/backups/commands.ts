/** Commands of backups. The maintenance process does the work that the events request. */
import {
  BACKUPS_STREAM,
  type BackupEvent,
  type BackupSchedule,
  type Backups,
  Refusal,
  type UploadedFile,
  type VerificationLevel,
} from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { BACKUP_PASSPHRASE, seal } from '@rdm/platform/identity/sealing';
import type { CommandAnswer } from '../../runtime/command-answer.ts';
import { command } from '../../runtime/commands.ts';
import type { Decision } from '../../runtime/decision.ts';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import {
  changeSchedule,
  deleteBackup,
  type Outcome,
  pinBackup,
  recordDownload,
  recordOutcome,
  recordOverdue,
  requestBackup,
  requestRestore,
  requestVerification,
  uploadBackup,
} from './decider.ts';

const change = (x: Execution, decide: (state: Backups) => Decision<BackupEvent>) =>
  x.change(kinds.backups, BACKUPS_STREAM, [], decide);

/**
 * Requests a job of the maintenance process. The sealed passphrase is stored before the event, and deleted after a
 * refusal. Other errors do not delete the passphrase, because the event may be in the log.
 */
async function startJob(
  x: Execution,
  { secret, passphrase }: { secret: string; passphrase: string | undefined },
  decide: (state: Backups, jobId: number) => Decision<BackupEvent>,
): Promise<CommandAnswer> {
  const jobId = await x.allocateOne('job_ids');
  if (passphrase !== undefined) await storePassphrase(x.pool, jobId, seal(secret, BACKUP_PASSPHRASE, passphrase));
  try {
    await change(x, (state) => decide(state, jobId));
  } catch (error) {
    if (error instanceof Refusal) {
      await x.pool.query('DELETE FROM command.backup_passphrases WHERE job_id = $1', [jobId]);
    }
    throw error;
  }
  return { status: 202, body: { jobId, id: jobId } };
}

const ownPassphrase = (passphrase: string | undefined) =>
  passphrase === undefined ? {} : { hasOwnPassphrase: true as const };

const storePassphrase = (pool: Pool, jobId: number, sealed: Buffer) =>
  pool.query('INSERT INTO command.backup_passphrases (job_id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    jobId,
    sealed,
  ]);

/** Does not store the input of the command, because it can contain a passphrase. */
const NOT_STORED = { keep: false };

export const backupCommands = (secret: string) => ({
  request: command<{ passphrase?: string | undefined }>(
    'RequestBackup',
    (x, { passphrase }) =>
      startJob(x, { secret, passphrase }, (state, backupId) =>
        requestBackup(state, { backupId, trigger: 'MANUAL', ...ownPassphrase(passphrase) }),
      ),
    NOT_STORED,
  ),

  /** Requested by the maintenance process when a scheduled backup is due, and by the backup script. */
  requestAsSystem: command<{ trigger: 'SCHEDULE' | 'MANUAL'; passphrase?: string | undefined }>(
    'RequestBackupAsSystem',
    (x, { trigger, passphrase }) =>
      startJob(x, { secret, passphrase }, (state, backupId) =>
        requestBackup(state, { backupId, trigger, ...ownPassphrase(passphrase) }),
      ),
    NOT_STORED,
  ),

  requestVerification: command<{ id: number; level: VerificationLevel; passphrase?: string | undefined }>(
    'RequestBackupVerification',
    (x, { id: backupId, level, passphrase }) =>
      startJob(x, { secret, passphrase }, (state, verificationId) =>
        requestVerification(state, { backupId, verificationId, level }),
      ),
    NOT_STORED,
  ),

  recordOutcome: command<{ outcome: Outcome }>('RecordBackupOutcome', async (x, { outcome }) => {
    await change(x, (state) => recordOutcome(state, outcome));
    return { status: 204 };
  }),

  recordOverdue: command<{ since: string }>('RecordBackupOverdue', async (x, { since }) => {
    await change(x, (state) => recordOverdue(state, { since }));
    return { status: 204 };
  }),

  pin: command<{ id: number; body: { pinned: boolean } }>('PinBackup', async (x, { id, body }) => {
    await change(x, (state) => pinBackup(state, { backupId: id, pinned: body.pinned }));
    return { body: { id } };
  }),

  remove: command<{ id: number; byRetention: boolean }>('DeleteBackup', async (x, { id, byRetention }) => {
    await change(x, (state) => deleteBackup(state, { backupId: id, byRetention }));
    return { status: 204, body: { id } };
  }),

  changeSchedule: command<{ schedule: BackupSchedule }>('ChangeBackupSchedule', async (x, { schedule }) => {
    await change(x, (state) => changeSchedule(state, schedule));
    return { body: { ...schedule } };
  }),

  /**
   * Records the request, which the route then sends to the maintenance process. Recovery cannot repeat this command,
   * because its input is not stored.
   */
  requestRestore: command<{ id: number; name: string }>(
    'RequestRestore',
    async (x, { id, name }) => {
      const fileName = await x.change(kinds.backups, BACKUPS_STREAM, [], (state) =>
        requestRestore(state, { backupId: id, name }),
      );
      return { status: 202, body: { id, fileName } };
    },
    NOT_STORED,
  ),

  /** Records a file that the maintenance process received and verified. */
  recordUpload: command<{ file: UploadedFile }>('UploadBackup', async (x, { file }) => {
    const backupId = await x.allocateOne('job_ids');
    await change(x, (state) => uploadBackup(state, { backupId, ...file }));
    return { status: 201, body: { id: backupId, fileName: file.fileName } };
  }),

  recordDownload: command<{ id: number }>('DownloadBackup', async (x, { id }) => {
    await change(x, (state) => recordDownload(state, { backupId: id }));
    return { body: { id } };
  }),
});
