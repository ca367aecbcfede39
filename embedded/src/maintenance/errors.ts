/** Errors of maintenance, each with a code and a message. */

export type MaintenanceErrorCode =
  /** Other maintenance is running, or a request to the running product failed. */
  | 'MAINTENANCE_RUNNING'
  /** The work ended before it was complete. */
  | 'INTERRUPTED'
  | 'DISK_SPACE'
  /** The event log lacks events that the read models contain. */
  | 'LOG_SHORTER'
  | 'SCAVENGE_FAILED'
  /** The file is incomplete or altered, or its restored copy differs from the product. */
  | 'BACKUP_DAMAGED'
  | 'WRONG_PASSPHRASE'
  | 'NEWER_FORMAT'
  /** No signing key is set, or no trusted key signed the intact backup or the head of the log. */
  | 'UNKNOWN_KEY'
  /** The read models of restored data could not be built, because their projector ended early. */
  | 'VERIFICATION_FAILED'
  /** Events of an exported log are missing or altered. */
  | 'LOG_BROKEN'
  /** The restore would replace existing data. An option allows this for embedded stores, but not for servers. */
  | 'DATA_EXIST'
  /** The backup may contain data that were purged after the backup was made. */
  | 'PURGED_SINCE'
  /** This installation cannot restore the backup. */
  | 'RESTORE_NOT_HERE'
  /** A purge cannot continue: it has waited too long, or was stopped or cancelled. */
  | 'NOT_READY'
  /** Streams changed after the dry run of a purge, or its plan is missing. */
  | 'PLAN_CHANGED'
  /** The audit log differs from the event store. */
  | 'AUDIT_DIFFERS';

export class MaintenanceError extends Error {
  readonly code: MaintenanceErrorCode;
  /** The entry of a backup at which the problem was found; undefined if unknown. */
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
