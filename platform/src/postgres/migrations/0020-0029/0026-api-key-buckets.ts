import type { Migration } from '../migration.ts';

export const apiKeyBuckets: Migration = {
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
};
