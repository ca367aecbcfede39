import type { Migration } from '../migration.ts';

export const requestsByKeys: Migration = {
  name: '0016-requests-by-keys',
  up: `
-- The API key by which a missing value was asked for last; the user beside it created the key.
ALTER TABLE telemetry.missing_mappings ADD COLUMN request_api_key_id bigint;`,
};
