/** Activities of the audit log, for administrators: the list in sentences, the rows of one, and the export. */
import {
  ACTIVITY_FIELDS,
  ACTIVITY_ROWS_PAGE,
  ActivityRowsPage,
  AuditActivity,
  describe,
  FORMER_USER,
  ListQuery,
  pageOf,
  Refusal,
  type UndescribedActivity,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { csv, download, filesOf } from '../http/download.ts';
import { listRows, whereClause } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { all, identifier, join, type Sql, sql } from '../read-models/sql.ts';
import { type RowVersions, rowsPage, rowVersions, toActivityRow } from './activity-rows.ts';
import { searchCondition } from './activity-search.ts';
import { entityName } from './entity-names.ts';
import { NDJSON } from './ndjson.ts';

type StoredActivity = Omit<UndescribedActivity, 'row'> & { row: RowVersions | null };

export const toActivity = ({ row, ...stored }: StoredActivity): AuditActivity => {
  const activity = { ...stored, row: row && toActivityRow(row) };
  return { ...activity, line: describe(activity) };
};

/** The name that people know a user by. */
const personName = (u: Sql): Sql => sql`coalesce(nullif(${u}.display_name, ''), ${u}.username, ${FORMER_USER})`;

/** The facts of an activity with the names of their entities. */
const facts = (
  tables: Tables,
  activity: Sql,
): Sql => sql`(SELECT coalesce(jsonb_agg(f.fact || jsonb_build_object('entityName',
    ${entityName(tables, sql`(f.fact ->> 'entityType')`, sql`(f.fact ->> 'entityId')::bigint`)}) ORDER BY f.place), '[]')
  FROM jsonb_array_elements(${activity}.facts) WITH ORDINALITY f (fact, place))`;

/** Names by id; `known` selects id and name. */
const namesById = (known: Sql): Sql => sql`(SELECT coalesce(json_object_agg(n.id, n.name), '{}') FROM (${known}) n)`;

const names = (tables: Tables): Sql => sql`json_build_object(
  'users', ${namesById(sql`SELECT p.id, ${personName(sql`p`)} AS name FROM identity.users p WHERE p.id = ANY(a.user_ids)`)},
  'groups', ${namesById(sql`SELECT id, name FROM ${tables('groups')} g WHERE g.id = ANY(a.group_ids)`)},
  'roles', ${namesById(sql`SELECT id, name FROM ${tables('roles')} r WHERE r.id = ANY(a.role_ids)`)},
  'dataSets', ${namesById(sql`SELECT of_activity.id, ${entityName(tables, sql`'dataSet'`, sql`of_activity.id`)} AS name
    FROM unnest(a.data_set_ids) of_activity (id) WHERE a.facts @? '$[*].data.dataSetIds'`)})`;

/** The row, if the activity changed one. */
const onlyRow = (tables: Tables): Sql => sql`CASE WHEN a.only_row IS NOT NULL THEN (SELECT row_to_json(found) FROM (
  ${rowVersions(
    tables,
    sql`SELECT a.only_row ->> 'entityType' AS entity_type, (a.only_row ->> 'entityId')::bigint AS entity_id,
      (a.only_row ->> 'id')::bigint AS id, (a.only_row ->> 'firstSeq')::bigint AS first_seq,
      (a.only_row ->> 'lastSeq')::bigint AS last_seq`,
  )}) found) END`;

function definition(tables: Tables, searched: Sql): ListDefinition {
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
    job: sql`a.job`,
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
    undoes: sql`(SELECT json_build_object('id', undone.id, 'rows', undone.rows, 'job', undone.job, 'facts', ${facts(tables, sql`undone`)})
      FROM ${tables('audit_activities')} undone WHERE undone.key = a.undoes)`,
  } satisfies Record<keyof UndescribedActivity, Sql>;
  return {
    from: sql`${tables('audit_activities')} a
      LEFT JOIN identity.users u ON u.id = a.actor_id
      LEFT JOIN identity.api_keys k ON k.id = a.api_key_id`,
    where: searched,
    columns,
    // The sentence is written from all of them.
    alwaysSelected: Object.keys(columns),
    fields: fieldMap(ACTIVITY_FIELDS, columns, {}),
    search: [],
    id: sql`a.id`,
    isFetchedById: true,
    defaultSort: { sql: sql`a.id`, dataType: 'number', order: 'DESC' },
  };
}

