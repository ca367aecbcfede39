/** SQL for the rows that an activity changed, with their values before and after the activity. */
import { ACTIVITY_ROWS_PAGE, type ActivityRow } from '@rdm/contracts';
import { labelField } from '../access/label-field.ts';
import { displayedKey } from '../access/row-keys.ts';
import type { Tables } from '../read-models/read-models.ts';
import { join, numberLiteral, type Sql, sql } from '../read-models/sql.ts';
import { entityName } from './audited-names.ts';

/** A changed row as PostgreSQL returns it. */
export type RowVersions = Omit<ActivityRow, 'changes' | 'status'> & {
  statusBefore: string | null;
  statusAfter: string | null;
  /** Field ids with their names, in the order of the fields. */
  fields: [id: string, name: string][] | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

/** Returns a row with only the fields that differ. */
export function toActivityRow({ fields, before, after, statusBefore, statusAfter, ...row }: RowVersions): ActivityRow {
  const changes = (fields ?? []).flatMap(([id, field]) => {
    const [was, is] = [before?.[id] ?? null, after?.[id] ?? null];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ field, before: was, after: is }];
  });
  const hasStatus = statusBefore !== null || statusAfter !== null;
  return { ...row, status: hasStatus ? { before: statusBefore, after: statusAfter } : null, changes };
}

/** For each versioned table: the entity type in the audit log, and the column with the id of the parent. */
const VERSIONED = {
  instances: { type: 'instances', parent: sql`v.data_set_id` },
  crosswalk_mapping_values: { type: 'mappings', parent: sql`v.crosswalk_id` },
  relationship_values: { type: 'relationshipValues', parent: sql`v.relationship_id` },
};

/**
 * The versions of a row `t` before its first and after its last event of the activity. A version is valid from its
 * event to the next event of the row.
 */
function versions(tables: Tables, table: keyof typeof VERSIONED, columns: Sql): Sql {
  const history = tables.current(`${table}_history`);
  const { type, parent } = VERSIONED[table];
  const own = sql`${parent} = t.entity_id AND v.id = t.id`;
  return sql`FROM (SELECT ${columns} FROM ${tables.current(table)} v WHERE ${own} AND v.valid_from = t.last_seq
      UNION ALL SELECT ${columns} FROM ${history} v WHERE ${own} AND v.valid_from = t.last_seq) after
    LEFT JOIN LATERAL (SELECT ${columns} FROM ${history} v WHERE ${own} AND v.valid_to = t.first_seq) before ON true
    WHERE t.entity_type = ${type}::text`;
}

const status = (version: Sql): Sql =>
  sql`CASE WHEN ${version}.deleted THEN 'DELETED' ELSE ${version}.approval_status END`;

/** The query for rows of current and deleted data sets. The label and the fields are null if the type is deleted. */
function instances(tables: Tables): Sql {
  const dataSets = sql`(SELECT id, type_id, key_field_ids, label_field_id FROM ${tables.current('reference_data_sets')} d
      WHERE d.id = t.entity_id
    UNION ALL (SELECT id, type_id, key_field_ids, label_field_id FROM ${tables.current('reference_data_sets_history')} d
      WHERE d.id = t.entity_id ORDER BY valid_to DESC LIMIT 1) LIMIT 1)`;
  const ofType = sql`LEFT JOIN LATERAL (SELECT ty.fields, ${labelField(sql`d`, sql`ty`, sql`d.key_field_ids`)} AS label
    FROM ${dataSets} d JOIN ${tables.current('reference_data_types')} ty ON ty.id = d.type_id) named ON true`;
  const data = (version: Sql) => sql`CASE WHEN ${version}.deleted THEN NULL ELSE ${version}.data END`;
  return sql`SELECT ${displayedKey(sql`found.key`)} AS key, found.before, found.after,
      found.label_data ->> named.label::text AS label, found."statusBefore", found."statusAfter",
      (SELECT jsonb_agg(jsonb_build_array(f ->> 'fieldId', f ->> 'name') ORDER BY place)
        FROM jsonb_array_elements(named.fields) WITH ORDINALITY fields (f, place)) AS fields
    FROM (SELECT after.key, ${data(sql`before`)} AS before, ${data(sql`after`)} AS after, after.data AS label_data,
        CASE WHEN before.deleted THEN 'DELETED' END AS "statusBefore", CASE WHEN after.deleted THEN 'DELETED' END AS "statusAfter"
      ${versions(tables, 'instances', sql`v.key, v.data, v.deleted`)}) found ${ofType}`;
}

