/** Rebuilding the read models that hold the graph, asked for by an administrator and done by the projector that leads. */
import { GRAPH_PROJECTIONS, type RebuildAsked, Refusal } from '@rdm/contracts';
import { type Log, type Route, route } from '@rdm/platform';

/** A projector that does not answer within this counts as away. */
const PATIENCE_MS = 10_000;

export interface RebuildDependencies {
  /** Where the projectors listen; without them nothing can be rebuilt. */
  projectorUrls: readonly string[] | undefined;
  serviceSecret: string;
  log: Log;
}

export const rebuildRoutes = ({ projectorUrls, serviceSecret, log }: RebuildDependencies): Route[] => [
  // No command: nothing happened to the data. New builds grow beside the serving ones, and a second request joins them.
  route('post', '/api/graph/rebuild', { administrator: true }, {}, async ({ principal }) => {
    if (projectorUrls === undefined) {
      throw new Refusal('UNAVAILABLE', 'This service does not know its projector: set PROJECTOR_URL');
    }
    for (const name of GRAPH_PROJECTIONS) {
      const urls = projectorUrls.map((url) => `${url}/internal/projections/${name}/rebuild`);
      const status = await askLeader(urls, serviceSecret);
      if (status !== 202) {
        log.warn({ projection: name, status }, 'The projector did not take a rebuild');
        throw new Refusal('UNAVAILABLE', 'The projector is restarting. Please try again.', undefined, 5);
      }
    }
    log.info({ userId: principal.userId }, 'Read models of the graph are rebuilt');
    return { status: 202, body: { projections: [...GRAPH_PROJECTIONS] } satisfies RebuildAsked };
  }),
];

/** The status of the projector that leads; the others answer 503, and so does this where none leads. */
async function askLeader(urls: readonly string[], secret: string): Promise<number> {
  let status = 503;
  for (const url of urls) {
    status = await ask(url, secret);
    if (status !== 503) break;
  }
  return status;
}

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
