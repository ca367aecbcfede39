import type { Migration } from '../migration.ts';

export const importDrafts: Migration = {
  name: '0030-import-drafts',
  up: `
-- Drafts of imports: a file without a target at its upload, what was found out about it, and what its owner set.
CREATE TABLE command.import_drafts (
  id uuid PRIMARY KEY REFERENCES command.staged_files ON DELETE CASCADE,
  owner_id bigint NOT NULL,
  -- Incremented by each change of the settings.
  revision integer NOT NULL DEFAULT 1,
  state text NOT NULL DEFAULT 'READING' CHECK (state IN ('READING', 'READY', 'REFUSED', 'STARTED')),
  refusal text,
  settings jsonb NOT NULL DEFAULT '{}',
  -- What one pass over the file found out; null until then.
  profile jsonb,
  -- The last dry run, its groups of problems included.
  check_job_id bigint,
  check_status text CHECK (check_status IN ('PENDING', 'IN_PROGRESS', 'DONE', 'FAILED')),
  check_result jsonb,
  -- The import that it became.
  job_id bigint,
  leased_until timestamptz,
  leased_by text,
  -- Attempts at the current reading or dry run.
  attempt integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX import_drafts_owner ON command.import_drafts (owner_id, changed_at);
-- Records with problems, as the last dry run found them.
CREATE TABLE command.import_problems (
  draft_id uuid NOT NULL REFERENCES command.import_drafts ON DELETE CASCADE,
  check_job_id bigint NOT NULL,
  record bigint NOT NULL,
  place text NOT NULL,
  group_ids text[] NOT NULL,
  cells jsonb NOT NULL,
  problems jsonb NOT NULL,
  -- False if it has warnings alone: it is imported.
  is_error boolean NOT NULL,
  PRIMARY KEY (draft_id, check_job_id, record)
);
-- Keys of rows that a file names but an import leaves out, by bucket: rows of the data set with them are not removed.
CREATE TABLE command.import_kept_keys (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  bucket smallint NOT NULL,
  -- As a JSON array.
  keys text NOT NULL
);
CREATE INDEX import_kept_keys_job ON command.import_kept_keys (job_id, bucket);
-- How the columns of the last file with these headers were read into a data set, for the next one.
CREATE TABLE command.import_memories (
  data_set_id bigint NOT NULL,
  -- The names of the columns in their order, as JSON.
  headers text NOT NULL,
  -- Settings by name of the column.
  columns jsonb NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (data_set_id, headers)
);`,
};
