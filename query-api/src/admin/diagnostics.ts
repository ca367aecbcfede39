/**
 * Serves diagnostics. Every user gets the state of the services, the user's session and the errors that the user may
 * see. Administrators also get versions, lag and disk usage.
 */

import { type DiagnosticsView, OwnDiagnostics, type Part, SystemDiagnostics } from '@rdm/contracts';
import { type EventStore, type Route, route, type Settings } from '@rdm/platform';
import { viewerOf } from '../access/viewer.ts';
import { matchingListRows } from '../list/list-statement.ts';
import type { QueryContext } from '../query-context.ts';
import { answer } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';
import { readDiskUsage, UNKNOWN_USAGE } from './disk-usage.ts';
import { errorList } from './error-log.ts';
import { readServiceHealth } from './service-problems.ts';
import { withinTimeout } from './within-timeout.ts';

interface Database extends Pick<OwnDiagnostics, 'session' | 'errors'> {
  version: string;
  nowMs: number;
  migrations: string[];
  /** The position up to which the projector has read the log. */
  readUpTo: { seq: number; position: string };
  builds: SystemDiagnostics['projections'];
  bytes: number;
  omitted: number;
}

/** A projection that is behind by more events than this marks the projector as not working. */
const LAG_TOLERATED = 10_000;
/** Maximum number of errors in a report. */
const LAST_ERRORS = 50;

export const diagnosticsRoutes = ({ readModels, store, access, settings }: QueryContext): Route[] => [
  route(
    'get',
    '/api/diagnostics',
    { person: true },
    {
      summary: 'Read the state of the services',
      hasPast: false,
      answers: { 200: OwnDiagnostics.extend(SystemDiagnostics.partial().shape) },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const requestedAt = Date.now();
      let answeredAt = requestedAt;
      const reading = readModels
        .read<Database>(
          {},
          () => sql`SELECT current_setting('server_version') AS version,
          extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs",
          (SELECT coalesce(json_agg(m.name ORDER BY m.id), '[]') FROM platform.migrations m) AS migrations,
          (SELECT json_build_object('seq', r.seq, 'position', r.commit_position) FROM platform.reader r) AS "readUpTo",
          (SELECT coalesce(json_agg(json_build_object('name', b.name, 'state', b.state,
               'lag', greatest(0, r.seq - b.seq)) ORDER BY b.name), '[]')
             FROM platform.builds b, platform.reader r WHERE b.serving) AS builds,
          (SELECT json_build_object('since', s.created_at, 'until', s.expires_at)
             FROM identity.sessions s WHERE s.id = ${request.principal.sessionId}::uuid) AS session,
          (SELECT coalesce(json_agg(e), '[]')
             FROM (${matchingListRows({}, errorList(viewer))} LIMIT ${LAST_ERRORS}) e) AS errors,
          (SELECT coalesce(sum(o.count), 0)::bigint FROM telemetry.omitted_errors o) AS omitted,
          pg_database_size(current_database()) AS bytes`,
        )
        .finally(() => {
          answeredAt = Date.now();
        });
      const [result, head, health] = await Promise.all([
        reading,
        withinTimeout(store.head()),
        readServiceHealth(settings),
      ]);
      const { session, errors, ...database } = result.one();
      const parts: Record<Part, boolean | null> = {
        // Without PostgreSQL, the query above would have failed.
        postgres: true,
        eventStore: head !== undefined,
        commandApi: health.commandApi,
        projector:
          health.projector !== false &&
          database.builds.every(({ state, lag }) => state === 'SERVING' && lag <= LAG_TOLERATED),
        // The revision is -1 until this service has read the stream of access events.
        access: access.revision() >= 0,
      };
      const healthy = !Object.values(parts).includes(false) && health.problems.length === 0;
      const own: OwnDiagnostics = { healthy, parts, session, errors };
      if (!viewer.isAdmin) return answer(result, own);
      const [eventStore, usage] = await Promise.all([
        describeEventStore(store, settings),
        withinTimeout(readDiskUsage(settings)),
      ]);
      return answer(result, {
        ...own,
        problems: health.problems,
        versions: { node: process.version, postgres: database.version },
        eventStore,
        disk: { ...(usage ?? UNKNOWN_USAGE), databaseBytes: database.bytes },
        migrations: database.migrations,
        log: { head: head ? String(head.commit) : null, reader: database.readUpTo },
        projections: database.builds,
        // The time in the middle of the query is compared, so that the duration of the query does not count as skew.
        clockSkewMs: Math.round(database.nowMs - (requestedAt + answeredAt) / 2),
        omittedErrors: database.omitted,
      } satisfies DiagnosticsView);
    },
  ),
];

/** Reads the version and the nodes of the event store. The `members` of the embedded store are always null. */
async function describeEventStore(
  store: EventStore,
  { EVENTSTORE_EMBEDDED: isEmbedded }: Settings,
): Promise<SystemDiagnostics['eventStore']> {
  const [version, members] = await Promise.all([
    withinTimeout(store.version()),
    isEmbedded ? undefined : withinTimeout(store.members()),
  ]);
  return { isEmbedded, version: version ?? null, members: members ?? null };
}