function mappings(tables: Tables): Sql {
  const values = (version: Sql) => sql`CASE WHEN ${version}.deleted IS NOT TRUE AND ${version}.source_value IS NOT NULL
    THEN jsonb_build_object('target', ${version}.target_value, 'confidence', ${version}.confidence) END`;
  return sql`SELECT concat(after.source_value, ' → ', after.target_value) AS key, ${values(sql`before`)} AS before,
      ${values(sql`after`)} AS after, NULL::text AS label, ${status(sql`before`)} AS "statusBefore",
      ${status(sql`after`)} AS "statusAfter",
      '[["target", "Target value"], ["confidence", "Confidence"]]'::jsonb AS fields
    ${versions(tables, 'crosswalk_mapping_values', sql`v.source_value, v.target_value, v.confidence, v.deleted, v.approval_status`)}`;
}

function relationshipValues(tables: Tables): Sql {
  const keyOfEnd = (
    dataSetId: Sql,
    id: Sql,
  ) => sql`(SELECT ${displayedKey(sql`i.key`)} FROM ${tables.current('instances')} i
    WHERE i.data_set_id = ${dataSetId} AND i.id = ${id})`;
  const source = (version: Sql) => keyOfEnd(sql`r.source_data_set_id`, sql`${version}.source_instance_id`);
  const target = (version: Sql) => keyOfEnd(sql`r.target_data_set_id`, sql`${version}.target_instance_id`);
  const values = (version: Sql) => sql`CASE WHEN ${version}.deleted IS FALSE
    THEN ${version}.attributes || jsonb_build_object('source', ${source(version)}, 'target', ${target(version)}) END`;
  return sql`SELECT concat(${source(sql`(found.after)`)}, ' → ', ${target(sql`(found.after)`)}) AS key,
      ${values(sql`(found.before)`)} AS before, ${values(sql`(found.after)`)} AS after, NULL::text AS label,
      ${status(sql`(found.before)`)} AS "statusBefore", ${status(sql`(found.after)`)} AS "statusAfter",
      '[["source", "Source"], ["target", "Target"]]'::jsonb || coalesce((SELECT jsonb_agg(
        jsonb_build_array(attribute ->> 'attributeId', attribute ->> 'name') ORDER BY place)
        FROM jsonb_array_elements(r.attributes) WITH ORDINALITY attributes (attribute, place)), '[]') AS fields
    FROM (SELECT before, after ${versions(
      tables,
      'relationship_values',
      sql`v.source_instance_id, v.target_instance_id, v.attributes, v.deleted, v.approval_status`,
    )}) found
    JOIN ${tables.currentWithDeleted('relationships')} r ON r.id = t.entity_id`;
}

/** Missing mappings have no versions to compare. */
const missingMappings = (
  tables: Tables,
): Sql => sql`SELECT m.source_value AS key, NULL::jsonb AS before, NULL::jsonb AS after,
    NULL::text AS label, NULL::text AS "statusBefore", NULL::text AS "statusAfter", NULL::jsonb AS fields
  FROM ${tables.current('missing_mappings')} m
  WHERE t.entity_type = 'missingMappings' AND m.crosswalk_id = t.entity_id AND m.id = t.id`;

