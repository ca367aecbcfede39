import type { Migration } from '../migration.ts';

export const translationRequests: Migration = {
  name: '0013-translation-requests',
  up: `
-- The number of translations of each mapped value: telemetry. A value can be longer than an index entry, so the key has its
-- hash.
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
};
