import type { Migration } from '../migration.ts';

export const importDrafts: Migration = {
  name: '0030-import-drafts',
  up: `
-- Drafts of imports: files that were uploaded without a target, their profiles, and the settings of their owners.
CREATE TABLE command.import_drafts (
  id uuid PRIMARY KEY REFERENCES command.staged_files ON DELETE CASCADE,
  owner_id bigint NOT NULL,
  -- Incremented by each change of the settings.
  revision integer NOT NULL DEFAULT 1,
  state text NOT NULL DEFAULT 'READING' CHECK (state IN ('READING', 'READY', 'REFUSED', 'STARTED')),
  refusal text,
  settings jsonb NOT NULL DEFAULT '{}',
  -- The profile of the file; null until the file is read.
  profile jsonb,
  -- The last dry run with its groups of problems.
  check_job_id bigint,
  check_status text CHECK (check_status IN ('PENDING', 'IN_PROGRESS', 'DONE', 'FAILED')),
  check_result jsonb,
  -- The job of the import that was started with this draft.
  job_id bigint,
  leased_until timestamptz,
  leased_by text,
  -- Attempts at the current reading or dry run.
  attempt integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX import_drafts_owner ON command.import_drafts (owner_id, changed_at);
-- Records with problems that the last dry run found.
CREATE TABLE command.import_problems (
  draft_id uuid NOT NULL REFERENCES command.import_drafts ON DELETE CASCADE,
  check_job_id bigint NOT NULL,
  record bigint NOT NULL,
  place text NOT NULL,
  group_ids text[] NOT NULL,
  cells jsonb NOT NULL,
  problems jsonb NOT NULL,
  -- False if the record has only warnings: then it is imported.
  is_error boolean NOT NULL,
  PRIMARY KEY (draft_id, check_job_id, record)
);
-- Keys of records that are in a file but not imported, by bucket. An import that replaces all rows keeps rows with these keys.
CREATE TABLE command.import_kept_keys (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  bucket smallint NOT NULL,
  -- A JSON array.
  keys text NOT NULL
);
CREATE INDEX import_kept_keys_job ON command.import_kept_keys (job_id, bucket);
-- The column settings of the last import with these headers into a data set. They are proposed for the next file.
CREATE TABLE command.import_memories (
  data_set_id bigint NOT NULL,
  -- The names of the columns in their order, as a JSON array.
  headers text NOT NULL,
  -- Settings by column name.
  columns jsonb NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (data_set_id, headers)
);`,
};
