/** Records commands on many rows, and projects their notifications. */
import { randomUUID } from 'node:crypto';
import { BUCKETS, type MappingEvent, streams } from '@rdm/contracts';
import type { LoggedEvent, Pool } from '@rdm/platform';
import { checksums, type Projection, projections } from '@rdm/projector';
import {
  MemoryLog,
  type ProjectorEnvironment,
  schemaOf,
  useProjectorEnvironment,
  waitUntilProjected,
} from './environment.ts';
import { recorder } from './generated-history.ts';

export let environment: ProjectorEnvironment;

/** Starts the environment of the projector before the tests of a file. */
export function useNotifications(): void {
  environment = useProjectorEnvironment();
}

export const notifications = projections.find(({ name }) => name === 'notifications') as Projection;
export const AUTHOR = 4;
export const REVIEWER = 5;
export const ONE_BY_ONE = { events: 1, bytes: 1, rows: 1 };

/** Returns a function that records the events of one command: one event for each bucket of its rows. */
export function createCommandRecorder() {
  const record = recorder();
  return (actorId: number, ids: readonly number[], eventOf: (ids: number[]) => MappingEvent): LoggedEvent[] => {
    const commandId = randomUUID();
    const buckets = new Map<number, number[]>();
    for (const id of ids) buckets.set(id % BUCKETS, [...(buckets.get(id % BUCKETS) ?? []), id]);
    return [...buckets].map(([bucket, bucketIds]) => {
      const newEvent = { ...eventOf(bucketIds), stream: streams.mappings(3, bucket), actorId, dataSetIds: [1, 2] };
      const event = record(newEvent);
      return { ...event, metadata: { ...event.metadata, $causationId: commandId } };
    });
  };
}

export async function projectEvents(events: readonly LoggedEvent[], limits?: typeof ONE_BY_ONE) {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  const { projector } = environment.project(url, log, { projections: [notifications], ...(limits ? { limits } : {}) });
  await waitUntilProjected(pool, events.length);
  return { pool, projector };
}

export const readChecksums = async (pool: Pool) =>
  checksums(pool, await schemaOf(pool, 'notifications'), notifications);

export const rowsOf = async (pool: Pool, query: string) =>
  (await pool.query(query.replaceAll('$schema', await schemaOf(pool, 'notifications')))).rows;
