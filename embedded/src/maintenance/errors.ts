/** Errors of maintenance, each with a code and a message. */

export type MaintenanceErrorCode =
  /** Another backup, restore, purge or scavenge is running, or the running product could not do the work. */
  | 'MAINTENANCE_RUNNING'
  /** The process ended, or the work was stopped, before it was complete. */
  | 'INTERRUPTED'
  | 'DISK_SPACE'
  /** The event log lacks events that the read models hold. */
  | 'LOG_SHORTER'
  | 'SCAVENGE_FAILED'
  /**
   * The file is incomplete or was altered, or its restored copy differs from the product. `entry` is the damaged entry,
   * if it is known.
   */
  | 'BACKUP_DAMAGED'
  | 'WRONG_PASSPHRASE'
  | 'NEWER_FORMAT'
  /** An intact backup, or a head of the log, has no signature of a trusted key; or no key for signing is set. */
  | 'UNKNOWN_KEY'
  /** The read models of restored data could not be built, because their projector ended early. */
  | 'VERIFICATION_FAILED'
  /** Events of an exported log are missing or altered. */
  | 'LOG_BROKEN'
  /** The restore would replace data without the option that allows it, or data on servers, which no option allows. */
  | 'DATA_EXIST'
  /** The backup contains data that were purged after it was made. */
  | 'PURGED_SINCE'
  /** This installation cannot restore the backup. */
  | 'RESTORE_NOT_HERE'
  /** A purge has waited too long for commands, jobs or read models, or was stopped or cancelled meanwhile. */
  | 'NOT_READY'
  /** Streams changed after the dry run of a purge, or its plan is missing. */
  | 'PLAN_CHANGED'
  /** The audit log differs from the event store. */
  | 'AUDIT_DIFFERS';

export class MaintenanceError extends Error {
  readonly code: MaintenanceErrorCode;
  /** The entry of a backup at which the problem was found. */
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
