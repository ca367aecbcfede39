/** SQL of approval items: one table of all items, conditions on the viewer, and displayed values. */

import type { Level } from '@rdm/contracts';
import { displayedKey } from '../access/row-keys.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The displayed key of the source or target row of a relationship value. */
const keyAt = (tables: Tables, value: Sql, end: 'source' | 'target'): Sql => {
  const dataSet = end === 'source' ? sql`a.source_data_set_id` : sql`a.target_data_set_id`;
  return sql`(SELECT ${displayedKey(sql`i.key`)} FROM ${tables('instances')} i
    WHERE i.data_set_id = ${dataSet} AND i.id = (${value} ->> ${`${end}InstanceId`}::text)::bigint)`;
};

/**
 * The displayed value `before` or `after` of an item `a`. A relationship value shows keys of rows and names of
 * attributes instead of ids.
 */
const displayedValue = (tables: Tables, value: Sql): Sql => sql`(CASE
  WHEN a.kind <> 'relationship-value' OR ${value} IS NULL OR jsonb_typeof(${value}) = 'null' THEN ${value}
  ELSE jsonb_build_object('source', ${keyAt(tables, value, 'source')}, 'target', ${keyAt(tables, value, 'target')})
    || coalesce((SELECT jsonb_object_agg(d ->> 'name', ${value} -> 'attributes' -> (d ->> 'attributeId'))
      FROM ${tables('relationships')} y, jsonb_array_elements(y.attributes) d
      WHERE y.id = a.parent_id AND NOT (d ->> 'removed')::boolean), '{}') END)`;

/**
 * The title of an item `a`. The title of a relationship value consists of the keys of its rows, such as `DE → EUR`. For
 * a deletion, these are the rows of the served value.
 */
export function itemTitle(tables: Tables): Sql {
  const value = sql`coalesce(nullif(a.after, 'null'), a.before)`;
  return sql`(CASE WHEN a.kind <> 'relationship-value' THEN a.title
    ELSE concat_ws(' → ', ${keyAt(tables, value, 'source')}, ${keyAt(tables, value, 'target')}) END)`;
}

/** The columns of items that the tables of both projections have. */
const ITEM = sql`a.kind, a.parent_id, a.id, a.submission, a.revision, a.status, a.deletion_requested, a.authors, a.submitted_by,
  a.submitted_at, a.comment, a.batch_id, a.decided_by, a.decided_at, a.decision_comment, a.decision_id, a.undone_by, a.undone_at, a.undone_seq, a.source_data_set_id, a.target_data_set_id`;

/** Items `a` of crosswalks and relationships, with the kind of their parent. */
export const approvalItems = (tables: Tables): Sql => sql`(
  SELECT ${ITEM}, a.title, a.before, a.after, 'crosswalk' AS parent_kind FROM ${tables('approval_items')} a
  UNION ALL SELECT ${ITEM}, ${itemTitle(tables)}, ${displayedValue(tables, sql`a.before`)}, ${displayedValue(tables, sql`a.after`)}, 'relationship'
    FROM ${tables('relationship_approval_items')} a) a`;

/** Condition: the viewer has a level on both ends. `level` defaults to the level that the route declares. */
export const mayReadEnds = (tables: Tables, viewer: Viewer, level?: Level): Sql =>
  viewer.hasLevelOnAll(tables, [sql`a.source_data_set_id`, sql`a.target_data_set_id`], level);

/** Condition: the item was approved or rejected, and the viewer has the level on both ends. */
export const isReadableDecision = (tables: Tables, viewer: Viewer, level?: Level): Sql =>
  sql`a.decided_at IS NOT NULL AND a.status IN ('APPROVED', 'REJECTED') AND ${mayReadEnds(tables, viewer, level)}`;

/**
 * The numbers of decisions on the last `days` UTC days as a JSON array, oldest first and today last. Undone decisions
 * and decisions that the viewer may not read do not count.
 */
export const decisionsPerDay = (tables: Tables, viewer: Viewer, days: number): Sql => sql`(
  SELECT json_agg(coalesce(decided.count, 0) ORDER BY day.number)
    FROM generate_series(0, ${days}::integer - 1) AS day(number)
    LEFT JOIN (SELECT (a.decided_at AT TIME ZONE 'UTC')::date AS date, count(*) FROM ${approvalItems(tables)}
                WHERE ${isReadableDecision(tables, viewer, 'READ')} AND a.undone_at IS NULL
                  AND a.decided_at > now() - ${days}::integer * interval '1 day' GROUP BY 1) decided
      ON decided.date = (now() AT TIME ZONE 'UTC')::date - (${days}::integer - 1 - day.number))`;
