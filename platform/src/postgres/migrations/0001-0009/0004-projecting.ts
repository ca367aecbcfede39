import type { Migration } from '../migration.ts';

export const projecting: Migration = {
  name: '0004-projecting',
  up: `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
-- The position that the reader of the leading projector has reached. A former leader has an older token, and cannot write.
CREATE TABLE platform.reader (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  token bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  commit_position text NOT NULL DEFAULT '0',
  prepare_position text NOT NULL DEFAULT '0',
  -- The time of the event with this seq, or the time of an earlier event if that is later. Reads with asOf use it.
  at timestamptz NOT NULL DEFAULT '-infinity',
  log_id uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO platform.reader DEFAULT VALUES;
-- Each build of a projection has a schema of its own.
CREATE TABLE platform.builds (
  name text NOT NULL,
  version integer NOT NULL,
  build integer NOT NULL,
  schema_name text NOT NULL UNIQUE,
  -- BUILDING reads the log while another build serves; RETIRED is deleted after a grace period.
  state text NOT NULL CHECK (state IN ('BUILDING', 'SERVING', 'DETACHED', 'RETIRED')),
  serving boolean NOT NULL DEFAULT false,
  seq bigint NOT NULL DEFAULT 0,
  commit_position text NOT NULL DEFAULT '0',
  prepare_position text NOT NULL DEFAULT '0',
  failed_event jsonb,
  failure text,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  PRIMARY KEY (name, version, build)
);
CREATE UNIQUE INDEX builds_serving ON platform.builds (name) WHERE serving;
-- Times of events, one per batch: a read with asOf=T includes events up to the last seq with at <= T.
CREATE TABLE platform.instants (
  seq bigint PRIMARY KEY,
  at timestamptz NOT NULL
);
CREATE INDEX instants_at ON platform.instants (at, seq);
CREATE TABLE platform.live_changes (
  seq bigint PRIMARY KEY,
  position text NOT NULL,
  type text NOT NULL,
  entity text NOT NULL,
  entity_id bigint NOT NULL,
  ids bigint[],
  count integer NOT NULL,
  revisions bigint[],
  changed_fields text[],
  actor_id bigint,
  command_id text NOT NULL,
  data_set_ids bigint[] NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX live_changes_at ON platform.live_changes (at);
CREATE TABLE platform.selections (
  id uuid PRIMARY KEY,
  owner_id bigint NOT NULL,
  kind text NOT NULL,
  parent_id bigint,
  -- [[id, revision], …], or [[id, revision, kind, parentId], …] for rows of several parents, in the order on the screen.
  items jsonb NOT NULL,
  count integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX selections_expiry ON platform.selections (expires_at);
CREATE SCHEMA telemetry;
CREATE TABLE telemetry.missing_mappings (
  crosswalk_id bigint NOT NULL,
  source_value text NOT NULL,
  request_count bigint NOT NULL DEFAULT 1,
  request_user_id bigint,
  request_context text,
  requested_at timestamptz NOT NULL DEFAULT now(),
  last_requested_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (crosswalk_id, source_value)
);`,
};
