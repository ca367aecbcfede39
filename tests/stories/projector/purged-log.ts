/** Generates a history with a purge, and projects logs. */
import type { LoggedEvent, Pool } from '@rdm/platform';
import { digestOf } from '@rdm/platform/event-store/audit-chain';
import { keyRegistered, purgeEvents, testSigningKey } from '@rdm/platform/testing/purge-events';
import {
  type MemoryLog,
  type ProjectorEnvironment,
  useProjectorEnvironment,
  waitUntilProjected,
} from './environment.ts';
import { generateHistory, type NewEvent, recorder } from './generated-history.ts';

export let environment: ProjectorEnvironment;

/** Starts the environment of the projector before the tests of a file. */
export function usePurgedLog(): void {
  environment = useProjectorEnvironment();
}

const KEY = testSigningKey();
export const SMALL = { events: 7, bytes: 1e9, rows: 1e9 };

interface History {
  events: LoggedEvent[];
  /** The purged streams. */
  streams: string[];
  /** The events of the purge, which follow `events`. */
  purge: LoggedEvent[];
  /** Events that follow the purge. */
  later: LoggedEvent[];
}

/**
 * Returns a history with a purge that deletes the crosswalk, its mappings and missing mappings, and all jobs. `change`
 * changes the events of the purge.
 */
export function history(seed: number, change: (event: NewEvent) => NewEvent = (event) => event): History {
  const record = recorder(seed);
  const withoutDataSets = (event: object) => ({ ...event, dataSetIds: [] }) as unknown as NewEvent;
  const events = [withoutDataSets(keyRegistered(KEY)), ...generateHistory(seed, 60)].map(record);
  const isPurged = ({ stream }: { stream: string }) =>
    /^(crosswalk|mappings|missingMappings|importJob|bulkDecision)-/.test(stream);
  const revisions = new Map(events.filter(isPurged).map(({ stream, revision }) => [stream, revision]));
  const manifest = events.flatMap((event, index) => {
    const seq = index + 1;
    const { type, metadata } = event;
    if (!isPurged(event)) return [];
    return [{ seq, digest: digestOf({ ...event, seq }), type, actorId: metadata.actorId, at: metadata.occurredAt }];
  });
  const streams = [...revisions].map(([stream, revision]) => ({ stream, revision }));
  const purge = purgeEvents({ purgeId: 4, streams, events: manifest, key: KEY, eventsPerPart: 10 }).map((event) =>
    record(change(withoutDataSets(event))),
  );
  const later = [...generateHistory(seed + 1, 10)].filter((event) => !isPurged(event)).map(record);
  return { events, streams: [...revisions.keys()], purge, later };
}

/** Projects a log from its beginning into a new database. */
export async function projectAlone(log: MemoryLog, last: number): Promise<Pool> {
  const { url, pool } = await environment.database();
  const { stop } = environment.project(url, log, { limits: SMALL });
  await waitUntilProjected(pool, last);
  await stop();
  return pool;
}
