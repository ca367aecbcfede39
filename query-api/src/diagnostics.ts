/** How the parts of the system are: for everybody whether they work, for administrators their versions and lag too. */

import { type EventStore, type LogPosition, type Route, route } from '@rdm/platform';
import { refuseThePast } from './as-of.ts';
import type { Floor } from './floor.ts';
import { answer } from './read-models.ts';
import { serviceProblems } from './service-problems.ts';
import { sql } from './sql.ts';
import { viewerOf } from './viewer.ts';

interface Database {
  version: string;
  now: string;
  migrations: string[];
  reader: { seq: number; position: string };
  builds: { name: string; state: string; lag: number }[];
}

/** An event store that does not answer within this counts as away. */
const STORE_PATIENCE_MS = 2_000;
/** Projections further behind than this are said to lag. */
const LAG_TOLERATED = 10_000;

export const diagnosticsRoutes = ({ readModels, store, access, settings }: Floor): Route[] => [
  route('get', '/api/diagnostics', { person: true }, {}, async (request) => {
    refuseThePast(request, 'Diagnostics have');
    const asked = Date.now();
    const [found, head, problems] = await Promise.all([
      readModels.read<Database>(
        {},
        () => sql`SELECT current_setting('server_version') AS version, clock_timestamp() AS now,
          (SELECT coalesce(json_agg(m.name ORDER BY m.id), '[]') FROM platform.migrations m) AS migrations,
          (SELECT json_build_object('seq', r.seq, 'position', r.commit_position) FROM platform.reader r) AS reader,
          (SELECT coalesce(json_agg(json_build_object('name', b.name, 'state', b.state,
               'lag', greatest(0, r.seq - b.seq)) ORDER BY b.name), '[]')
             FROM platform.builds b, platform.reader r WHERE b.serving) AS builds`,
      ),
      storeHead(store),
      serviceProblems(settings),
    ]);
    const answered = Date.now();
    const database = found.one();
    const parts = {
      postgres: true,
      eventStore: head !== undefined,
      projector: database.builds.every(({ state, lag }) => state === 'SERVING' && lag <= LAG_TOLERATED),
      access: access.revision() >= 0,
    };
    const healthy = Object.values(parts).every(Boolean) && problems.length === 0;
    if (!viewerOf(request).isAdmin) return answer(found, { healthy, parts });
    // Measured against the middle of the request, so that its duration does not count as skew.
    const skew = Date.parse(database.now) - (asked + answered) / 2;
    return answer(found, {
      healthy,
      parts,
      problems,
      versions: { node: process.version, postgres: database.version },
      migrations: database.migrations,
      log: { head: head === undefined || head === null ? null : String(head.commit), reader: database.reader },
      projections: database.builds,
      clockSkewMs: Math.round(skew),
    });
  }),
];

/** Where the log ends; undefined when the store does not answer in time. */
async function storeHead(store: EventStore): Promise<LogPosition | null | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), STORE_PATIENCE_MS);
  });
  try {
    return await Promise.race([store.head(), late]);
  } catch {
    return undefined; // That it fails is the very thing to tell.
  } finally {
    clearTimeout(timer);
  }
}