const EXPORT_COLUMNS = [
  'id',
  'timestamp',
  'username',
  'apiKeyName',
  'line',
  'verb',
  'subjectType',
  'subjectId',
  'subjectName',
  'rows',
  'created',
  'changed',
  'removed',
  'decided',
  'statusBefore',
  'statusAfter',
  'comment',
  'sourceType',
  'events',
  'commandId',
  'correlationId',
  'jobId',
] as const satisfies readonly (keyof AuditActivity)[];

const FORMATS = {
  csv: csv<AuditActivity>(EXPORT_COLUMNS, (activity) => EXPORT_COLUMNS.map((column) => activity[column])),
  ndjson: NDJSON,
};

const ExportQuery = ListQuery.extend({ format: z.enum(['csv', 'ndjson']).default('csv') });

/** All activities of the list, oldest first. */
async function* readExport(readModels: ReadModels, readRequest: ReadRequest & { query: z.infer<typeof ExportQuery> }) {
  const { q, ...query } = readRequest.query;
  const searched = await searchCondition(readModels, readRequest, q);
  const batches = readModels.stream<StoredActivity>(readRequest, (tables) => {
    const list = definition(tables, searched);
    const shown = Object.entries(list.columns).map(([name, column]) => sql`${column} AS ${identifier(name)}`);
    const where = all([list.where, whereClause(query, list) ?? sql`true`]);
    return sql`SELECT ${join(shown, ', ')} FROM ${list.from} WHERE ${where} ORDER BY a.id`;
  });
  for await (const batch of batches) yield { ...batch, rows: batch.rows.map(toActivity) };
}

const RowsQuery = z.object({ page: z.coerce.number().int().min(1).default(1) });

export function activityRoutes(context: QueryContext): Route[] {
  const { readModels } = context;
  const administrator = { administrator: true } as const;
  return [
    route(
      'get',
      '/api/audit-logs/activities',
      administrator,
      { summary: 'List the activities of the audit log', answers: { 200: pageOf(AuditActivity) }, query: ListQuery },
      async (request) => {
        const { q, ...query } = request.query;
        const searched = await searchCondition(readModels, request, q);
        const shown = { ...request, query };
        return listRows<StoredActivity, AuditActivity>(
          readModels,
          shown,
          (tables) => definition(tables, searched),
          toActivity,
        );
      },
    ),

    route(
      'get',
      '/api/audit-logs/activities/export',
      administrator,
      {
        summary: 'Download the activities of the audit log',
        answers: filesOf('text/csv', 'application/x-ndjson'),
        query: ExportQuery,
      },
      (request) => {
        // The route access is checked again, and there are no grants on data to check.
        const recheck = () => Promise.resolve();
        const format = FORMATS[request.query.format];
        return download(
          context,
          request,
          { name: 'audit-activities', format, recheck },
          readExport(readModels, request),
        );
      },
    ),

    route(
      'get',
      '/api/audit-logs/activities/:id/rows',
      administrator,
      { summary: 'List the rows that an activity changed', answers: { 200: ActivityRowsPage }, query: RowsQuery },
      async (request) => {
        const { page } = request.query;
        const found = await readModels.read<{ known: number; total: number; items: RowVersions[] }>(request, (tables) =>
          rowsPage(tables, idParam(request), page),
        );
        const { known, total, items } = found.one();
        if (known === 0) throw new Refusal('NOT_FOUND', 'Not found');
        const body: ActivityRowsPage = {
          items: items.map(toActivityRow),
          page,
          pageSize: ACTIVITY_ROWS_PAGE,
          total,
          position: found.shown,
        };
        return answer(found, body);
      },
    ),
  ];
}
