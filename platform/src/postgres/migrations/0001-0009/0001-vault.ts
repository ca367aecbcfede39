import type { Migration } from '../migration.ts';

export const vault: Migration = {
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
-- Identity events that are not in the log yet. The outbox relay appends them in this order.
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
};
