import type { Migration } from '../migration.ts';

export const apiKeyBuckets: Migration = {
  name: '0026-api-key-buckets',
  up: `
-- The number of requests that a key has left, for all instances together.
CREATE TABLE telemetry.api_key_buckets (
  api_key_id bigint PRIMARY KEY,
  tokens double precision NOT NULL,
  -- The number of requests that the last lease took.
  leased double precision NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 50);`,
};
