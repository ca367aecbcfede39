/** The store under test: the server of EVENTSTORE_URL, or an embedded store that is started for the spec file. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binaryEvent, EventStoreDBClient, jsonEvent, type ResolvedEvent } from '@eventstore/db-client';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { followScavenge, startScavenge } from '@rdm/platform/event-store/scavenge';
import { afterAll, beforeAll, it, type TestAPI } from 'vitest';

/** Whether the log of the embedded store is scavenged before and during the tests. */
const isScavenged = process.env['CONFORMANCE_LOG'] === 'scavenged';
const serverUrl = process.env['EVENTSTORE_URL'] ?? '';

/** A test of a property that only the embedded store has; skipped if EVENTSTORE_URL is set. */
export const itOfEmbeddedStore: ReturnType<TestAPI['skipIf']> = it.skipIf(serverUrl !== '');

interface StoreOptions {
  requiresPassword?: boolean;
  endsSlowSubscriptions?: boolean;
}

/** Starts an embedded store if needed, and connects a client to the store before the first test of the file. */
export function useStore({ requiresPassword = true, endsSlowSubscriptions }: StoreOptions = {}): {
  readonly client: EventStoreDBClient;
  readonly url: string;
} {
  let client: EventStoreDBClient | undefined;
  let store: EventStoreProcess | undefined;
  let url = serverUrl;
  const directory = temporaryDirectory();
  const stopping = new AbortController();
  let scavenging: { ended: Promise<void> } | undefined;
  beforeAll(async () => {
    if (url === '') {
      const passwordFile = requiresPassword ? join(directory.path, 'password') : undefined;
      store = await startEventStoreProcess({
        dir: directory.path,
        passwordFile,
        endsSlowSubscriptions,
        ...(isScavenged && { segmentSize: SCAVENGED_SEGMENT_SIZE, scavengePauseFactor: 0 }),
        output: 'pipe',
      });
      url = store.url;
      if (isScavenged) scavenging = await scavengeRepeatedly(url, stopping.signal);
    }
    client = connect(url);
  });
  afterAll(async () => {
    await client?.dispose();
    stopping.abort();
    await scavenging?.ended;
    await store?.stop();
    directory.remove();
  });
  return {
    get client() {
      if (client === undefined) throw new Error('the client is not connected yet: use it in a test');
      return client;
    },
    get url() {
      return url;
    },
  };
}

/** A small size, so that the log has many segments. */
const SCAVENGED_SEGMENT_SIZE = 64 * 1024;
const PAUSE_MS = 200;

/** Writes a tombstoned and a truncated stream, scavenges the log, and repeats the scavenge until `stop` aborts. */
async function scavengeRepeatedly(url: string, stop: AbortSignal): Promise<{ ended: Promise<void> }> {
  const never = new AbortController().signal;
  const client = connect(url);
  const [purged, truncated] = [newStream('purged'), newStream('truncated')];
  const large = Array.from({ length: 40 }, (_, number) => event({ number, text: 'x'.repeat(1_000) }));
  for (const stream of [purged, truncated, purged, truncated])
    await client.appendToStream(stream, large.map(withNewId));
  await client.setStreamMetadata(truncated, { truncateBefore: 70 });
  await client.tombstoneStream(purged);
  await client.dispose();
  const { result, spaceSaved } = await followScavenge(await startScavenge(url), never);
  if (result !== 'Success' || spaceSaved < 100_000)
    throw new Error(`the scavenge saved ${spaceSaved} bytes: ${result}`);
  const repeat = async () => {
    while (!stop.aborted) {
      await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
      await followScavenge(await startScavenge(url), never);
    }
  };
  return { ended: repeat() };
}

const withNewId = (written: ReturnType<typeof event>) => ({ ...written, id: randomUUID() });

export function connect(url: string): EventStoreDBClient {
  return EventStoreDBClient.connectionString(url);
}

export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'rdm-conformance-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Returns a stream name that is unique even on a shared server. */
export function newStream(category = 'conformance'): string {
  return `${category}-${randomUUID()}`;
}

export function event(data: unknown = {}, type = 'Happened', id: string = randomUUID()) {
  return jsonEvent({ id, type, data: data as Record<string, unknown> });
}

/** Returns a link to an event of another stream, as projections of EventStoreDB write it. */
export function linkTo(revision: number, stream: string) {
  return binaryEvent({ type: '$>', data: Buffer.from(`${revision}@${stream}`) });
}

export function events(count: number, type = 'Happened') {
  return Array.from({ length: count }, (_, number) => event({ number }, type));
}

/**
 * Returns all items of a source, or the first `count`. Omit `count` for a read: a client cannot close while one of its
 * reads is not consumed.
 */
export async function collect<E>(source: AsyncIterable<E>, count = Number.POSITIVE_INFINITY): Promise<E[]> {
  const items: E[] = [];
  for await (const item of source) {
    items.push(item);
    if (items.length >= count) break;
  }
  return items;
}

/** Returns the `number` of each event that `events()` created. */
export function numbers(readEvents: readonly ResolvedEvent[]): number[] {
  return readEvents.map(({ event }) => {
    if (event === undefined) throw new Error('an event is missing');
    return (event.data as { number: number }).number;
  });
}

/** Returns the reason of a rejected promise; throws if the promise is fulfilled. */
export async function failureOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome === undefined) throw new Error('the promise was expected to be rejected');
  return outcome as Error & Record<string, unknown>;
}
