/** How often a value nobody has mapped is asked for: telemetry, counted in place; that it was asked for is an event. */
import { Id, MappedText, MISSING_MAPPINGS_PER_CROSSWALK } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { z } from 'zod';

/** What query-api tells: values that translate did not know, as often as they were asked for. */
export const Sightings = z.object({
  crosswalkId: Id,
  userId: Id.nullable(),
  values: z.array(MappedText).min(1).max(10_000),
  context: z.string().max(1_000).optional(),
});

/** Adds to the counts, one statement; a value occurring twice counts twice. A full crosswalk counts what it knows. */
export async function countSightings(
  db: Queryable,
  crosswalkId: number,
  values: readonly string[],
  userId: number | null,
  context: string | null,
): Promise<void> {
  await db.query(
    `INSERT INTO telemetry.missing_mappings AS m (crosswalk_id, source_value, request_count, request_user_id, request_context)
     SELECT $1, value, count(*), $3, $4 FROM unnest($2::text[]) AS value
      WHERE (SELECT count(*) FROM (SELECT FROM telemetry.missing_mappings WHERE crosswalk_id = $1 LIMIT $5) counted) < $5
         OR EXISTS (SELECT FROM telemetry.missing_mappings k
                     WHERE k.crosswalk_id = $1 AND k.source_hash = md5(value)::uuid)
      GROUP BY value
     ON CONFLICT (crosswalk_id, source_hash) DO UPDATE
       SET request_count = m.request_count + excluded.request_count, last_requested_at = now()`,
    [crosswalkId, values, userId, context, MISSING_MAPPINGS_PER_CROSSWALK],
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
