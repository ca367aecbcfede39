/** Rebuilds the read models of the graph: forwards an administrator's request to the leading projector. */
import { GRAPH_PROJECTIONS, RebuildRequested, Refusal } from '@rdm/contracts';
import { type Log, type Route, route } from '@rdm/platform';

/** A projector that does not answer within this time counts as unavailable. */
const TIMEOUT_MS = 10_000;

export interface RebuildDependencies {
  /** Base URLs of the projectors; without them nothing can be rebuilt. */
  projectorUrls: readonly string[] | undefined;
  serviceSecret: string;
  log: Log;
}

export const rebuildRoutes = ({ projectorUrls, serviceSecret, log }: RebuildDependencies): Route[] => [
  // Not a command, because no data changes. The current builds serve until the new builds are complete.
  route(
    'post',
    '/api/graph/rebuild',
    { administrator: true },
    { summary: 'Rebuild the read models of the graph', answers: { 202: RebuildRequested } },
    async ({ principal }) => {
      if (projectorUrls === undefined) {
        throw new Refusal('UNAVAILABLE', 'This service does not know its projector: set PROJECTOR_URL');
      }
      for (const name of GRAPH_PROJECTIONS) {
        const urls = projectorUrls.map((url) => `${url}/internal/projections/${name}/rebuild`);
        const status = await requestRebuild(urls, serviceSecret);
        if (status !== 202) {
          log.warn({ projection: name, status }, 'The projector did not accept a rebuild');
          throw new Refusal('UNAVAILABLE', 'The projector is not available. Please try again.', undefined, 5);
        }
      }
      log.info({ userId: principal.userId }, 'Requested a rebuild of the read models of the graph');
      return { status: 202, body: { projections: [...GRAPH_PROJECTIONS] } satisfies RebuildRequested };
    },
  ),
];

/** Returns the status of the leading projector; 503 if none leads. A projector that does not lead responds with 503. */
async function requestRebuild(urls: readonly string[], secret: string): Promise<number> {
  let status = 503;
  for (const url of urls) {
    status = await postRebuild(url, secret);
    if (status !== 503) break;
  }
  return status;
}

/** Returns the status of the response; 503 if there is no response. */
async function postRebuild(url: string, secret: string): Promise<number> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'X-Service-Secret': secret },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 503; // unavailable or overloaded; the caller logs and reports it
  }
}
