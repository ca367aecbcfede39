import type { Migration } from '../migration.ts';

export const commands: Migration = {
  name: '0002-commands',
  up: `
CREATE SCHEMA command;
CREATE SEQUENCE command.reference_type_ids;
CREATE SEQUENCE command.data_set_ids;
CREATE SEQUENCE command.instance_ids;
CREATE SEQUENCE command.relationship_ids;
CREATE SEQUENCE command.crosswalk_ids;
CREATE SEQUENCE command.mapping_ids;
CREATE SEQUENCE command.missing_mapping_ids;
CREATE SEQUENCE command.job_ids;
CREATE SEQUENCE command.collection_ids;
CREATE SEQUENCE command.group_ids;
-- User 1 is the first administrator; ids below 100 are seeded roles.
CREATE SEQUENCE command.user_ids START 2;
CREATE SEQUENCE command.role_ids START 100;
-- One row per command, so that repeating a command has no second effect.
CREATE TABLE command.commands (
  command_id uuid PRIMARY KEY,
  principal text NOT NULL,
  name text NOT NULL,
  body_hash text NOT NULL,
  -- Parameters, body and actor; null for identity commands, whose content is never stored.
  payload jsonb,
  -- The ids that the command allocated, in order: a repetition uses the same ids.
  allocated jsonb NOT NULL DEFAULT '[]',
  -- By step: the expected revision of its append. Written before the append, so that recovery can look for the events.
  steps jsonb NOT NULL DEFAULT '{}',
  request_id text NOT NULL,
  leased_until timestamptz NOT NULL,
  status integer,
  -- json and not jsonb, so that a repetition gets exactly the same answer.
  answer json,
  position text,
  created_at timestamptz NOT NULL DEFAULT now(),
  answered_at timestamptz
);
CREATE INDEX commands_unanswered ON command.commands (leased_until) WHERE status IS NULL;
CREATE INDEX commands_created ON command.commands (created_at);
-- Uploaded files. They are stored in pieces, so that no process has a whole file in memory.
CREATE TABLE command.staged_files (
  id uuid PRIMARY KEY,
  owner_id bigint NOT NULL,
  -- Derived from the caller and the Idempotency-Key, so that a repeated upload is the same file.
  upload_key uuid UNIQUE,
  data_set_id bigint,
  file_name text NOT NULL,
  size bigint NOT NULL DEFAULT 0,
  hash text,
  -- The answer of GET /api/imports/{id}.
  view jsonb,
  complete boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE command.staged_chunks (
  file_id uuid NOT NULL REFERENCES command.staged_files ON DELETE CASCADE,
  number integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (file_id, number)
);
ALTER TABLE command.staged_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
-- State of imports that the worker needs in addition to the events of their jobs.
CREATE TABLE command.imports (
  job_id bigint PRIMARY KEY,
  file_id uuid NOT NULL,
  validation_job_id bigint NOT NULL,
  import_job_id bigint NOT NULL,
  correlation_id text NOT NULL,
  request_id text NOT NULL,
  -- The number of leases so far. Rows that a run stages after it lost its lease have an older number, and are ignored.
  attempt integer NOT NULL DEFAULT 0,
  -- The attempt whose staged rows passed validation, and its counts.
  validated_attempt integer,
  validated_counts jsonb,
  -- The number of failed runs since a run made progress.
  failures integer NOT NULL DEFAULT 0,
  cancelled_by bigint,
  -- The end that was decided: { status, reason, actorId }. After it is stored, no row is imported.
  ending jsonb
);
CREATE INDEX imports_file ON command.imports (file_id);
-- Valid rows. A piece has rows of one bucket, in the order of the file, for one event; its columns are JSON arrays.
CREATE TABLE command.staged_rows (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  bucket smallint NOT NULL,
  number integer NOT NULL,
  lines text NOT NULL,
  keys text NOT NULL,
  cells text NOT NULL,
  -- The numbers from which the ids of the rows are derived: a resumed import gives the rows the same ids.
  sequences bigint[] NOT NULL,
  PRIMARY KEY (job_id, attempt, bucket, number)
);
ALTER TABLE command.staged_rows ALTER COLUMN keys SET STORAGE EXTERNAL, ALTER COLUMN cells SET STORAGE EXTERNAL;
-- One row per piece: the lines that repeat a key of the file, and the result of the piece.
CREATE TABLE command.import_steps (
  job_id bigint NOT NULL,
  bucket smallint NOT NULL,
  number integer NOT NULL,
  repeated integer[] NOT NULL,
  -- The expected revision of the append, written before the append.
  expected bigint,
  counts jsonb,
  -- How to undo the piece, if the import is all or nothing.
  undo text,
  PRIMARY KEY (job_id, bucket, number)
);`,
};
