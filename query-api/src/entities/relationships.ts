/** SQL that several modules use: the attributes of relationships, and the counts of relationship values. */
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

const ATTRIBUTE = sql`jsonb_build_object('id', a -> 'attributeId', 'name', a -> 'name', 'dataType', a -> 'dataType',
  'isRequired', a -> 'isRequired', 'description', a -> 'description')`;

/** The attributes that are not removed, in order. `more` is a JSON object that is added to each attribute. */
export const attributeViews = (attributes: Sql, more = sql`'{}'::jsonb`): Sql => sql`(
  SELECT coalesce(jsonb_agg(${ATTRIBUTE} || ${more} ORDER BY place), '[]')
  FROM jsonb_array_elements(${attributes}) WITH ORDINALITY each (a, place) WHERE NOT (a ->> 'removed')::boolean)`;

/** The query for counts of values by status: current counts are stored, counts as of the past are computed. */
export function valueCounts(tables: Tables): Sql {
  if (tables.asOf === undefined) return tables('relationship_value_counts');
  return sql`(SELECT relationship_id, count(*) FILTER (WHERE approval_status = 'DRAFT') AS draft,
      count(*) FILTER (WHERE approval_status = 'PENDING') AS pending,
      count(*) FILTER (WHERE approval_status = 'APPROVED') AS approved,
      count(*) FILTER (WHERE approval_status = 'REJECTED') AS rejected,
      count(*) FILTER (WHERE served IS NOT NULL) AS served
    FROM ${tables('relationship_values')} WHERE NOT deleted GROUP BY relationship_id)`;
}
