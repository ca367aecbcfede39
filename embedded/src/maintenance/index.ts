/** Backups for the maintenance process and the scripts. */
export type { BackupOptions, BackupProgress, CompletedBackup, CreateBackup } from './backup.ts';
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
export type { FreeSpace, Space } from './free-space.ts';
export type { LogSource } from './log-source.ts';
export type { VerifiedBackup, VerifyFile, VerifyOptions } from './verify-file.ts';
