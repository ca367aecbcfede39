/** Backups of the installation: their events in the stream `system-backups`, their state, and their views. */
import { z } from 'zod';
import { IdentityProof } from '../access/identity-proof.ts';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { Dates, Id } from '../text/fields.ts';
import { BackupSchedule } from './backup-schedule.ts';

export const BACKUP_TRIGGERS = ['MANUAL', 'SCHEDULE', 'UPLOAD', 'RESTORE'] as const;
export type BackupTrigger = (typeof BACKUP_TRIGGERS)[number];

export const BACKUP_STATUSES = ['RUNNING', 'DONE', 'FAILED', 'DAMAGED'] as const;

/** `checksums` reads the file; `restore` also restores it into temporary stores and compares the tables. */
export const VERIFICATION_LEVELS = ['checksums', 'restore'] as const;
export type VerificationLevel = (typeof VERIFICATION_LEVELS)[number];

export const VERIFICATION_RESULTS = ['INTACT', 'DAMAGED', 'FAILED'] as const;

const BackupFile = z.object({
  /** `rdm-20261126T160000Z-12.tar.gz`, with `.age` if a passphrase encrypts it. */
  fileName: z.string(),
  bytes: z.number().int(),
  /** In lower-case hex digits. */
  sha256: z.string(),
  encrypted: z.boolean(),
  /** The number of product events up to the end of the backup. */
  events: z.number().int(),
  /** The position, seq and chain hash of the last event in the backup. */
  position: z.string(),
  seq: z.number().int(),
  chainHash: z.string(),
});
export type BackupFile = z.infer<typeof BackupFile>;

/** The data that the maintenance process reads from an uploaded file. */
export const UploadedFile = BackupFile.extend({
  /** When the backup was made (ISO instant). */
  madeAt: z.string(),
});
export type UploadedFile = z.infer<typeof UploadedFile>;

/** The id of a backup is the id of the job that makes it. */
export const backupEvents = {
  /** `hasOwnPassphrase` is set if the request contained a passphrase for the file. */
  BackupRequested: event(
    z.object({ backupId: Id, trigger: z.enum(BACKUP_TRIGGERS), hasOwnPassphrase: z.literal(true).optional() }),
  ),
  /**
   * A restore also appends this event for each backup file that the restored log does not list. Only then `madeAt` (ISO
   * instant) is set, to the time of that backup.
   */
  BackupCompleted: event(BackupFile.extend({ backupId: Id, madeAt: z.string().optional() })),
  /** An earlier backup of this installation, verified during its upload. */
  BackupUploaded: event(UploadedFile.extend({ backupId: Id })),
  BackupFailed: event(z.object({ backupId: Id, code: z.string(), problem: z.string() })),
  BackupVerificationRequested: event(
    z.object({ backupId: Id, verificationId: Id, level: z.enum(VERIFICATION_LEVELS) }),
  ),
  /** The verification id is null for the verification that follows every backup. */
  BackupVerified: event(
    z.object({
      backupId: Id,
      verificationId: Id.nullable(),
      level: z.enum(VERIFICATION_LEVELS),
      result: z.enum(VERIFICATION_RESULTS),
      problem: z.string().nullable(),
    }),
  ),
  BackupPinned: event(z.object({ backupId: Id, pinned: z.boolean() })),
  BackupRestoreRequested: event(z.object({ backupId: Id })),
  BackupDownloaded: event(z.object({ backupId: Id })),
  BackupDeleted: event(z.object({ backupId: Id, byRetention: z.boolean() })),
  BackupScheduleChanged: event(BackupSchedule),
  /**
   * No backup has succeeded for two intervals of the schedule. `since` is the time of the last success, or of the last
   * change of the schedule if that was later.
   */
  BackupOverdue: event(z.object({ since: z.string() })),
  /** The first event after a restore. The id is null if the restored log does not list the file of the backup. */
  BackupRestored: event(
    z.object({ backupId: Id.nullable(), fileName: z.string(), seq: z.number().int(), chainHash: z.string() }),
  ),
};
export type BackupEvent = EventsOf<typeof backupEvents>;

export interface Verification {
  backupId: number;
  verificationId: number;
  level: VerificationLevel;
}

export interface Backup {
  backupId: number;
  trigger: BackupTrigger;
  status: (typeof BACKUP_STATUSES)[number];
  file: BackupFile | null;
  /** Why the backup failed, which part of its file is damaged, or why the last verification could not be completed. */
  problem: string | null;
  /** Whether the first verification of the backup has ended, with any result. */
  isChecked: boolean;
  /** The highest level of a verification that found the backup intact. Damage resets the level to null. */
  verifiedLevel: VerificationLevel | null;
  pinned: boolean;
}

export interface Backups {
  /** By id, without deleted backups. */
  backups: Map<number, Backup>;
  /** The requested verifications without a result, by verification id. */
  verifications: Map<number, Verification>;
  schedule: BackupSchedule | null;
  /** The names of the files of deleted backups, for their removal from the disk. */
  deletedFiles: Set<string>;
  /** The `since` of the last `BackupOverdue`. */
  overdueSince: string | null;
}

