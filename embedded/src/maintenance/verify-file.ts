/** Verifies a backup: entries, records, chain and signature. */
import type { BackupHeader, BackupTrailer } from './format/entries.ts';

export interface VerifyOptions {
  passphrase?: string | undefined;
  /** Public keys (PEM) that this installation trusts. */
  trustedKeys: readonly string[];
  /** Accepts the key in the file where none of the trusted ones made the signature. */
  trustFileKey?: boolean;
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

export interface VerifiedBackup {
  header: BackupHeader;
  trailer: BackupTrailer;
  bytes: number;
  sha256: string;
  encrypted: boolean;
  /** Whether a trusted key made the signature, or only the one in the file. */
  isKeyTrusted: boolean;
}

/** Rejects with a `MaintenanceError`: `BACKUP_DAMAGED`, `WRONG_PASSPHRASE`, `NEWER_FORMAT` or `UNKNOWN_KEY`. */
export type VerifyFile = (file: string, options: VerifyOptions) => Promise<VerifiedBackup>;
