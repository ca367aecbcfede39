/** Exports the functions of backups for tests and benchmarks outside this workspace. */
export {
  type BackupOptions,
  type BackupProgress,
  type CompletedBackup,
  createBackup,
  removeUnfinished,
} from './backup.ts';
export { MaintenanceError, type MaintenanceErrorCode } from './errors.ts';
export type {
  BackupHeader,
  BackupPart,
  BackupTrailer,
  CopiedTable,
  Cut,
  EntrySummary,
  LogRecord,
  SequenceState,
} from './format/entries.ts';
export { isEncrypted, type ReadOptions, readBackup } from './format/reader.ts';
export { type FreeSpace, freeSpaceOf, type Space } from './free-space.ts';
export { embeddedLog, type LogSource, remoteLog } from './log-source.ts';
export { NICENESS } from './niceness.ts';
export { fingerprintOf } from './signature.ts';
export { type VerifiedBackup, type VerifyOptions, verifyFile } from './verify-file.ts';
