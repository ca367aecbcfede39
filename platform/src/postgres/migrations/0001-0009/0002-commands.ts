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
-- One row per command: what makes repeating one safe (domain.md, Exactly one effect per command).
CREATE TABLE command.commands (
  command_id uuid PRIMARY KEY,
  principal text NOT NULL,
  name text NOT NULL,
  body_hash text NOT NULL,
  -- Params, body and actor; null for identity commands, which are never kept.
  payload jsonb,
  -- Ids it took, in order, so that a repetition takes the same.
  allocated jsonb NOT NULL DEFAULT '[]',
  -- Step → the revision its append expected, written before the append, so that recovery knows where to look.
  steps jsonb NOT NULL DEFAULT '{}',
  request_id text NOT NULL,
  leased_until timestamptz NOT NULL,
  status integer,
  -- json, not jsonb: a repetition is answered to the letter.
  answer json,
  position text,
  created_at timestamptz NOT NULL DEFAULT now(),
  answered_at timestamptz
);
CREATE INDEX commands_unanswered ON command.commands (leased_until) WHERE status IS NULL;
CREATE INDEX commands_created ON command.commands (created_at);
-- Uploaded files, kept in pieces so that no file is ever whole in memory.
CREATE TABLE command.staged_files (
  id uuid PRIMARY KEY,
  owner_id bigint NOT NULL,
  -- Made of the caller and the Idempotency-Key: the same upload again is the same file.
  upload_key uuid UNIQUE,
  data_set_id bigint,
  file_name text NOT NULL,
  size bigint NOT NULL DEFAULT 0,
  hash text,
  -- What GET /api/imports/{id} answers.
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
-- What the worker must know of an import beside the events of its job.
CREATE TABLE command.imports (
  job_id bigint PRIMARY KEY,
  file_id uuid NOT NULL,
  validation_job_id bigint NOT NULL,
  import_job_id bigint NOT NULL,
  correlation_id text NOT NULL,
  request_id text NOT NULL,
  -- Counts the leases: what a run that lost its lease still stages belongs to nobody.
  attempt integer NOT NULL DEFAULT 0,
  -- The attempt whose staged rows passed validation, and what it counted.
  validated_attempt integer,
  validated_counts jsonb,
  -- Runs that broke off since the last one that got further.
  failures integer NOT NULL DEFAULT 0,
  cancelled_by bigint,
  -- How it is about to end, { status, reason, actorId }: once written, no more rows are imported.
  ending jsonb
);
CREATE INDEX imports_file ON command.imports (file_id);
-- Valid rows in pieces of one bucket, each the size of one event: arrays as JSON, in the order of the file.
CREATE TABLE command.staged_rows (
  job_id bigint NOT NULL,
  attempt integer NOT NULL,
  bucket smallint NOT NULL,
  number integer NOT NULL,
  lines text NOT NULL,
  keys text NOT NULL,
  cells text NOT NULL,
  -- The numbers their ids are made of, so that a resumed import gives the same ids.
  sequences bigint[] NOT NULL,
  PRIMARY KEY (job_id, attempt, bucket, number)
);
ALTER TABLE command.staged_rows ALTER COLUMN keys SET STORAGE EXTERNAL, ALTER COLUMN cells SET STORAGE EXTERNAL;
-- One row per piece: which of its lines repeat a key of the file, and what became of it.
CREATE TABLE command.import_steps (
  job_id bigint NOT NULL,
  bucket smallint NOT NULL,
  number integer NOT NULL,
  repeated integer[] NOT NULL,
  -- The revision its append expects, written before the append.
  expected bigint,
  counts jsonb,
  -- What takes it back, for an import of all or nothing.
  undo text,
  PRIMARY KEY (job_id, bucket, number)
);`,
};
