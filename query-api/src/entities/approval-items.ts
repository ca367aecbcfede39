/** SQL for relationship values in approval items: rows shown by their keys, attributes by their names. */

import { displayedKey } from '../access/row-keys.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The key of the row at an end of the submitted value `submitted`. */
const keyAt = (tables: Tables, submitted: Sql, end: 'source' | 'target'): Sql => {
  const dataSet = end === 'source' ? sql`a.source_data_set_id` : sql`a.target_data_set_id`;
  return sql`(SELECT ${displayedKey(sql`i.key`)} FROM ${tables('instances')} i
    WHERE i.data_set_id = ${dataSet} AND i.id = (${submitted} ->> ${`${end}InstanceId`}::text)::bigint)`;
};

/** `before` or `after` of an item `a` for display. */
export const displayedValue = (tables: Tables, submitted: Sql): Sql => sql`(CASE
  WHEN a.kind <> 'relationship-value' OR ${submitted} IS NULL OR jsonb_typeof(${submitted}) = 'null' THEN ${submitted}
  ELSE jsonb_build_object('source', ${keyAt(tables, submitted, 'source')}, 'target', ${keyAt(tables, submitted, 'target')})
    || coalesce((SELECT jsonb_object_agg(d ->> 'name', ${submitted} -> 'attributes' -> (d ->> 'attributeId'))
      FROM ${tables('relationships')} y, jsonb_array_elements(y.attributes) d
      WHERE y.id = a.parent_id AND NOT (d ->> 'removed')::boolean), '{}') END)`;

/** The title of an item `a`, for a value `DE → EUR`: as submitted or, for a deletion, as it is. */
export function itemTitle(tables: Tables): Sql {
  const submitted = sql`coalesce(nullif(a.after, 'null'), a.before)`;
  return sql`(CASE WHEN a.kind <> 'relationship-value' THEN a.title
    ELSE concat_ws(' → ', ${keyAt(tables, submitted, 'source')}, ${keyAt(tables, submitted, 'target')}) END)`;
}
