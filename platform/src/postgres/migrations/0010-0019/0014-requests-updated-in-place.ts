import type { Migration } from '../migration.ts';

export const requestsUpdatedInPlace: Migration = {
  name: '0014-requests-updated-in-place',
  up: `
-- Rows that are added to each second stay in their page, and their entries in the index of keys: there is room beside
-- them, and the other index is one of pages.
ALTER TABLE telemetry.translation_requests SET (fillfactor = 50);
DROP INDEX telemetry.translation_requests_last;
CREATE INDEX translation_requests_last ON telemetry.translation_requests USING brin (last_requested_at);`,
};
