/** Projects a log into a new database, in batches of a given size or of the default size. */
import { MemoryLog, type ProjectorEnvironment, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import type { loggedHistory } from './generated-history.ts';

export let environment: ProjectorEnvironment;

/** Starts the environment of the projector before the tests of a file. */
export function useProjections(): void {
  environment = useProjectorEnvironment();
}

export const ONE_BY_ONE = { events: 1, bytes: 1, rows: 1 };
export const BY_SEVEN = { events: 7, bytes: 1e9, rows: 1e9 };

export async function projectInBatches(events: ReturnType<typeof loggedHistory>, limits?: typeof BY_SEVEN) {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  environment.project(url, log, limits ? { limits } : {});
  await waitUntilProjected(pool, events.length);
  return { url, pool, log };
}
