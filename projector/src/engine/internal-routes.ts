/** Internal routes of the projector for other services and operators: status, rebuild and resume of read models. */
import { Refusal } from '@rdm/contracts';
import { type Pool, type Route, route } from '@rdm/platform';
import type { Build } from './checkpoint.ts';
import type { Projector } from './leader-term.ts';
import type { Projection } from './projection.ts';

/** One row of GET /internal/projections. */
interface BuildView {
  name: string;
  version: number;
  build: number;
  schema: string;
  state: string;
  serving: boolean;
  seq: number;
  /** The number of events by which the build is behind the reader. */
  lag: number;
  failedEvent: { seq: number; stream: string; revision: number; id: string; type: string } | null;
  failure: string | null;
}

export function internalRoutes(db: Pool, projector: Projector, projections: readonly Projection[]): Route[] {
  const service = { service: true } as const;

  const findProjection = (name: string | undefined): Projection => {
    const projection = projections.find((each) => each.name === name);
    if (!projection) throw new Refusal('NOT_FOUND', `There is no projection ${name}`);
    return projection;
  };
  const requireRebuilder = () => {
    if (!projector.rebuilder)
      throw new Refusal('UNAVAILABLE', 'This projector is not the leader: send the request to the leader');
    return projector.rebuilder;
  };

  const toResponse = (builds: readonly Build[]) => ({
    status: 202,
    body: builds.map(({ schema, build, state }) => ({ schema, build, state })),
  });

  return [
    route('get', '/internal/projections', service, { summary: 'List the builds', answers: {} }, async () => {
      const { rows } = await db.query<BuildView>(
        `SELECT b.name, b.version, b.build, b.schema_name AS schema, b.state, b.serving, b.seq,
                greatest(r.seq - b.seq, 0) AS lag, b.failed_event AS "failedEvent", b.failure
           FROM platform.builds b, platform.reader r ORDER BY b.name, b.version, b.build`,
      );
      return { body: rows };
    }),
    route('post', '/internal/projections/rebuild', service, { summary: 'Rebuild read models', answers: {} }, async () =>
      toResponse(await requireRebuilder().rebuild(...projections)),
    ),
    route(
      'post',
      '/internal/projections/:name/rebuild',
      service,
      { summary: 'Rebuild a read model', answers: {} },
      async ({ params }) => toResponse(await requireRebuilder().rebuild(findProjection(params['name']))),
    ),
    route(
      'post',
      '/internal/projections/:name/resume',
      service,
      { summary: 'Resume a read model', answers: {} },
      async ({ params }) => ({
        status: 202,
        body: { resumed: await requireRebuilder().resume(findProjection(params['name'])) },
      }),
    ),
  ];
}
