/** How often a value nobody has mapped is asked for: telemetry, counted in place; that it was asked for is an event. */
import { Id, MappedText, MISSING_MAPPINGS_PER_CROSSWALK } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { z } from 'zod';

/** What query-api tells: values that translate did not know, as often as they were asked for. */
export const Sightings = z.object({
  crosswalkId: Id,
  userId: Id.nullable(),
  apiKeyId: Id.optional(),
  values: z.array(MappedText).min(1).max(10_000),
  context: z.string().max(1_000).optional(),
});

/** Who asks, and what for. */
export interface Requester {
  userId: number | null;
  /** The key that asks, which the user created. */
  apiKeyId: number | undefined;
  context: string | undefined;
}

/** Adds to the counts, and says who asked last, one statement; a value occurring twice counts twice. A full crosswalk counts what it knows. */
export async function countSightings(
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

/** Values that nobody asked translate for in so long are forgotten. */
const REQUESTS_KEPT_DAYS = 400;

/** Forgets how often values were asked for that nobody asks for any more. */
export async function pruneTranslationRequests(db: Queryable): Promise<void> {
  await db.query(`DELETE FROM telemetry.translation_requests WHERE last_requested_at < now() - $1 * interval '1 day'`, [
    REQUESTS_KEPT_DAYS,
  ]);
}
