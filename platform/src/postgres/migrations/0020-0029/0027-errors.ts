import type { Migration } from '../migration.ts';

export const errors: Migration = {
  name: '0027-errors',
  up: `
-- The last errors of all services, for the diagnostics page. They have no personal data and no texts of other programs.
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
-- The number of errors of a service per minute that were not stored.
CREATE TABLE telemetry.omitted_errors (
  service text NOT NULL,
  minute timestamptz NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (service, minute)
);`,
};
