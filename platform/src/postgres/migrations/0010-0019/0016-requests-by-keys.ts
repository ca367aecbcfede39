import type { Migration } from '../migration.ts';

export const requestsByKeys: Migration = {
  name: '0016-requests-by-keys',
  up: `
-- The API key of the last request for a missing value. request_user_id is the user who created the key.
ALTER TABLE telemetry.missing_mappings ADD COLUMN request_api_key_id bigint;`,
};
