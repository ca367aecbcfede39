/** Rebuilds all read models from the log without the purged streams, and waits until the old builds are dropped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@rdm/platform';

const TIMEOUT_MS = 10_000;
const POLL_MS = 1_000;

export interface Projectors {
  urls: readonly string[];
  serviceSecret: string;
}

/** Requests the rebuild from the leading projector; returns the schemas of the new builds. Throws if all refuse. */
async function requestRebuild({ urls, serviceSecret }: Projectors): Promise<string[]> {
  let problem: unknown = new Error('Set PROJECTOR_URL to the address of the projector');
  for (const url of urls) {
    try {
      const answer = await fetch(`${url}/internal/projections/rebuild`, {
        method: 'POST',
        headers: { 'X-Service-Secret': serviceSecret },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const body = (await answer.json()) as { schema: string }[];
      if (answer.ok) return body.map(({ schema }) => schema);
      problem = new Error(`The projector answered ${answer.status} to the rebuild`);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

/** Resolves when new builds of all projections serve and no other build is left. */
export async function rebuildReadModels(pool: Pool, projectors: Projectors, signal: AbortSignal): Promise<void> {
  let schemas = await requestRebuild(projectors);
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await pool.query<{ serving: number; filling: number; others: number }>(
      `SELECT count(*) FILTER (WHERE serving AND schema_name = ANY($1))::integer AS serving,
              count(*) FILTER (WHERE state = 'BUILDING' AND schema_name = ANY($1))::integer AS filling,
              count(*) FILTER (WHERE NOT schema_name = ANY($1))::integer AS others
         FROM platform.builds`,
      [schemas],
    );
    const { serving = 0, filling = 0, others = 0 } = rows[0] ?? {};
    if (serving === schemas.length && others === 0) return;
    // A requested build is missing if the projector replaced the build, or detached it after a failure: request again.
    if (serving + filling < schemas.length) schemas = await requestRebuild(projectors);
    await sleep(POLL_MS, undefined, { signal });
  }
}
