/** Starts stores with small segments as processes, fills them with streams, and scavenges them as a client. */
import { join } from 'node:path';
import { type EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { followScavenge, startScavenge } from '@rdm/platform/event-store/scavenge';
import { afterEach } from 'vitest';
import { connect, event, newStream, temporaryDirectory } from './target.ts';

interface RunningStore {
  dir: string;
  store: EventStoreProcess;
  client: EventStoreDBClient;
}

interface StartOptions {
  dir?: string;
  scavengePauseFactor?: number;
  requiresPassword?: boolean;
  main?: string;
}

/** Returns a function that starts a store; each store is stopped after the test. */
export function useStores(): (options?: StartOptions) => Promise<RunningStore> {
  let cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    cleanUps = [];
  });
  return async (options = {}) => {
    let { dir } = options;
    if (dir === undefined) {
      const directory = temporaryDirectory();
      cleanUps.push(directory.remove);
      dir = directory.path;
    }
    const passwordFile = options.requiresPassword ? join(dir, 'password') : undefined;
    const { scavengePauseFactor = 0, main } = options;
    const store = await startEventStoreProcess({
      ...{ dir, passwordFile, scavengePauseFactor, segmentSize: 64 * 1024, output: 'pipe' },
      ...(main && { main }),
    });
    cleanUps.push(() => store.stop());
    const client = connect(store.url);
    cleanUps.push(() => client.dispose());
    return { dir, store, client };
  };
}

export const neverAborted = new AbortController().signal;
export const runScavenge = async (url: string) => followScavenge(await startScavenge(url), neverAborted);

/** Fills several segments with the events of new streams; returns the names of the streams. */
export async function fill(client: EventStoreDBClient, streams = 8): Promise<string[]> {
  const names = Array.from({ length: streams }, () => newStream('purged'));
  const large = () => Array.from({ length: 40 }, (_, number) => event({ number, text: 'x'.repeat(1_000) }));
  for (const name of names) await client.appendToStream(name, large(), { expectedRevision: NO_STREAM });
  return names;
}
