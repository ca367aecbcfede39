/** The list of activities, with their sentences and the names of their entities. */
import { ACTIVITY_FIELDS, type AuditActivity, describe, FORMER_USER, type UndescribedActivity } from '@rdm/contracts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { type RowVersions, rowVersions, toActivityRow } from './activity-rows.ts';
import { entityName } from './audited-names.ts';

/** An activity as PostgreSQL returns it. */
export type StoredActivity = Omit<UndescribedActivity, 'row'> & { row: RowVersions | null };

export const toActivity = ({ row, ...stored }: StoredActivity): AuditActivity => {
  const activity = { ...stored, row: row && toActivityRow(row) };
  return { ...activity, line: describe(activity) };
};

/** The display name of a user, or else the user name; `FORMER_USER` if the user no longer exists. */
const personName = (u: Sql): Sql => sql`coalesce(nullif(${u}.display_name, ''), ${u}.username, ${FORMER_USER})`;

/** The name that a renamed field had before the activity; the event has only the new name. Null for other facts. */
function formerFieldName(tables: Tables, activity: Sql, fact: Sql): Sql {
  const type = sql`(${fact} ->> 'entityId')::bigint`;
  const during = (seq: Sql) => sql`${seq} BETWEEN ${activity}.id AND ${activity}.last_seq`;
  const history = tables.current('reference_data_types_history');
  const fieldsIn = (table: Sql) => sql`SELECT field FROM ${table} v, jsonb_array_elements(v.fields) field
    WHERE v.id = ${type} AND ${during(sql`v.valid_from`)}`;
  return sql`CASE WHEN ${fact} ->> 'action' = 'FieldRenamed' THEN (SELECT former ->> 'name'
    FROM (SELECT fields FROM ${history} v WHERE v.id = ${type} AND ${during(sql`v.valid_to`)} ORDER BY valid_to LIMIT 1) before,
      jsonb_array_elements(before.fields) former,
      (${fieldsIn(tables.current('reference_data_types'))} UNION ALL ${fieldsIn(history)}) renamed
    WHERE renamed.field -> 'fieldId' = former -> 'fieldId' AND renamed.field -> 'name' = ${fact} -> 'data' -> 'name'
      AND former -> 'name' <> renamed.field -> 'name'
    LIMIT 1) END`;
}

/** The facts of an activity with the names of their entities, and the former names of renamed fields. */
const facts = (
  tables: Tables,
  activity: Sql,
): Sql => sql`(SELECT coalesce(jsonb_agg(f.fact || jsonb_build_object('entityName',
    ${entityName(tables, sql`(f.fact ->> 'entityType')`, sql`(f.fact ->> 'entityId')::bigint`)},
    'data', f.fact -> 'data' || jsonb_strip_nulls(jsonb_build_object('formerName', ${formerFieldName(tables, activity, sql`f.fact`)}))
  ) ORDER BY f.place), '[]')
  FROM jsonb_array_elements(${activity}.facts) WITH ORDINALITY f (fact, place))`;

/** The job of an activity, with the name of its file while the file is stored. */
const job = (tables: Tables, activity: Sql): Sql => sql`${activity}.job || jsonb_build_object('fileName',
  (SELECT f.file_name FROM ${tables('import_jobs')} j JOIN command.staged_files f ON f.id = j.file_id
    WHERE j.job_id = ${activity}.job_id))`;

/**
 * The rows of a query (columns id and name) as an object of names by id. An entity without a name, such as a purged
 * one, has no entry.
 */
const namesById = (named: Sql): Sql =>
  sql`(SELECT coalesce(json_object_agg(n.id, n.name) FILTER (WHERE n.name IS NOT NULL), '{}') FROM (${named}) n)`;

const names = (tables: Tables): Sql => sql`json_build_object(
  'users', ${namesById(sql`SELECT p.id, ${personName(sql`p`)} AS name FROM identity.users p WHERE p.id = ANY(a.user_ids)`)},
  'groups', ${namesById(sql`SELECT id, name FROM ${tables('groups')} g WHERE g.id = ANY(a.group_ids)`)},
  'roles', ${namesById(sql`SELECT id, name FROM ${tables('roles')} r WHERE r.id = ANY(a.role_ids)`)},
  'dataSets', ${namesById(sql`SELECT of_activity.id, ${entityName(tables, sql`'dataSet'`, sql`of_activity.id`)} AS name
    FROM unnest(a.data_set_ids) of_activity (id) WHERE a.facts @? '$[*].data.dataSetIds'`)})`;

/** The row that the activity changed; null if it changed no row or several rows. */
const onlyRow = (tables: Tables): Sql => sql`CASE WHEN a.only_row IS NOT NULL THEN (SELECT row_to_json(found) FROM (
  ${rowVersions(
    tables,
    sql`SELECT a.only_row ->> 'entityType' AS entity_type, (a.only_row ->> 'entityId')::bigint AS entity_id,
      (a.only_row ->> 'id')::bigint AS id, (a.only_row ->> 'firstSeq')::bigint AS first_seq,
      (a.only_row ->> 'lastSeq')::bigint AS last_seq`,
  )}) found) END`;

/** The activities `a` that meet a condition, newest first. */
export function activityList(tables: Tables, where: Sql): ListDefinition {
  const columns = {
    id: sql`a.id`,
    commandId: sql`a.key`,
    timestamp: sql`a.at`,
    createdAt: sql`a.at`,
    updatedAt: sql`a.ended_at`,
    userId: sql`a.actor_id`,
    username: sql`CASE WHEN a.actor_id IS NOT NULL THEN ${personName(sql`u`)} END`,
    apiKeyId: sql`a.api_key_id`,
    apiKeyName: sql`k.name`,
    sourceType: sql`a.source_type`,
    correlationId: sql`a.correlation_id`,
    jobId: sql`a.job_id`,
    job: job(tables, sql`a`),
    verb: sql`a.verb`,
    subjectType: sql`a.subject_type`,
    subjectId: sql`a.subject_id`,
    subjectName: entityName(tables, sql`a.subject_type`, sql`a.subject_id`),
    dataSetIds: sql`a.data_set_ids`,
    events: sql`a.events`,
    rows: sql`a.rows`,
    created: sql`a.created`,
    changed: sql`a.changed`,
    removed: sql`a.removed`,
    decided: sql`a.decided`,
    statusBefore: sql`a.status_before`,
    statusAfter: sql`a.status_after`,
    comment: sql`a.comment`,
    facts: facts(tables, sql`a`),
    names: names(tables),
    row: onlyRow(tables),
    undoes: sql`(SELECT json_build_object('id', undone.id, 'rows', undone.rows, 'job', ${job(tables, sql`undone`)}, 'facts', ${facts(tables, sql`undone`)})
      FROM ${tables('audit_activities')} undone WHERE undone.key = a.undoes)`,
  } satisfies Record<keyof UndescribedActivity, Sql>;
  return {
    from: sql`${tables('audit_activities')} a
      LEFT JOIN identity.users u ON u.id = a.actor_id
      LEFT JOIN identity.api_keys k ON k.id = a.api_key_id`,
    where,
    columns,
    // The sentence of an activity needs all columns.
    alwaysSelected: Object.keys(columns),
    fields: fieldMap(ACTIVITY_FIELDS, columns, {}),
    search: [],
    id: sql`a.id`,
    isFetchedById: true,
    defaultSort: { sql: sql`a.id`, dataType: 'number', order: 'DESC' },
  };
}
