import type { Migration } from '../migration.ts';

export const identity: Migration = {
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
};
