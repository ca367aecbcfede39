/** Errors of maintenance: each has a code and a message with the remedy. */

export type MaintenanceErrorCode =
  /** Another backup, restore, purge or scavenge is running. */
  | 'MAINTENANCE_RUNNING'
  /** The process ended, or the work was stopped, before it was complete. */
  | 'INTERRUPTED'
  | 'DISK_SPACE'
  /** The event log lacks events that the read models hold. */
  | 'LOG_SHORTER'
  | 'SCAVENGE_FAILED'
  /** The file is incomplete or was altered; `entry` is the damaged entry. */
  | 'BACKUP_DAMAGED'
  | 'WRONG_PASSPHRASE'
  | 'NEWER_FORMAT'
  /** An intact backup, or a head of the log, is signed by a key that is not trusted; or no key for signing is set. */
  | 'UNKNOWN_KEY'
  /** A restored copy could not be compared for a reason that has nothing to do with the file. */
  | 'VERIFICATION_FAILED'
  /** Events of an exported log are missing or altered. */
  | 'LOG_BROKEN'
  /** The restore would replace data, and the option that allows it is missing. */
  | 'DATA_EXIST'
  /** The backup contains data that were purged after it was made. */
  | 'PURGED_SINCE'
  /** This installation cannot restore the backup. */
  | 'RESTORE_NOT_HERE'
  /** A purge has waited too long for commands, jobs or read models. */
  | 'NOT_READY'
  /** Streams changed after the dry run of a purge. */
  | 'PLAN_CHANGED'
  /** The audit log differs from the event store. */
  | 'AUDIT_DIFFERS';

export class MaintenanceError extends Error {
  readonly code: MaintenanceErrorCode;
  /** The entry of a backup that is damaged or missing. */
  readonly entry: string | undefined;

  constructor(code: MaintenanceErrorCode, message: string, { entry, cause }: { entry?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MaintenanceError';
    this.code = code;
    this.entry = entry;
  }
}

/** Returns the error for a backup with an incomplete or altered entry. */
export function damaged(entry: string, problem: string, cause?: unknown): MaintenanceError {
  const message = `The backup is damaged at ${entry}: ${problem}. Use another copy of the file, or another backup.`;
  return new MaintenanceError('BACKUP_DAMAGED', message, { entry, cause });
}
