/** SQL for the two sides of relationship values: rows, keys, labels and attributes. */

import { displayedKey } from '../access/row-keys.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** One side of the values `v`. */
export interface Side {
  dataSetId: Sql;
  labelFieldId: Sql;
  /** Row ids of the working value and of the served value. */
  working: Sql;
  served: Sql;
}

export const WORKING = { source: sql`v.source_instance_id`, target: sql`v.target_instance_id` };
export const SERVED = {
  source: sql`(v.served ->> 'sourceInstanceId')::bigint`,
  target: sql`(v.served ->> 'targetInstanceId')::bigint`,
};

/** Selects an expression of the row with this id in the side's data set, even if the row is deleted. */
const expressionOf = (
  tables: Tables,
  side: Side,
  id: Sql,
  expression: Sql,
): Sql => sql`(SELECT ${expression} FROM ${tables('instances')} i
  WHERE i.data_set_id = ${side.dataSetId} AND i.id = ${id})`;
export const keyOf = (tables: Tables, side: Side, id: Sql): Sql =>
  expressionOf(tables, side, id, displayedKey(sql`i.key`));
export const labelOf = (tables: Tables, side: Side): Sql =>
  expressionOf(tables, side, side.working, sql`i.data ->> (${side.labelFieldId})::text`);

/** Condition: the data set has no row with this id any more. */
export const isGone = (
  tables: Tables,
  { dataSetId }: Side,
  id: Sql,
): Sql => sql`NOT EXISTS (SELECT 1 FROM ${tables('instances')} i
  WHERE i.data_set_id = ${dataSetId} AND i.id = ${id} AND NOT i.deleted)`;

/** Condition: a row of the working value or of the served value does not exist any more. */
export const isBroken = (
  tables: Tables,
  source: Side,
  target: Side,
): Sql => sql`(${isGone(tables, source, source.working)}
  OR ${isGone(tables, target, target.working)} OR v.served IS NOT NULL AND (${isGone(tables, source, source.served)}
  OR ${isGone(tables, target, target.served)}))`;

/** The attributes of a value by name, without removed attributes. */
export const attributesByName = (
  cells: Sql,
): Sql => sql`(SELECT coalesce(jsonb_object_agg(a ->> 'name', ${cells} -> (a ->> 'attributeId')), '{}')
  FROM jsonb_array_elements(r.attributes) a WHERE NOT (a ->> 'removed')::boolean)`;
