/** The two sides of relationship values in SQL: the rows they lead to, what those are called, and what is said beside. */

import { displayedKey } from '../access/row-keys.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** One side of the values `v`: whose rows they lead to, and the field that says what those are called. */
export interface Side {
  dataSetId: Sql;
  labelFieldId: Sql;
  /** Ids of the row that the working value and the served one lead to. */
  working: Sql;
  served: Sql;
}

export const WORKING = { source: sql`v.source_instance_id`, target: sql`v.target_instance_id` };
export const SERVED = {
  source: sql`(v.served ->> 'sourceInstanceId')::bigint`,
  target: sql`(v.served ->> 'targetInstanceId')::bigint`,
};

/** What a side shows of a row. */
const shownOf = (
  tables: Tables,
  side: Side,
  id: Sql,
  shown: Sql,
): Sql => sql`(SELECT ${shown} FROM ${tables('instances')} i
  WHERE i.data_set_id = ${side.dataSetId} AND i.id = ${id})`;
export const keyOf = (tables: Tables, side: Side, id: Sql): Sql => shownOf(tables, side, id, displayedKey(sql`i.key`));
export const labelOf = (tables: Tables, side: Side): Sql =>
  shownOf(tables, side, side.working, sql`i.data ->> (${side.labelFieldId})::text`);

/** Condition: no row of the data set has this id any more. */
export const isGone = (
  tables: Tables,
  { dataSetId }: Side,
  id: Sql,
): Sql => sql`NOT EXISTS (SELECT 1 FROM ${tables('instances')} i
  WHERE i.data_set_id = ${dataSetId} AND i.id = ${id} AND NOT i.deleted)`;

/** Condition: the working value or the served one leads from or to a row that is gone. */
export const isBroken = (
  tables: Tables,
  source: Side,
  target: Side,
): Sql => sql`(${isGone(tables, source, source.working)}
  OR ${isGone(tables, target, target.working)} OR v.served IS NOT NULL AND (${isGone(tables, source, source.served)}
  OR ${isGone(tables, target, target.served)}))`;

/** What a value says under its attributes, by name; those that were removed are not shown. */
export const byName = (
  cells: Sql,
): Sql => sql`(SELECT coalesce(jsonb_object_agg(a ->> 'name', ${cells} -> (a ->> 'attributeId')), '{}')
  FROM jsonb_array_elements(r.attributes) a WHERE NOT (a ->> 'removed')::boolean)`;
