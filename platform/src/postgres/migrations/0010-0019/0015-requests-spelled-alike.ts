import type { Migration } from '../migration.ts';

export const requestsSpelledAlike: Migration = {
  name: '0015-requests-spelled-alike',
  up: `
-- Adds up the counts of values that differ only in their Unicode normalization. Mapped values are stored in NFC.
WITH spelled AS (DELETE FROM telemetry.missing_mappings WHERE source_value IS NOT NFC NORMALIZED RETURNING *)
INSERT INTO telemetry.missing_mappings AS kept (crosswalk_id, source_value, request_count, request_user_id,
    request_context, requested_at, last_requested_at)
SELECT crosswalk_id, normalize(source_value, NFC), sum(request_count), (array_agg(request_user_id ORDER BY requested_at))[1],
    (array_agg(request_context ORDER BY requested_at))[1], min(requested_at), max(last_requested_at)
  FROM spelled GROUP BY 1, 2
ON CONFLICT (crosswalk_id, source_hash) DO UPDATE SET request_count = kept.request_count + excluded.request_count,
  requested_at = least(kept.requested_at, excluded.requested_at),
  last_requested_at = greatest(kept.last_requested_at, excluded.last_requested_at);
WITH spelled AS (DELETE FROM telemetry.translation_requests WHERE source_value IS NOT NFC NORMALIZED RETURNING *)
INSERT INTO telemetry.translation_requests AS kept (crosswalk_id, source_value, requests, first_requested_at, last_requested_at)
SELECT crosswalk_id, normalize(source_value, NFC), sum(requests), min(first_requested_at), max(last_requested_at)
  FROM spelled GROUP BY 1, 2
ON CONFLICT (crosswalk_id, source_hash) DO UPDATE SET requests = kept.requests + excluded.requests,
  first_requested_at = least(kept.first_requested_at, excluded.first_requested_at),
  last_requested_at = greatest(kept.last_requested_at, excluded.last_requested_at);`,
};
