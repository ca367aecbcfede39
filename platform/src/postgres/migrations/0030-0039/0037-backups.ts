import type { Migration } from '../migration.ts';

export const backups: Migration = {
  name: '0037-backups',
  up: `
-- Passphrases of backups that wait or run, sealed with the session secret; deleted when the backup has ended.
CREATE TABLE command.backup_passphrases (
  job_id bigint PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);`,
};
