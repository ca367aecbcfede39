/** Settings of the maintenance process, in addition to the settings of every service. */
import { join, resolve } from 'node:path';
import { MANIFEST_PART_MAX } from '@rdm/contracts';
import { readPassphrase } from '../command-line.ts';

export interface MaintenanceSettings {
  /** The folder with the files of backups: BACKUP_DIR, or `backups` in DATA_DIR. */
  folder: string;
  /** The file with the key that signs backups and manifests of purges; undefined if no key is set. */
  signingKeyFile: string | undefined;
  /** The passphrase of backups that are requested without one. */
  passphrase: string | undefined;
  /** Maximum number of events, or of streams, in one part of the manifest of a purge. */
  manifestPartMax: number;
}

/**
 * Reads the settings. Throws an error with the remedy if a value is wrong, or if neither BACKUP_DIR nor DATA_DIR is
 * set.
 */
export function readMaintenanceSettings(environment: NodeJS.ProcessEnv = process.env): MaintenanceSettings {
  const {
    BACKUP_DIR: folder,
    DATA_DIR: dataDir,
    AUDIT_SIGNING_KEY: signingKeyFile,
    BACKUP_PASSPHRASE_FILE: passphraseFile,
    PURGE_MANIFEST_PART_MAX: partMax = String(MANIFEST_PART_MAX),
  } = environment;
  const manifestPartMax = Number(partMax);
  if (!Number.isInteger(manifestPartMax) || manifestPartMax < 1 || manifestPartMax > MANIFEST_PART_MAX) {
    throw new Error(`Set PURGE_MANIFEST_PART_MAX to a whole number from 1 to ${MANIFEST_PART_MAX}, or leave it out`);
  }
  if (!folder && !dataDir) throw new Error('Set BACKUP_DIR to the folder for the files of backups');
  return {
    folder: folder ? resolve(folder) : join(resolve(dataDir as string), 'backups'),
    signingKeyFile: signingKeyFile ? resolve(signingKeyFile) : undefined,
    passphrase: readPassphrase(passphraseFile),
    manifestPartMax,
  };
}