export const emptyBackups = (): Backups => ({
  backups: new Map(),
  verifications: new Map(),
  schedule: null,
  deletedFiles: new Set(),
  overdueSince: null,
});

/** Folds one event of a backup. */
export function evolveBackup(state: Backup | undefined, event: BackupEvent): Backup | undefined {
  if (event.type === 'BackupRequested') {
    const { backupId, trigger } = event.data;
    const nothingYet = { file: null, problem: null, isChecked: false, verifiedLevel: null, pinned: false };
    return { backupId, trigger, status: 'RUNNING', ...nothingYet };
  }
  if (event.type === 'BackupUploaded') {
    const { backupId, madeAt: _, ...file } = event.data;
    const verified = { problem: null, isChecked: true, verifiedLevel: 'checksums', pinned: false } as const;
    return { backupId, trigger: 'UPLOAD', status: 'DONE', file, ...verified };
  }
  if (state === undefined) return undefined;
  switch (event.type) {
    case 'BackupCompleted': {
      const { backupId: _, madeAt: _madeAt, ...file } = event.data;
      return { ...state, status: 'DONE', file, problem: null };
    }
    case 'BackupFailed':
      return { ...state, status: 'FAILED', problem: event.data.problem };
    case 'BackupVerified':
      return { ...afterVerification(state, event.data), isChecked: true };
    case 'BackupPinned':
      return { ...state, pinned: event.data.pinned };
    case 'BackupDeleted':
      return undefined;
    default:
      return state;
  }
}

function afterVerification(
  state: Backup,
  { result, level, problem }: Extract<BackupEvent, { type: 'BackupVerified' }>['data'],
): Backup {
  switch (result) {
    case 'INTACT':
      return {
        ...state,
        status: 'DONE',
        problem: null,
        verifiedLevel: state.verifiedLevel === 'restore' ? 'restore' : level,
      };
    case 'DAMAGED':
      return { ...state, status: 'DAMAGED', problem, verifiedLevel: null };
    case 'FAILED':
      return { ...state, problem }; // the verification does not show whether the file is intact
  }
}

/** Folds one event of the stream; changes the state in place. */
export function evolveBackups(state: Backups, event: BackupEvent): Backups {
  if (event.type === 'BackupScheduleChanged') {
    state.schedule = event.data;
    return state;
  }
  if (event.type === 'BackupOverdue') {
    state.overdueSince = event.data.since;
    return state;
  }
  if (event.type === 'BackupRestored') return state;
  const { backupId } = event.data;
  if (event.type === 'BackupVerificationRequested') state.verifications.set(event.data.verificationId, event.data);
  if (event.type === 'BackupVerified' && event.data.verificationId !== null) {
    state.verifications.delete(event.data.verificationId);
  }
  const before = state.backups.get(backupId);
  const after = evolveBackup(before, event);
  if (after) state.backups.set(backupId, after);
  else state.backups.delete(backupId);
  if (!after && before?.file) state.deletedFiles.add(before.file.fileName);
  return state;
}

export const PASSPHRASE_MIN = 12;
export const PASSPHRASE_TOO_SHORT = `A passphrase has at least ${PASSPHRASE_MIN} characters`;

const Passphrase = z
  .string()
  .min(PASSPHRASE_MIN, PASSPHRASE_TOO_SHORT)
  .max(1_000)
  .optional()
  .describe(
    'Encrypts the file. The passphrase is deleted when the backup has ended: without it the backup cannot be read.',
  );

/** POST /api/backups. */
export const RequestBackup = z.object({ passphrase: Passphrase });
/** The header with the passphrase of an uploaded file, percent-encoded. */
export const PASSPHRASE_HEADER = 'X-Backup-Passphrase';

/** POST /api/backups/{id}/verify. */
export const RequestVerification = z.object({
  level: z
    .enum(VERIFICATION_LEVELS)
    .default('checksums')
    .describe(
      '`checksums` reads the file. `restore` also restores the file into temporary stores and compares tables and read models. This takes longer, and needs twice the uncompressed size of the backup on the disk.',
    ),
  passphrase: z.string().max(1_000).optional().describe('The passphrase of an encrypted backup.'),
});
/** PATCH /api/backups/{id}. */
export const PinBackup = z.object({
  pinned: z.boolean().describe('If true, the retention does not delete the backup.'),
});
/** POST /api/backups/{id}/download. */
export const DownloadBackup = IdentityProof;

/** POST /api/backups/{id}/restore. */
export const RestoreBackup = IdentityProof.extend({
  name: z.string().max(500).describe('The name of the file, typed by the user.'),
  requireNewPasswords: z
    .boolean()
    .default(true)
    .describe('Whether users who changed their password after the backup must choose a new one at their next sign-in.'),
  passphrase: z.string().max(1_000).optional().describe('The passphrase of an encrypted backup.'),
});

