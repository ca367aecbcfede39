/** Routes of the audit log's activities, for administrators: the list, the rows of one activity, and the export. */
import {
  ACTIVITY_ROWS_PAGE,
  ActivitiesPage,
  ActivityRowsPage,
  type AuditActivity,
  ListQuery,
  type Page,
  Refusal,
  WORDS,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { viewerOf } from '../access/viewer.ts';
import { activityList, type StoredActivity, toActivity } from '../entities/activity-list.ts';
import { type RowVersions, rowsPage, toActivityRow } from '../entities/activity-rows.ts';
import { openLabelWords } from '../entities/searched-rows.ts';
import { csv, download, filesOf } from '../http/download.ts';
import { listRows, whereClause } from '../list/list.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { all, identifier, join, type Sql, sql } from '../read-models/sql.ts';
import { searchCondition } from './activity-search.ts';
import { NDJSON } from './ndjson.ts';

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

const ExportQuery = ListQuery.extend({
  format: z.enum(['csv', 'ndjson']).default('csv').describe('The format of the file.'),
});

/** Yields the activities that match the filter and the search condition, in batches, oldest first. */
async function* readExport(
  readModels: ReadModels,
  readRequest: ReadRequest & { query: z.infer<typeof ExportQuery> },
  condition: Sql,
) {
  const { q: _, ...query } = readRequest.query;
  const batches = readModels.stream<StoredActivity>(readRequest, (tables) => {
    const list = activityList(tables, condition);
    const selected = Object.entries(list.columns).map(([name, column]) => sql`${column} AS ${identifier(name)}`);
    const where = all([list.where, whereClause(query, list) ?? sql`true`]);
    return sql`SELECT ${join(selected, ', ')} FROM ${list.from} WHERE ${where} ORDER BY a.id`;
  });
  for await (const batch of batches) yield { ...batch, rows: batch.rows.map(toActivity) };
}

const RowsQuery = z.object({ page: z.coerce.number().int().min(1).default(1).describe('The page, from 1.') });

export function activityRoutes(context: QueryContext): Route[] {
  const { readModels, pool, log } = context;
  const commonWordsOf = openLabelWords(pool, log);
  const administrator = { administrator: true } as const;
  return [
    route(
      'get',
      '/api/audit-logs/activities',
      administrator,
      {
        summary: 'List the activities of the audit log',
        hasPast: false,
        answers: { 200: ActivitiesPage },
        query: ListQuery,
      },
      async (request) => {
        const { q, ...query } = request.query;
        const search = { readModels, viewer: viewerOf(request), commonWordsOf };
        const { condition, isComplete } = await searchCondition(search, request, q);
        const listRequest = { ...request, query };
        const list = (tables: Tables) => activityList(tables, condition);
        const listed = await listRows<StoredActivity, AuditActivity>(readModels, listRequest, list, toActivity);
        const body: ActivitiesPage = { ...(listed.body as Page<AuditActivity>), complete: isComplete };
        return { ...listed, body };
      },
    ),

    route(
      'get',
      '/api/audit-logs/activities/export',
      administrator,
      {
        summary: 'Download the activities of the audit log',
        hasPast: false,
        answers: filesOf('text/csv', 'application/x-ndjson'),
        query: ExportQuery,
      },
      async (request) => {
        const search = { readModels, viewer: viewerOf(request), commonWordsOf, isExport: true };
        const { condition, isComplete } = await searchCondition(search, request, request.query.q);
        if (!isComplete) throw new Refusal('INVALID', WORDS.exportOfCutSearch);
        // `download` itself checks the access to the route again; there are no grants on data to check.
        const recheck = () => Promise.resolve();
        const format = FORMATS[request.query.format];
        return download(
          context,
          request,
          { name: 'audit-activities', format, recheck },
          readExport(readModels, request, condition),
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
        const found = await readModels.read<{ activityCount: number; total: number; items: RowVersions[] }>(
          request,
          (tables) => rowsPage(tables, idParam(request), page),
        );
        const { activityCount, total, items } = found.one();
        if (activityCount === 0) throw new Refusal('NOT_FOUND', 'Not found');
        const body: ActivityRowsPage = {
          items: items.map(toActivityRow),
          page,
          pageSize: ACTIVITY_ROWS_PAGE,
          total,
          position: found.shownPosition,
        };
        return answer(found, body);
      },
    ),
  ];
}
