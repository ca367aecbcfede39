/** Errors of maintenance: each has a code and a sentence with its remedy. */

export type MaintenanceErrorCode =
  /** A backup, restore, purge or scavenge runs. */
  | 'MAINTENANCE_RUNNING'
  /** The process ended while it worked. */
  | 'INTERRUPTED'
  | 'DISK_SPACE'
  | 'SCAVENGE_FAILED'
  /** A file that is incomplete or was altered; `entry` names the place. */
  | 'BACKUP_DAMAGED'
  | 'WRONG_PASSPHRASE'
  | 'NEWER_FORMAT'
  /** A backup that is whole, or a head of the log, signed by a key that is not trusted. */
  | 'UNKNOWN_KEY'
  /** A restored copy could not be compared, for a cause apart from the file. */
  | 'VERIFICATION_FAILED'
  /** An exported log in which something is missing or altered. */
  | 'LOG_BROKEN'
  /** A restore that would replace data without the consent to it. */
  | 'DATA_EXIST'
  /** A backup that contains what was purged after it was made. */
  | 'PURGED_SINCE'
  /** A backup that this stack cannot restore. */
  | 'RESTORE_NOT_HERE'
  /** Commands, jobs or read models that a purge must wait for. */
  | 'NOT_READY'
  /** Streams that changed after the dry run of a purge. */
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

/** A backup whose entry is incomplete or altered. */
export function damaged(entry: string, problem: string, cause?: unknown): MaintenanceError {
  const message = `The backup is damaged at ${entry}: ${problem}. Use another copy of the file, or another backup.`;
  return new MaintenanceError('BACKUP_DAMAGED', message, { entry, cause });
}
