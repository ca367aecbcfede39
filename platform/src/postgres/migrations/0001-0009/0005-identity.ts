import type { Migration } from '../migration.ts';

export const identity: Migration = {
  name: '0005-identity',
  up: `
ALTER TABLE identity.users ADD COLUMN erased_at timestamptz,
  -- Incremented by each change that an administrator makes, so that two administrators do not overwrite each other.
  -- revised_by is the command of the last change: repeating this command changes nothing.
  ADD COLUMN revision integer NOT NULL DEFAULT 1,
  ADD COLUMN revised_by uuid;
-- All erased users have the same name.
DROP INDEX identity.users_username, identity.users_email;
CREATE UNIQUE INDEX users_username ON identity.users (lower(username)) WHERE erased_at IS NULL;
CREATE UNIQUE INDEX users_email ON identity.users (lower(email)) WHERE erased_at IS NULL;
-- Two providers can use the same user id.
ALTER TABLE identity.users DROP CONSTRAINT users_okta_id_key;
CREATE UNIQUE INDEX users_identity ON identity.users (auth_provider, okta_id);
ALTER TABLE identity.request_contexts ADD COLUMN user_id bigint;
CREATE INDEX request_contexts_user ON identity.request_contexts (user_id);
-- Failed sign-ins per subject. A subject is a device, or a user name as it was typed, whether or not a user has it. Names are
-- stored as keyed hashes.
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
-- The number of requests per subject in the current window. Subjects are keyed hashes.
CREATE TABLE identity.throttles (
  subject text PRIMARY KEY,
  hits integer NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX throttles_ends ON identity.throttles (ends_at);
-- Browsers on which a user has signed in. Their failures count separately, so that a stranger cannot lock the user out.
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
-- Requests for a link to reset a password. The address is sealed, and deleted when its user was looked up. The request is
-- answered before that, so that the answer does not reveal whether a user has the address.
CREATE TABLE identity.reset_requests (
  id bigserial PRIMARY KEY,
  sealed_email bytea NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now()
);
-- Mail to send, or to show to administrators if there is no mail server. The text has a secret link, so it is sealed.
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
-- Tokens of sign-in providers that were used: each token signs in once.
CREATE TABLE identity.used_id_tokens (
  hash bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
-- A repeated command looks for the events that it already added.
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
-- During a rotation, a key has two valid secrets.
CREATE TABLE identity.api_key_secrets (
  hash bytea PRIMARY KEY,
  api_key_id bigint NOT NULL REFERENCES identity.api_keys ON DELETE CASCADE,
  prefix text NOT NULL,
  -- The user to whom the secret was shown. Commands that use this secret count as commands of this user.
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
