import type { Migration } from '../migration.ts';

export const requestsUpdatedInPlace: Migration = {
  name: '0014-requests-updated-in-place',
  up: `
-- Counters change every second. PostgreSQL updates them in place, without new index entries, if their page has free space
-- and no index contains a changed column.
ALTER TABLE telemetry.translation_requests SET (fillfactor = 50);
DROP INDEX telemetry.translation_requests_last;
CREATE INDEX translation_requests_last ON telemetry.translation_requests USING brin (last_requested_at);`,
};
