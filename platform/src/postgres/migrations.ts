/** Tables of the vault and of the infrastructure, in order; projections own theirs (architecture.md, Projecting). */
import type { Knex } from 'knex';

interface Migration {
  name: string;
  up: string;
}

const all: Migration[] = [
  {
    name: '0001-vault',
    up: `
CREATE SCHEMA identity;
CREATE TABLE identity.users (
  id bigint PRIMARY KEY,
  username text NOT NULL,
  email text NOT NULL,
  password_hash text,
  first_name text, last_name text, phone_number text, display_name text, department text, job_title text,
  okta_id text UNIQUE,
  auth_provider text NOT NULL DEFAULT 'local',
  require_password_change boolean NOT NULL DEFAULT false,
  last_login_at timestamptz,
  failed_login_attempts integer NOT NULL DEFAULT 0,
  lockouts integer NOT NULL DEFAULT 0,
  locked_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_username ON identity.users (lower(username));
CREATE UNIQUE INDEX users_email ON identity.users (lower(email));
CREATE TABLE identity.password_history (
  id bigserial PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES identity.users ON DELETE CASCADE,
  password_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX password_history_user ON identity.password_history (user_id, id DESC);
CREATE TABLE identity.login_attempts (
  id bigserial PRIMARY KEY,
  username text NOT NULL,
  ip_address text,
  user_agent text,
  success boolean NOT NULL,
  user_id bigint,
  attempted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX login_attempts_at ON identity.login_attempts (attempted_at);
CREATE INDEX login_attempts_address ON identity.login_attempts (ip_address, attempted_at);
CREATE TABLE identity.sessions (
  id uuid PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES identity.users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_active_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX sessions_user ON identity.sessions (user_id) WHERE ended_at IS NULL;
CREATE TABLE identity.request_contexts (
  request_id text PRIMARY KEY,
  ip_address text,
  user_agent text,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX request_contexts_at ON identity.request_contexts (at);
-- Facts of the vault that others must hear of, appended to the log in order by the relay.
CREATE TABLE identity.outbox (
  id bigserial PRIMARY KEY,
  event_id uuid NOT NULL,
  stream text NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  metadata jsonb NOT NULL,
  sent_at timestamptz
);
CREATE INDEX outbox_unsent ON identity.outbox (id) WHERE sent_at IS NULL;`,
  },
  {
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
  },
  {
    name: '0003-jobs',
    up: `
CREATE SCHEMA jobs;
-- Telemetry of jobs: how far they are. The facts of a job are in its stream.
CREATE TABLE jobs.progress (
  job_id bigint PRIMARY KEY,
  parent_job_id bigint,
  phase text NOT NULL,
  status text NOT NULL,
  -- Rows; a total is an estimate until the file was read to its end.
  processed bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  counts jsonb NOT NULL,
  rate double precision,
  leased_until timestamptz,
  leased_by text,
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE jobs.logs (
  id bigserial PRIMARY KEY,
  job_id bigint NOT NULL,
  timestamp timestamptz NOT NULL DEFAULT now(),
  level text NOT NULL,
  message text NOT NULL,
  record_index bigint,
  record_data jsonb,
  status text,
  error_type text,
  error_message text,
  -- Of a rejected row: [{ column, value, rule, fix }], one for each thing wrong with it.
  error_details jsonb
);
CREATE INDEX logs_job ON jobs.logs (job_id, id);
CREATE UNIQUE INDEX logs_row ON jobs.logs (job_id, record_index, error_type) WHERE record_index IS NOT NULL;`,
  },
  {
    name: '0004-projecting',
    up: `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
-- Where the leader's reader stands; its token fences out a leader of the past.
CREATE TABLE platform.reader (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  token bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  commit_position text NOT NULL DEFAULT '0',
  prepare_position text NOT NULL DEFAULT '0',
  -- at of seq: max(previous at, occurredAt); asOf instants are looked up by it.
  at timestamptz NOT NULL DEFAULT '-infinity',
  log_id uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO platform.reader DEFAULT VALUES;
-- Each build of a projection owns the schema named here.
CREATE TABLE platform.builds (
  name text NOT NULL,
  version integer NOT NULL,
  build integer NOT NULL,
  schema_name text NOT NULL UNIQUE,
  -- BUILDING grows from the log beside the serving one; RETIRED waits for its grace period.
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
-- Instants of seq, one per batch: asOf=T is the last seq with at <= T.
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
  -- [[id, revision], …] or, across parents, [[id, revision, kind, parentId], …], in the order seen.
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
  },
  {
    name: '0005-identity',
    up: `
ALTER TABLE identity.users ADD COLUMN erased_at timestamptz,
  -- Counts what administrators change of a person, so that two of them do not overwrite each other; and which command
  -- did it last, so that repeating that one changes nothing more.
  ADD COLUMN revision integer NOT NULL DEFAULT 1,
  ADD COLUMN revised_by uuid;
-- Everybody who was erased is called the same.
DROP INDEX identity.users_username, identity.users_email;
CREATE UNIQUE INDEX users_username ON identity.users (lower(username)) WHERE erased_at IS NULL;
CREATE UNIQUE INDEX users_email ON identity.users (lower(email)) WHERE erased_at IS NULL;
-- A provider's user id means something within that provider alone.
ALTER TABLE identity.users DROP CONSTRAINT users_okta_id_key;
CREATE UNIQUE INDEX users_identity ON identity.users (auth_provider, okta_id);
ALTER TABLE identity.request_contexts ADD COLUMN user_id bigint;
CREATE INDEX request_contexts_user ON identity.request_contexts (user_id);
-- Wrong passwords by what they were tried on: names as they were typed, whoever has them or nobody, and devices. Names are
-- kept as keyed hashes.
ALTER TABLE identity.sessions ADD COLUMN expires_at timestamptz NOT NULL DEFAULT now() + interval '24 hours';
CREATE TABLE identity.sign_in_locks (
  subject text PRIMARY KEY,
  user_id bigint REFERENCES identity.users ON DELETE CASCADE,
  failures integer NOT NULL DEFAULT 0,
  lockouts integer NOT NULL DEFAULT 0,
  locked_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_locks_updated ON identity.sign_in_locks (updated_at);
CREATE INDEX sign_in_locks_user ON identity.sign_in_locks (user_id);
-- How often something was asked for in its window. Subjects are keyed hashes.
CREATE TABLE identity.throttles (
  subject text PRIMARY KEY,
  hits integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX throttles_ends ON identity.throttles (ends_at);
-- Browsers on which somebody signed in: their failures count for themselves, so that no stranger can lock a person out.
CREATE TABLE identity.devices (
  hash bytea NOT NULL,
  user_id bigint NOT NULL REFERENCES identity.users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (hash, user_id)
);
CREATE INDEX devices_user ON identity.devices (user_id);
CREATE TABLE identity.reset_tokens (
  hash bytea PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES identity.users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX reset_tokens_user ON identity.reset_tokens (user_id);
-- Addresses that links were asked for, sealed, until it was looked up whose they are: whoever asked was answered before.
CREATE TABLE identity.reset_requests (
  id bigserial PRIMARY KEY,
  sealed_email bytea NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now()
);
-- Mail to send, or to show where there is no server for it. The text holds a secret link: it is kept sealed.
CREATE TABLE identity.mail_outbox (
  id bigserial PRIMARY KEY,
  user_id bigint REFERENCES identity.users ON DELETE CASCADE,
  recipient text NOT NULL,
  subject text NOT NULL,
  sealed_text bytea,
  status text NOT NULL DEFAULT 'WAITING' CHECK (status IN ('WAITING', 'KEPT', 'SENT', 'FAILED')),
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz
);
CREATE INDEX mail_outbox_waiting ON identity.mail_outbox (next_attempt_at) WHERE status = 'WAITING';
-- Tokens of sign-in providers that were used: none signs in twice.
CREATE TABLE identity.used_id_tokens (
  hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
-- A command that is repeated looks for what it put there.
CREATE INDEX outbox_event ON identity.outbox (event_id);
CREATE SEQUENCE command.api_key_ids;
CREATE TABLE identity.api_keys (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  description text NOT NULL,
  -- [{ collectionId, scope }]
  scopes jsonb NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_by bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
-- A key has a second secret while a rotation overlaps.
CREATE TABLE identity.api_key_secrets (
  hash bytea PRIMARY KEY,
  api_key_id bigint NOT NULL REFERENCES identity.api_keys ON DELETE CASCADE,
  prefix text NOT NULL,
  -- Who was shown it: what is done with it counts as theirs.
  issued_to bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz
);
CREATE INDEX api_key_secrets_key ON identity.api_key_secrets (api_key_id);
CREATE TABLE telemetry.api_key_usage (
  api_key_id bigint NOT NULL,
  day date NOT NULL,
  calls bigint NOT NULL DEFAULT 0,
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (api_key_id, day)
);`,
  },
  {
    name: '0006-relationship-values',
    up: 'CREATE SEQUENCE command.relationship_value_ids;',
  },
  {
    name: '0008-filters',
    up: `
CREATE SEQUENCE command.saved_filter_ids;
CREATE SEQUENCE command.filter_configuration_ids;`,
  },
  {
    name: '0010-cancelled-imports',
    up: `
-- Who asked for it to stop, and in which request: { actorId, apiKeyId, requestId }.
ALTER TABLE command.imports ADD COLUMN cancellation jsonb;
UPDATE command.imports SET cancellation = jsonb_build_object('actorId', cancelled_by, 'requestId', request_id)
 WHERE cancelled_by IS NOT NULL;
ALTER TABLE command.imports DROP COLUMN cancelled_by;
-- Pieces are read once and go: they are not worth compressing.
ALTER TABLE command.staged_rows ALTER COLUMN lines SET STORAGE EXTERNAL, ALTER COLUMN sequences SET STORAGE EXTERNAL;`,
  },
  {
    name: '0013-translation-requests',
    up: `
-- How often translate was asked for a value that it knew: telemetry. Values are as long as mapped values may be, longer
-- than an index entry: their hash names them.
CREATE TABLE telemetry.translation_requests (
  crosswalk_id bigint NOT NULL,
  source_value text NOT NULL,
  source_hash uuid GENERATED ALWAYS AS (md5(source_value)::uuid) STORED,
  requests bigint NOT NULL,
  first_requested_at timestamptz NOT NULL,
  last_requested_at timestamptz NOT NULL,
  PRIMARY KEY (crosswalk_id, source_hash)
);
CREATE INDEX translation_requests_last ON telemetry.translation_requests (last_requested_at);
ALTER TABLE telemetry.missing_mappings DROP CONSTRAINT missing_mappings_pkey,
  ADD COLUMN source_hash uuid GENERATED ALWAYS AS (md5(source_value)::uuid) STORED,
  ADD PRIMARY KEY (crosswalk_id, source_hash);`,
  },
  {
    name: '0012-bulk-decisions',
    up: `
-- Decisions over many rows that a job takes: the rows as they were selected, until it ends.
CREATE TABLE command.bulk_decisions (
  job_id bigint PRIMARY KEY,
  command_id uuid NOT NULL UNIQUE,
  selection jsonb NOT NULL,
  -- Runs that broke off one after the other.
  failures integer NOT NULL DEFAULT 0,
  -- Who asked for it to stop, and in which request: { actorId, apiKeyId, requestId }.
  cancellation jsonb
);
-- What became of each piece: written once its events are in the log, together with the log of its refused rows.
CREATE TABLE command.bulk_pieces (
  job_id bigint NOT NULL REFERENCES command.bulk_decisions ON DELETE CASCADE,
  -- As the command remembers it: stream#n.
  step text NOT NULL,
  done integer NOT NULL,
  refused integer NOT NULL,
  PRIMARY KEY (job_id, step)
);`,
  },
  {
    name: '0014-requests-updated-in-place',
    up: `
-- Rows that are added to each second stay in their page, and their entries in the index of keys: there is room beside
-- them, and the other index is one of pages.
ALTER TABLE telemetry.translation_requests SET (fillfactor = 50);
DROP INDEX telemetry.translation_requests_last;
CREATE INDEX translation_requests_last ON telemetry.translation_requests USING brin (last_requested_at);`,
  },
  {
    name: '0015-requests-spelled-alike',
    up: `
-- What was counted of a value in several spellings is counted of the one that mapped values are kept in.
WITH spelled AS (DELETE FROM telemetry.missing_mappings WHERE source_value IS NOT NFC NORMALIZED RETURNING *)
INSERT INTO telemetry.missing_mappings AS kept (crosswalk_id, source_value, request_count, request_user_id,
    request_context, requested_at, last_requested_at)
SELECT crosswalk_id, normalize(source_value, NFC), sum(request_count), (array_agg(request_user_id ORDER BY requested_at))[1],
    (array_agg(request_context ORDER BY requested_at))[1], min(requested_at), max(last_requested_at)
  FROM spelled GROUP BY 1, 2
ON CONFLICT (crosswalk_id, source_hash) DO UPDATE SET request_count = kept.request_count + excluded.request_count,
  requested_at = least(kept.requested_at, excluded.requested_at),
  last_requested_at = greatest(kept.last_requested_at, excluded.last_requested_at);
WITH spelled AS (DELETE FROM telemetry.translation_requests WHERE source_value IS NOT NFC NORMALIZED RETURNING *)
INSERT INTO telemetry.translation_requests AS kept (crosswalk_id, source_value, requests, first_requested_at, last_requested_at)
SELECT crosswalk_id, normalize(source_value, NFC), sum(requests), min(first_requested_at), max(last_requested_at)
  FROM spelled GROUP BY 1, 2
ON CONFLICT (crosswalk_id, source_hash) DO UPDATE SET requests = kept.requests + excluded.requests,
  first_requested_at = least(kept.first_requested_at, excluded.first_requested_at),
  last_requested_at = greatest(kept.last_requested_at, excluded.last_requested_at);`,
  },
  {
    name: '0016-requests-by-keys',
    up: `
-- The API key by which a missing value was asked for last; the user beside it created the key.
ALTER TABLE telemetry.missing_mappings ADD COLUMN request_api_key_id bigint;`,
  },
  {
    name: '0017-notification-marks',
    up: `
-- What of their notifications a person has read or dismissed: nothing that happened to the data, so no event.
CREATE TABLE identity.notification_marks (
  user_id bigint NOT NULL REFERENCES identity.users ON DELETE CASCADE,
  seq bigint NOT NULL,
  part integer NOT NULL,
  is_read boolean NOT NULL DEFAULT true,
  is_dismissed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, seq, part)
);
-- Up to where all of them are; a mark of a single one goes before it.
CREATE TABLE identity.notifications_seen (
  user_id bigint PRIMARY KEY REFERENCES identity.users ON DELETE CASCADE,
  read_up_to bigint NOT NULL DEFAULT 0,
  dismissed_up_to bigint NOT NULL DEFAULT 0
);`,
  },
  {
    name: '0018-logs-by-name',
    up: `
-- What people call the row that a line is about, and what was tried with it.
ALTER TABLE jobs.logs ADD COLUMN record_key text, ADD COLUMN tried text;
-- What a job does to its rows, in a word. An undo has no selection but the batch that it takes back:
-- { commandId, actorId, streams }.
ALTER TABLE command.bulk_decisions ADD COLUMN tried text, ADD COLUMN batch jsonb, ALTER COLUMN selection DROP NOT NULL;`,
  },
  {
    name: '0019-imports-of-rows',
    up: `
-- Rows that a job imports come from a staged file, rather than from a selection.
ALTER TABLE command.bulk_decisions ADD COLUMN file_id uuid,
  -- What the first run looked up, where the pieces depend on it: later runs have the same pieces.
  ADD COLUMN found jsonb;
CREATE INDEX bulk_decisions_file ON command.bulk_decisions (file_id) WHERE file_id IS NOT NULL;
-- Of what is done in a piece, the rows that are changed; an import makes others, and leaves some as they are.
ALTER TABLE command.bulk_pieces ADD COLUMN created integer NOT NULL DEFAULT 0,
  ADD COLUMN unchanged integer NOT NULL DEFAULT 0;`,
  },
  {
    name: '0020-log-losses',
    up: `
-- Ends of the log that an operator accepted: events behind lost_after were missing, of which the read models held those up
-- to lost_up_to. Both are commit positions.
CREATE TABLE platform.log_losses (
  id bigserial PRIMARY KEY,
  lost_after text NOT NULL,
  lost_up_to text NOT NULL,
  accepted_at timestamptz NOT NULL DEFAULT now()
);`,
  },
  {
    name: '0021-rejected-rows',
    up: `
-- The table that rejected rows of a job came in, for the file that gives them back: the uploaded file goes after a week.
CREATE TABLE jobs.rejected_tables (
  job_id bigint PRIMARY KEY,
  encoding text NOT NULL,
  delimiter text NOT NULL,
  -- In the file's encoding: what stands before the line that names the columns, and that line; of columns without names
  -- their delimiters alone.
  metadata bytea NOT NULL,
  header bytea NOT NULL
);
-- Rejected rows as their file has them, but for the marks before formulas.
CREATE TABLE jobs.rejected_rows (
  job_id bigint NOT NULL,
  line bigint NOT NULL,
  content bytea NOT NULL,
  -- Its quotation marks are not in order: it stands behind the others, which it would swallow.
  is_broken boolean NOT NULL,
  PRIMARY KEY (job_id, line)
);`,
  },
  {
    name: '0022-jobs-out-of-memory',
    up: `
-- How often a job ran out of memory at the same place, and that place.
ALTER TABLE command.imports ADD COLUMN memory_failures integer NOT NULL DEFAULT 0, ADD COLUMN memory_place text;
ALTER TABLE command.bulk_decisions ADD COLUMN memory_failures integer NOT NULL DEFAULT 0, ADD COLUMN memory_place text;`,
  },
  {
    name: '0023-kept-rows',
    up: `
-- What the command side keeps of long streams, so that decisions need not read them: all of it can be dropped.
CREATE SCHEMA cache;
CREATE TABLE cache.streams (
  stream_id bigserial PRIMARY KEY,
  stream text NOT NULL UNIQUE,
  -- Of the last event that the rows hold, and when that happened.
  revision integer NOT NULL,
  last_at text NOT NULL,
  -- What the state holds beside its rows.
  head json NOT NULL,
  used_on date NOT NULL DEFAULT current_date
);
CREATE TABLE cache.rows (
  stream_id bigint NOT NULL,
  id bigint NOT NULL,
  key_hash bigint NOT NULL,
  row json NOT NULL,
  PRIMARY KEY (stream_id, id)
);
CREATE INDEX rows_by_key ON cache.rows (stream_id, key_hash);
-- What a command decided in steps whose streams are long, until it is answered: a repetition answers the same.
CREATE TABLE command.decided_steps (
  command_id uuid NOT NULL,
  step text NOT NULL,
  decided jsonb NOT NULL,
  PRIMARY KEY (command_id, step)
);`,
  },
  {
    name: '0024-proved-addresses',
    up: `
-- When the person followed a link that was mailed to the address; null where nothing proves that it is theirs.
ALTER TABLE identity.users ADD COLUMN email_proved_at timestamptz;
UPDATE identity.users u SET email_proved_at = t.used_at
  FROM (SELECT user_id, max(used_at) AS used_at FROM identity.reset_tokens GROUP BY user_id) t
 WHERE t.user_id = u.id AND EXISTS (
   SELECT FROM identity.mail_outbox m
    WHERE m.user_id = u.id AND m.status = 'SENT' AND lower(m.recipient) = lower(u.email));
-- The address of an account that lost it is empty.
DROP INDEX identity.users_email;
CREATE UNIQUE INDEX users_email ON identity.users (lower(email)) WHERE erased_at IS NULL AND email <> '';`,
  },
  {
    name: '0025-log-match',
    up: `
-- Id, stream and revision of the event with that seq, by which another copy of the log is recognised; and why nothing is
-- projected until an operator has decided.
ALTER TABLE platform.reader ADD COLUMN last_event jsonb, ADD COLUMN problem text;`,
  },
  {
    name: '0026-api-key-buckets',
    up: `
-- How many requests a key has left, for all instances.
CREATE TABLE telemetry.api_key_buckets (
  api_key_id bigint PRIMARY KEY,
  tokens double precision NOT NULL,
  -- What the last lease took out of it.
  leased double precision NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 50);`,
  },
  {
    name: '0027-errors',
    up: `
-- The last errors of all services, for the diagnostics page: no personal data, no texts of other programs.
CREATE TABLE telemetry.errors (
  id bigserial PRIMARY KEY,
  at timestamptz NOT NULL,
  service text NOT NULL,
  kind text NOT NULL,
  route text,
  status integer,
  code text NOT NULL,
  message text NOT NULL,
  correlation_id text,
  actor_id bigint
);
CREATE INDEX errors_at ON telemetry.errors (at);
CREATE INDEX errors_service ON telemetry.errors (service, at);
CREATE INDEX errors_actor ON telemetry.errors (actor_id, id);
-- How many errors of a service were not listed in a minute.
CREATE TABLE telemetry.omitted_errors (
  service text NOT NULL,
  minute timestamptz NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (service, minute)
);`,
  },
  {
    name: '0028-selection-criteria',
    up: `
-- How the rows of a selection were found: { kind, parentId, tab, filter, q, commandIds }. Filters may name people, so
-- they are no part of an event: the audit log finds those of a command here until they are forgotten.
ALTER TABLE platform.selections ADD COLUMN criteria jsonb;
CREATE TABLE command.selection_criteria (
  command_id text PRIMARY KEY,
  criteria jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX selection_criteria_at ON command.selection_criteria (at);`,
  },
];

/** In the order in which they run. */
export const migrationNames: string[] = all.map(({ name }) => name);

/** The migrations as knex asks for them; each runs in its own transaction. */
export const migrations: Knex.MigrationSource<Migration> = {
  getMigrations: async () => all,
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => ({
    up: (db) => db.raw(migration.up),
    down: () => Promise.reject(new Error('Migrations go forward only: restore a backup instead')),
  }),
};