export type RestoreBackup = z.infer<typeof RestoreBackup>;

/** GET /api/backups/{id}/restore-preview. */
export const RestorePreview = defineView(() =>
  z.object({
    lostEvents: z.number().describe('The number of events after the backup, which the restore loses.'),
    madeAt: z.string(),
    passwordsChanged: z
      .number()
      .describe(
        'The number of users who changed their password after the backup; their earlier password becomes valid again.',
      ),
    keptRevocations: z
      .number()
      .describe(
        'The number of API keys revoked and of users deactivated or erased after the backup: the restore keeps these changes.',
      ),
    purgesSince: z
      .number()
      .describe(
        'The number of purges that deleted data which the backup contains. If there is one, the backup cannot be restored from the page.',
      ),
    restorable: z.boolean().describe('Whether this installation can restore from the page.'),
  }),
);
export type RestorePreview = z.infer<typeof RestorePreview>;

export const BackupDownload = defineView(() =>
  z.object({ url: z.string().describe('The address of the file, valid for five minutes and only for this session.') }),
);
export type BackupDownload = z.infer<typeof BackupDownload>;

/** One row of GET /api/backups. */
export const BackupView = defineView(() =>
  Dates.extend({
    id: z.number(),
    jobId: z.number(),
    fileName: z.string().nullable(),
    trigger: z.enum(BACKUP_TRIGGERS),
    status: z.enum(BACKUP_STATUSES),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why the backup failed, which part of the file is damaged, or why the last verification could not be completed.',
      ),
    progress: z.number().describe('0 to 100.'),
    bytes: z.number().nullable(),
    events: z.number().nullable().describe('The number of events in the backup.'),
    position: z.string().nullable().describe('The position of the last event in the backup.'),
    seq: z.number().nullable(),
    chainHash: z.string().nullable(),
    sha256: z.string().nullable(),
    encrypted: z.boolean().nullable(),
    verifiedAt: z.string().nullable(),
    verifiedLevel: z.enum(VERIFICATION_LEVELS).nullable(),
    verifying: z.boolean().describe('Whether a verification waits or runs.'),
    pinned: z.boolean(),
    expiresAt: z
      .string()
      .nullable()
      .describe(
        'When the retention deletes the backup, if every scheduled backup until then succeeds. Null if the retention does not delete it, or if the time is unknown.',
      ),
    requestedBy: z
      .string()
      .nullable()
      .describe('The name of the user; null if no user requested the backup, as for one of the schedule.'),
    completedAt: z.string().nullable(),
  }),
);
export type BackupView = z.infer<typeof BackupView>;

/** A restore that is being prepared while the product serves. */
export const RunningRestore = z.object({ fileName: z.string(), progress: z.number().describe('0 to 100.') });
export type RunningRestore = z.infer<typeof RunningRestore>;

/** GET /api/backups. */
export const BackupsView = defineView(() =>
  z.object({
    items: z.array(BackupView).describe('Newest first.'),
    total: z.number(),
    folder: z.string().nullable().describe('Where the files are; null if the maintenance process does not answer.'),
    freeBytes: z.number().nullable(),
    onDiskOfData: z
      .boolean()
      .nullable()
      .describe('Whether the files are on the same disk as the data, so that losing this disk loses both.'),
    restoring: RunningRestore.nullable().describe(
      'A restore that prepares new stores while users work. When the new stores are ready, the product restarts and uses them.',
    ),
    lastRestore: z
      .object({ fileName: z.string(), at: z.string(), problem: z.string().nullable() })
      .nullable()
      .describe('The last restore that was requested on the page. If `problem` is set, the restore changed nothing.'),
    overdue: z.boolean().describe('Whether no backup has succeeded for two intervals of the schedule.'),
  }),
);
export type BackupsView = z.infer<typeof BackupsView>;

/** GET /api/backups/schedule. */
export const BackupScheduleView = defineView(() =>
  BackupSchedule.extend({
    isSet: z.boolean().describe('Whether an administrator has set the schedule.'),
    nextAt: z.string().nullable().describe('When the next backup starts; null if none is planned or known.'),
  }),
);
export type BackupScheduleView = z.infer<typeof BackupScheduleView>;

/** The status that the maintenance process reports. */
export const MaintenanceStatus = z.object({
  folder: z.string(),
  freeBytes: z.number().nullable(),
  onDiskOfData: z.boolean().nullable(),
  nextAt: z.string().nullable(),
  expiries: z.array(z.object({ id: z.number(), at: z.string() })),
  overdue: z.boolean(),
  restorable: z.boolean(),
  restoring: RunningRestore.nullable(),
  lastRestore: z.object({ fileName: z.string(), at: z.string(), problem: z.string().nullable() }).nullable(),
});
export type MaintenanceStatus = z.infer<typeof MaintenanceStatus>;
