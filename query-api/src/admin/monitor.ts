/** Routes of the system monitor. They count only the errors and jobs that the viewer may read. */

import { ListQuery, MonitorView, PROJECTION_FIELDS, ProjectionState, pageOf, READ_MODEL_TITLES } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { readableJobs } from '../entities/jobs.ts';
import { listJson } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import { matchingListRows } from '../list/list-statement.ts';
import type { QueryContext } from '../query-context.ts';
import { answer } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { visibleErrors } from './error-log.ts';
import { readServiceHealth } from './service-problems.ts';
import { type LogEnd, readLogEnd } from './unread-events.ts';

/** The list of the builds of projections, without retired builds. */
function projectionList({ isAdmin }: Viewer, end: LogEnd): ListDefinition {
  // Only administrators may read the text of the failure, because the text can contain data of the event.
  const failure = isAdmin
    ? sql`b.failure`
    : sql`CASE WHEN b.failure IS NOT NULL THEN 'An event could not be projected' END`;
  const lag = sql`greatest(0, greatest(r.seq, ${end.seq}::bigint) - b.seq)`;
  const title = sql`coalesce(${JSON.stringify(READ_MODEL_TITLES)}::jsonb ->> b.name, b.name)`;
  const columns = {
    name: sql`b.name`,
    title,
    version: sql`b.version`,
    build: sql`b.build`,
    state: sql`b.state`,
    serving: sql`b.serving`,
    seq: sql`b.seq`,
    position: sql`b.commit_position`,
    lag,
    failure,
  } satisfies Record<keyof ProjectionState, Sql>;
  return {
    from: sql`(SELECT *, row_number() OVER (ORDER BY name, version, build) AS place
        FROM platform.builds WHERE state <> 'RETIRED') b
      CROSS JOIN platform.reader r`,
    where: sql`true`,
    columns,
    alwaysSelected: ['name', 'version', 'build'],
    fields: fieldMap(PROJECTION_FIELDS, columns, {}),
    search: [sql`b.name`, title, sql`b.state`, failure],
    id: sql`b.place`,
    defaultSort: { sql: title, dataType: 'string', order: 'ASC' },
  };
}

export const monitorRoutes = ({ readModels, connectedClients, settings, pool, store }: QueryContext): Route[] => [
  route(
    'get',
    '/api/monitor',
    { level: 'READ' },
    { summary: 'Read the progress of the read models and the jobs', hasPast: false, answers: { 200: MonitorView } },
    async (request) => {
      const viewer = viewerOf(request);
      const health = readServiceHealth(settings);
      const end = await readLogEnd({ pool, store });
      const found = await readModels.read<Omit<MonitorView, 'clients' | 'problems'>>(
        { minPosition: request.minPosition },
        (tables) => sql`SELECT
        (SELECT json_build_object('seq', r.seq, 'position', r.commit_position, 'at', nullif(r.at, '-infinity'),
             'unread', ${end.unread}::int)
           FROM platform.reader r) AS reader,
        (SELECT coalesce(json_agg(b), '[]') FROM (${matchingListRows({}, projectionList(viewer, end))}) b) AS projections,
        (SELECT coalesce(json_agg(json_build_object('minute', t.minute, 'events', t.events) ORDER BY t.minute), '[]')
           FROM (SELECT minute, last - coalesce(lag(last) OVER (ORDER BY minute),
                          (SELECT max(seq) FROM platform.instants WHERE at < now() - interval '1 hour'), 0) AS events
                   FROM (SELECT date_trunc('minute', at) AS minute, max(seq) AS last FROM platform.instants
                          WHERE at >= now() - interval '1 hour' GROUP BY 1) minutes) t) AS throughput,
        (SELECT coalesce(json_agg(json_build_object('minute', m.minute, 'errors', m.errors) ORDER BY m.minute), '[]')
           FROM (SELECT date_trunc('minute', e.at) AS minute, count(*) AS errors FROM telemetry.errors e
                  WHERE e.at >= now() - interval '1 hour' AND ${visibleErrors(viewer)} GROUP BY 1) m) AS errors,
        (SELECT coalesce(json_agg(json_build_object('minute', m.minute, 'jobs', m.jobs) ORDER BY m.minute), '[]')
           FROM (SELECT date_trunc('minute', j.ended_at) AS minute, count(*) AS jobs FROM ${tables('import_jobs')} j
                  WHERE j.ended_at >= now() - interval '1 hour' AND ${readableJobs(tables, viewer)} GROUP BY 1) m) AS "endedJobs",
        (SELECT coalesce(json_object_agg(s.status, s.count), '{}')
           FROM (SELECT j.status, count(*) FROM ${tables('import_jobs')} j
                  WHERE ${readableJobs(tables, viewer)} GROUP BY j.status) s) AS jobs`,
      );
      return answer(found, { ...found.one(), clients: connectedClients(), problems: (await health).problems });
    },
  ),

  route(
    'get',
    '/api/monitor/projections',
    { signedIn: true },
    {
      summary: 'List the projections with their progress',
      hasPast: false,
      answers: { 200: pageOf(ProjectionState) },
      query: ListQuery,
    },
    async (request) => {
      const viewer = viewerOf(request);
      const end = await readLogEnd({ pool, store });
      return listJson(readModels, request, () => projectionList(viewer, end));
    },
  ),
];
