/** The system at work: projections and their lag, throughput, clients, and jobs as far as the viewer may see them. */
import { type Route, route } from '@rdm/platform';
import type { Floor } from './floor.ts';
import { answer } from './read-models.ts';
import { sql } from './sql.ts';
import { viewerOf } from './viewer.ts';

interface Monitor {
  reader: { seq: number; position: string; at: string | null };
  projections: {
    name: string;
    version: number;
    build: number;
    state: string;
    serving: boolean;
    seq: number;
    position: string;
    /** Events that the reader has numbered and this build has not projected. */
    lag: number;
    failure: string | null;
  }[];
  throughput: { minute: string; events: number }[];
  jobs: Record<string, number>;
}

export const monitorRoutes = ({ readModels, connectedClients }: Floor): Route[] => [
  route('get', '/api/monitor', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const found = await readModels.read<Monitor>(
      { minPosition: request.minPosition },
      (tables) => sql`SELECT
        (SELECT json_build_object('seq', r.seq, 'position', r.commit_position, 'at', nullif(r.at, '-infinity'))
           FROM platform.reader r) AS reader,
        (SELECT coalesce(json_agg(json_build_object('name', b.name, 'version', b.version, 'build', b.build, 'state', b.state,
             'serving', b.serving, 'seq', b.seq, 'position', b.commit_position, 'lag', greatest(0, r.seq - b.seq),
             'failure', b.failure) ORDER BY b.name, b.build), '[]')
           FROM platform.builds b, platform.reader r WHERE b.state <> 'RETIRED') AS projections,
        (SELECT coalesce(json_agg(json_build_object('minute', t.minute, 'events', t.events) ORDER BY t.minute), '[]')
           FROM (SELECT minute, last - coalesce(lag(last) OVER (ORDER BY minute),
                          (SELECT max(seq) FROM platform.instants WHERE at < now() - interval '1 hour'), 0) AS events
                   FROM (SELECT date_trunc('minute', at) AS minute, max(seq) AS last FROM platform.instants
                          WHERE at >= now() - interval '1 hour' GROUP BY 1) minutes) t) AS throughput,
        (SELECT coalesce(json_object_agg(s.status, s.count), '{}')
           FROM (SELECT j.status, count(*) FROM ${tables('import_jobs')} j
                  WHERE ${viewer.mayReadAll(tables, [sql`j.data_set_id`])} GROUP BY j.status) s) AS jobs`,
    );
    const monitor = found.one();
    // What a failed event was about is not everybody's to read.
    const projections = monitor.projections.map((projection) =>
      viewer.isAdmin ? projection : { ...projection, failure: projection.failure && 'An event could not be projected' },
    );
    return answer(found, { ...monitor, projections, clients: connectedClients() });
  }),
];
