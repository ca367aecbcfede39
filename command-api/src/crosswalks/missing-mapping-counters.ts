/**
 * Counts requests for values without a mapping, and prunes the counts of translation requests. The counts are telemetry
 * and have no events, but the first request for a value without a mapping is an event.
 */
import { Id, MappedText, MISSING_MAPPINGS_PER_CROSSWALK } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { z } from 'zod';

/** Source values for which query-api found no mapping. A value that was requested several times is repeated. */
export const UnknownValues = z.object({
  crosswalkId: Id,
  userId: Id.nullable(),
  apiKeyId: Id.optional(),
  values: z.array(MappedText).min(1).max(10_000),
  context: z.string().max(1_000).optional(),
});

/** The requesting user and the context of the request. */
export interface Requester {
  userId: number | null;
  /** Undefined for a request without an API key. */
  apiKeyId: number | undefined;
  context: string | undefined;
}

/**
 * Adds to the counts and stores the last requester, in one statement; a value listed twice counts twice. A crosswalk at
 * its limit counts only values that already have a count.
 */
export async function countRequests(
  db: Queryable,
  crosswalkId: number,
  values: readonly string[],
  { userId, apiKeyId, context }: Requester,
): Promise<void> {
  await db.query(
    `INSERT INTO telemetry.missing_mappings AS m (crosswalk_id, source_value, request_count, request_user_id,
         request_api_key_id, request_context)
     SELECT $1, value, count(*), $3, $4, $5 FROM unnest($2::text[]) AS value
      WHERE (SELECT count(*) FROM (SELECT FROM telemetry.missing_mappings WHERE crosswalk_id = $1 LIMIT $6) counted) < $6
         OR EXISTS (SELECT FROM telemetry.missing_mappings k
                     WHERE k.crosswalk_id = $1 AND k.source_hash = md5(value)::uuid)
      GROUP BY value
     ON CONFLICT (crosswalk_id, source_hash) DO UPDATE
       SET request_count = m.request_count + excluded.request_count, last_requested_at = now(),
         request_user_id = excluded.request_user_id, request_api_key_id = excluded.request_api_key_id,
         request_context = excluded.request_context`,
    [crosswalkId, values, userId, apiKeyId ?? null, context ?? null, MISSING_MAPPINGS_PER_CROSSWALK],
  );
}

/** Days without a request after which a count is deleted. */
const REQUEST_RETENTION_DAYS = 400;

/** Deletes the counts of translation requests for values that are no longer requested. */
export async function pruneTranslationRequests(db: Queryable): Promise<void> {
  await db.query(`DELETE FROM telemetry.translation_requests WHERE last_requested_at < now() - $1 * interval '1 day'`, [
    REQUEST_RETENTION_DAYS,
  ]);
}