const rowQueries = (tables: Tables): Sql =>
  join([instances(tables), mappings(tables), relationshipValues(tables), missingMappings(tables)], ' UNION ALL ');

/** The query for the rows of a relation `t` (entity_type, entity_id, id, first_seq, last_seq), as RowVersions. */
export const rowVersions = (tables: Tables, touched: Sql): Sql => sql`
  SELECT t.entity_type AS "entityType", t.entity_id AS "entityId",
    ${entityName(tables, sql`t.entity_type`, sql`t.entity_id`)} AS "entityName", t.id, r.*
  FROM (${touched}) t, LATERAL (${rowQueries(tables)}) r`;

/** Condition: an audit row `e` belongs to the activity `a`. */
export const isOfActivity = sql`(e.causation_id = a.key OR e.job_id = a.job_id)`;

/** More rows than this are sorted by event, because a sort by key would read the keys of all rows for each page. */
const SORTED_ROWS_MAX = 10_000;

/** The current key of a row `t`, in the form by which lists sort it. */
function sortedKey(tables: Tables): Sql {
  const instance = (dataSetId: Sql, id: Sql) =>
    sql`SELECT ${displayedKey(sql`i.key`)} FROM ${tables.current('instances')} i WHERE i.data_set_id = ${dataSetId} AND i.id = ${id}`;
  const mapping = sql`SELECT v.source_value FROM ${tables.current('crosswalk_mapping_values')} v
    WHERE v.crosswalk_id = t.entity_id AND v.id = t.id`;
  const value = sql`SELECT (${instance(sql`r.source_data_set_id`, sql`v.source_instance_id`)})
    FROM ${tables.current('relationship_values')} v JOIN ${tables.currentWithDeleted('relationships')} r ON r.id = v.relationship_id
    WHERE v.relationship_id = t.entity_id AND v.id = t.id`;
  const missing = sql`SELECT m.source_value FROM ${tables.current('missing_mappings')} m WHERE m.id = t.id`;
  return sql`(lower(CASE t.entity_type WHEN 'instances' THEN (${instance(sql`t.entity_id`, sql`t.id`)})
    WHEN 'mappings' THEN (${mapping}) WHEN 'missingMappings' THEN (${missing}) ELSE (${value}) END) COLLATE "C")`;
}

/** The query for one page of the rows of an activity, and for the number of all rows. */
export const rowsPage = (tables: Tables, activityId: number, page: number): Sql => sql`
  WITH touched AS MATERIALIZED (
    SELECT e.entity_type, e.entity_id, r.id, min(e.seq) AS first_seq, max(e.seq) AS last_seq, min(r.place) AS place
    FROM ${tables('audit_activities')} a JOIN ${tables('audit_logs')} e ON ${isOfActivity},
      LATERAL unnest(e.record_ids) WITH ORDINALITY r (id, place)
    WHERE a.id = ${activityId} AND e.entity_type IN ('instances', 'mappings', 'relationshipValues', 'missingMappings')
      AND e.type NOT LIKE 'Suggestions%'
    GROUP BY e.entity_type, e.entity_id, r.id),
  shown AS MATERIALIZED (SELECT t.*, CASE WHEN (SELECT count(*) FROM touched) <= ${SORTED_ROWS_MAX}
      THEN ${sortedKey(tables)} END AS sorted_key
    FROM touched t ORDER BY sorted_key, first_seq, place, id
    LIMIT ${numberLiteral(ACTIVITY_ROWS_PAGE)} OFFSET ${(page - 1) * ACTIVITY_ROWS_PAGE})
  SELECT (SELECT count(*) FROM touched) AS total,
    (SELECT count(*) FROM ${tables('audit_activities')} a WHERE a.id = ${activityId}) AS "activityCount",
    coalesce((SELECT json_agg(item) FROM (
      ${rowVersions(tables, sql`SELECT * FROM shown`)} ORDER BY t.sorted_key, t.first_seq, t.place, t.id) item), '[]') AS items`;
