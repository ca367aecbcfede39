/** Finds broken mappings: mappings with a source or target value that no row has any more. */

import { hasValue } from '../list/filter/fields.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sameIndexedText, sql } from '../read-models/sql.ts';
import { keyOf, mappedText } from './cells.ts';
import type { CrosswalkRecord, Side } from './crosswalks.ts';

export const ENDS = ['source', 'target'] as const;

export type End = (typeof ENDS)[number];

/**
 * Returns the query for the ids of mappings with a value that no row of the data set at this end has. Checks the source
 * value, or the proposed and the served target value. Finds keys by index, and groups values of other fields instead of
 * joining them, as in crosswalk-rows.ts.
 */
export function brokenMappings(tables: Tables, crosswalk: Pick<CrosswalkRecord, 'id' | End>, end: End): Sql {
  const side: Side = crosswalk[end];
  // Proposed values of rejected mappings do not count: many mappings are rejected because of their target.
  const isProposed = sql`m.approval_status <> 'REJECTED'`;
  const values =
    end === 'source'
      ? sql`(VALUES (CASE WHEN ${isProposed} OR m.served_target IS NOT NULL THEN m.source_value END))`
      : sql`(VALUES (CASE WHEN ${isProposed} THEN m.target_value END), (m.served_target))`;
  const used = sql`SELECT m.id, v.value FROM ${tables('crosswalk_mapping_values')} m, LATERAL ${values} v (value)
    WHERE m.crosswalk_id = ${crosswalk.id}::bigint AND NOT m.deleted AND v.value IS NOT NULL`;
  const rows = sql`${tables('instances')} i WHERE i.data_set_id = ${side.dataSetId}::bigint AND NOT i.deleted`;
  if (side.isKey) {
    return sql`SELECT DISTINCT used.id FROM (${used}) used
      WHERE NOT EXISTS (SELECT FROM ${rows} AND ${sameIndexedText(sql`i.key`, keyOf(sql`used.value`))})`;
  }
  return sql`SELECT DISTINCT unnest(grouped.ids) AS id FROM (
      SELECT array_agg(each.id) AS ids FROM (
        SELECT id, value FROM (${used}) used
        UNION ALL SELECT NULL, ${mappedText(sql`i.data`, side.fieldId)} FROM ${rows} AND ${hasValue('i.data', side.fieldId)}) each
      GROUP BY each.value HAVING bool_and(each.id IS NOT NULL)) grouped`;
}
