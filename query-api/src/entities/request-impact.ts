/** Counts the translation requests for a source value. */
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/**
 * The number and the times of the translation requests for a source value, with or without a served mapping, as a
 * RequestImpact. Null as of the past.
 */
export function impactOf(tables: Tables, crosswalkId: Sql, sourceValue: Sql): Sql {
  if (tables.asOf !== undefined) return sql`NULL::json`;
  const own = sql`crosswalk_id = ${crosswalkId} AND source_hash = md5(${sourceValue})::uuid`;
  return sql`(SELECT json_build_object('requests', coalesce(sum(requested.requests), 0)::bigint,
      'firstRequestedAt', min(requested.first), 'lastRequestedAt', max(requested.last))
    FROM (SELECT requests, first_requested_at AS first, last_requested_at AS last
        FROM telemetry.translation_requests WHERE ${own}
      UNION ALL SELECT request_count, requested_at, last_requested_at FROM telemetry.missing_mappings WHERE ${own}) requested)`;
}
