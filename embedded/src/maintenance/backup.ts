/** Writes a backup: the log up to a cut and the tables of a later snapshot, in one signed file. */
import type { Pool } from '@rdm/platform';
import type { Cut } from './format/entries.ts';
import type { FreeSpace } from './free-space.ts';
import type { LogSource } from './log-source.ts';

export interface BackupProgress {
  phase: 'tables' | 'log' | 'finishing';
  /** Uncompressed bytes. */
  done: number;
  /** An estimate until the end. */
  total: number;
}

export interface BackupOptions {
  /** Created if it does not exist. */
  folder: string;
  pool: Pool;
  source: LogSource;
  /** PEM file of the private signing key; a copy goes into encrypted files. */
  signingKeyFile: string;
  productVersion: string;
  sessionSecret: string;
  /** Encrypts the file if given. */
  passphrase?: string | undefined;
  /** Rest after each piece of work, as a multiple of its duration; 0 where the product is stopped. */
  rest?: number;
  onProgress?: (progress: BackupProgress) => void;
  signal?: AbortSignal;
  /** Replaced by tests. */
  freeSpace?: FreeSpace;
}

export interface CompletedBackup {
  fileName: string;
  bytes: number;
  sha256: string;
  cut: Cut;
  /** Product events up to the cut. */
  events: number;
  encrypted: boolean;
  keyId: string;
}

/**
 * Rejects with a `MaintenanceError` (`MAINTENANCE_RUNNING`, `DISK_SPACE`), or with the signal's reason; no file is left behind
 * then. After a kill the file `<name>.part` remains: `removeUnfinishedBackups` deletes it at the next start.
 */
export type CreateBackup = (options: BackupOptions) => Promise<CompletedBackup>;
