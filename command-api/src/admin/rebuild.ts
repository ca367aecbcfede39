/** Rebuilding the read models that hold the graph, asked for by an administrator and done by the projector that leads. */
import { GRAPH_PROJECTIONS, type RebuildAsked, Refusal } from '@rdm/contracts';
import { type Log, type Route, route } from '@rdm/platform';

/** A projector that does not answer within this counts as away. */
const PATIENCE_MS = 10_000;

export interface RebuildDependencies {
  /** Where the projector listens; without it nothing can be asked of it. */
  projectorUrl: string | undefined;
  serviceSecret: string;
  log: Log;
}

export const rebuildRoutes = ({ projectorUrl, serviceSecret, log }: RebuildDependencies): Route[] => [
  // No command: nothing happened to the data. New builds grow beside the serving ones, and a second request joins them.
  route('post', '/api/graph/rebuild', { administrator: true }, {}, async ({ principal }) => {
    if (projectorUrl === undefined) {
      throw new Refusal('UNAVAILABLE', 'This service does not know its projector: set PROJECTOR_URL');
    }
    for (const name of GRAPH_PROJECTIONS) {
      const status = await ask(`${projectorUrl}/internal/projections/${name}/rebuild`, serviceSecret);
      if (status !== 202) {
        log.warn({ projection: name, status }, 'The projector did not take a rebuild');
        throw new Refusal('UNAVAILABLE', 'The projector is restarting. Please try again.', undefined, 5);
      }
    }
    log.info({ userId: principal.userId }, 'Read models of the graph are rebuilt');
    return { status: 202, body: { projections: [...GRAPH_PROJECTIONS] } satisfies RebuildAsked };
  }),
];

/** The status of the answer; 503 where there is none. */
async function ask(url: string, secret: string): Promise<number> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'X-Service-Secret': secret },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 503; // Away, or too busy to say: told to whoever asked, and to the log.
  }
}
