/** Tests the calls that start, follow and stop a scavenge, the events about it, and readers and writers during a scavenge. */
import { once } from 'node:events';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { END, type EventStoreDBClient, NO_STREAM, START, streamNameFilter } from '@eventstore/db-client';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { followScavenge, startScavenge, stopScavenge } from '@rdm/platform/event-store/scavenge';
import { afterEach, describe, expect, it } from 'vitest';
import { collect, connect, event, events, failureOf, newStream, numbers, temporaryDirectory } from './target.ts';

let cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  cleanUps = [];
});

interface RunningStore {
  dir: string;
  store: EventStoreProcess;
  client: EventStoreDBClient;
}

async function start(options: { dir?: string; scavengeRest?: number; requiresPassword?: boolean; main?: string } = {}) {
  let { dir } = options;
  if (dir === undefined) {
    const directory = temporaryDirectory();
    cleanUps.push(directory.remove);
    dir = directory.path;
  }
  const passwordFile = options.requiresPassword ? join(dir, 'password') : undefined;
  const { scavengeRest = 0, main } = options;
  const store = await startEventStoreProcess({
    ...{ dir, passwordFile, scavengeRest, segmentSize: 64 * 1024, output: 'pipe' },
    ...(main && { main }),
  });
  cleanUps.push(() => store.stop());
  const client = connect(store.url);
  cleanUps.push(() => client.dispose());
  return { dir, store, client } satisfies RunningStore;
}

const neverAborted = new AbortController().signal;
const runScavenge = async (url: string) => followScavenge(await startScavenge(url), neverAborted);
const sizeOf = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.log'))
    .reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);

/** Fills several segments with streams and tombstones these. */
async function fill(client: EventStoreDBClient, streams = 8): Promise<string[]> {
  const names = Array.from({ length: streams }, () => newStream('purged'));
  const large = () => Array.from({ length: 40 }, (_, number) => event({ number, text: 'x'.repeat(1_000) }));
  for (const name of names) await client.appendToStream(name, large(), { expectedRevision: NO_STREAM });
  return names;
}

describe('a scavenge', () => {
  it('frees space and records its progress like EventStoreDB', async () => {
    const { dir, store, client } = await start({ requiresPassword: true });
    for (const name of await fill(client)) await client.tombstoneStream(name);
    const before = sizeOf(dir);
    const [started] = await startScavenge(store.url);
    if (started === undefined) throw new Error('no scavenge was started');
    expect(started.isEarlier).toBe(false);
    const steps: number[] = [];
    const outcome = await followScavenge([started], neverAborted, (bytes) => steps.push(bytes));
    expect(outcome).toEqual({
      result: 'Success',
      error: null,
      spaceSaved: steps.reduce((sum, bytes) => sum + bytes, 0),
    });
    expect(outcome.spaceSaved).toBeGreaterThan(300_000);
    expect(before - sizeOf(dir)).toBeGreaterThan(200_000);

    const record = (await collect(client.readStream(`$scavenges-${started.id}`))).map(({ event }) => event);
    expect(record[0]).toMatchObject({
      type: '$scavengeStarted',
      data: { scavengeId: started.id, nodeEndpoint: `127.0.0.1:${store.port}`, threads: 1 },
    });
    expect(record.at(-1)).toMatchObject({
      type: '$scavengeCompleted',
      data: {
        ...{ scavengeId: started.id, result: 'Success', error: null, spaceSaved: outcome.spaceSaved },
        timeTaken: expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{7}$/),
      },
    });
    expect(record.slice(1, -1).map((step) => step?.type)).toEqual(steps.map(() => '$scavengeChunksCompleted'));
    const links = await collect(client.readStream('$scavenges', { resolveLinkTos: true }));
    expect(links.map(({ event }) => event?.type)).toEqual(['$scavengeStarted', '$scavengeCompleted']);
    expect((await client.getStreamMetadata(`$scavenges-${started.id}`)).metadata).toEqual({ maxAge: 2_592_000 });
  });

  it('requires the password', async () => {
    const { store } = await start({ requiresPassword: true });
    const withoutPassword = store.url.replace(/&connectionName=.*/, '');
    expect(await failureOf(startScavenge(withoutPassword))).toMatchObject({ code: 16 });
  });

  it('cannot run twice at the same time, and can be stopped', async () => {
    const { store, client } = await start({ scavengeRest: 1_000 });
    for (const name of await fill(client)) await client.tombstoneStream(name);
    const stopWriting = new AbortController();
    const writer = (async () => {
      while (!stopWriting.signal.aborted) await client.appendToStream('writer', event());
    })();
    const [started] = await startScavenge(store.url);
    const [again] = await startScavenge(store.url);
    if (started === undefined) throw new Error('no scavenge was started');
    expect(again).toEqual({ ...started, isEarlier: true });
    expect(await failureOf(stopScavenge({ ...started, id: 'another' }))).toMatchObject({ code: 5 });
    await stopScavenge(started);
    expect(await followScavenge([started], neverAborted)).toMatchObject({
      result: 'Stopped',
      error: 'The scavenge was stopped.',
    });
    stopWriting.abort();
    await writer;
  });

  it('is recorded as interrupted when its process ends, and the next one completes it', async () => {
    const { dir, store, client } = await start({ scavengeRest: 1_000 });
    for (const name of await fill(client)) await client.tombstoneStream(name);
    const writer = (async () => {
      for (;;) await client.appendToStream('writer', event());
    })().catch(() => undefined);
    const started = await startScavenge(store.url);
    await store.kill();
    await writer;
    const next = await start({ dir });
    const [id] = started.map((scavenge) => scavenge.id);
    const record = await collect(next.client.readStream(`$scavenges-${id}`));
    expect(record.at(-1)?.event).toMatchObject({ type: '$scavengeCompleted', data: { result: 'Interrupted' } });
    expect(await runScavenge(next.store.url)).toMatchObject({ result: 'Success' });
    expect(readdirSync(dir).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('is refused while the disk is full', async () => {
    const main = fileURLToPath(new URL('../dist/conformance/failing-disk.main.js', import.meta.url));
    const { dir, store, client } = await start({ main });
    await client.appendToStream(newStream(), event());
    writeFileSync(join(dir, 'full'), '');
    expect((await failureOf(startScavenge(store.url))).message).toContain('its disk is full');
    rmSync(join(dir, 'full'));
  });
});

describe('a scavenge of a store whose disk becomes full', () => {
  const main = fileURLToPath(new URL('../dist/conformance/failing-disk.main.js', import.meta.url));
  const soon = { fullMs: 100, fullCheckMs: 50 };

  it('ends with the reason for clients that follow it, and is recorded when there is space', async () => {
    const { dir, store, client } = await start({ main });
    for (const name of await fill(client)) await client.tombstoneStream(name);
    writeFileSync(join(dir, 'full-soon'), '');
    const [started] = await startScavenge(store.url);
    if (started === undefined) throw new Error('no scavenge was started');
    expect(await followScavenge([started], neverAborted, () => {}, soon)).toMatchObject({
      result: 'Errored',
      error: expect.stringContaining('its disk is full'),
    });
    for (const name of ['full-soon', 'full']) rmSync(join(dir, name));
    expect(await followScavenge([started], neverAborted)).toMatchObject({
      result: 'Errored',
      error: expect.stringContaining('The disk is full'),
    });
    const record = await collect(client.readStream(`$scavenges-${started.id}`));
    expect(record.at(-1)?.event?.type).toBe('$scavengeCompleted');
  });
});

describe('a subscriber', () => {
  it('continues from the position of an event that was removed', async () => {
    const { store, client } = await start();
    const purged = newStream('purged');
    const kept = newStream('kept');
    const { position } = await client.appendToStream(purged, events(3));
    await client.appendToStream(kept, event({ number: 1 }));
    await client.tombstoneStream(purged);
    await runScavenge(store.url);
    if (position === undefined) throw new Error('The append returned no position');
    const filter = streamNameFilter({ prefixes: ['kept', 'purged'] });
    const subscription = client.subscribeToAll({ fromPosition: position, filter });
    const found = await collect(subscription, 2);
    expect(found.map(({ event }) => event?.type)).toEqual(['Happened', '$streamDeleted']);
    const reread = await collect(client.readAll({ fromPosition: position, maxCount: 1 }));
    expect(reread[0]?.event?.streamId).toBe(kept);
    const backwards = await collect(client.readAll({ fromPosition: position, maxCount: 1, direction: 'backwards' }));
    expect(backwards).toEqual([]);
  });

  it('receives everything that remains, once and in order, while scavenges run', async () => {
    const { store, client } = await start();
    const kept = newStream('kept');
    const subscription = client.subscribeToAll({
      fromPosition: START,
      filter: streamNameFilter({ prefixes: ['kept'] }),
    });
    const received = collect(subscription, 400);
    for (let number = 0; number < 400; number += 1) {
      await client.appendToStream(kept, event({ number, text: 'x'.repeat(500) }));
      if (number % 50 !== 49) continue;
      const [purged = ''] = await fill(client, 1);
      await client.tombstoneStream(purged);
      expect(await runScavenge(store.url)).toMatchObject({ result: 'Success' });
    }
    expect(numbers(await received)).toEqual(Array.from({ length: 400 }, (_, number) => number));
  });

  it('of a stream begins at its first remaining event', async () => {
    const { store, client } = await start();
    const stream = newStream();
    await client.appendToStream(stream, events(20));
    await client.setStreamMetadata(stream, { truncateBefore: 15 });
    await runScavenge(store.url);
    await client.setStreamMetadata(stream, {});
    const subscription = client.subscribeToStream(stream, { fromRevision: 3n });
    expect(numbers(await collect(subscription, 5))).toEqual([15, 16, 17, 18, 19]);
    expect(numbers(await collect(client.readStream(stream)))).toEqual([15, 16, 17, 18, 19]);
    const backwards = await collect(client.readStream(stream, { direction: 'backwards', fromRevision: END }));
    expect(numbers(backwards)).toEqual([19, 18, 17, 16, 15]);
    expect(await collect(client.readStream(stream, { direction: 'backwards', fromRevision: 3n }))).toEqual([]);
  });
});

const SCAVENGES = process.env['FAULTS'] === 'long' ? 4 : 2;

describe('64 writers during scavenges', () => {
  it('lose no acknowledged event, even if the process is killed', { timeout: 120_000 }, async () => {
    const first = await start();
    const acknowledged = new Map<string, string[]>();
    const isStopped = { value: false };
    const writer = async (client: EventStoreDBClient) => {
      const stream = newStream('written');
      const ids: string[] = [];
      acknowledged.set(stream, ids);
      while (!isStopped.value) {
        const next = event({ text: 'x'.repeat(300) });
        const expectedRevision = ids.length === 0 ? NO_STREAM : BigInt(ids.length - 1);
        await client.appendToStream(stream, next, { expectedRevision });
        ids.push(next.id);
      }
    };
    const writers = Array.from({ length: 64 }, () => writer(first.client).catch(() => undefined));
    const total = () => [...acknowledged.values()].reduce((sum, { length }) => sum + length, 0);
    let saved = 0;
    for (let round = 0; round < SCAVENGES; round += 1) {
      for (const name of await fill(first.client, 4)) await first.client.tombstoneStream(name);
      saved += (await runScavenge(first.store.url)).spaceSaved;
    }
    expect(saved).toBeGreaterThan(SCAVENGES * 100_000);
    await fill(first.client, 4).then((names) => Promise.all(names.map((name) => first.client.tombstoneStream(name))));
    const enough = total() + 500;
    await expect.poll(total, { timeout: 60_000, interval: 5 }).toBeGreaterThan(enough);
    await startScavenge(first.store.url);
    await first.store.kill();
    isStopped.value = true;
    await Promise.all(writers);

    const { client, store } = await start({ dir: first.dir });
    await runScavenge(store.url);
    for (const [stream, ids] of acknowledged) {
      if (ids.length === 0) continue;
      const found = (await collect(client.readStream(stream))).map(({ event: seen }) => seen?.id);
      expect(found.slice(0, ids.length)).toEqual(ids);
    }
    const caughtUp = client.subscribeToAll({ fromPosition: END });
    await once(caughtUp, 'caughtUp');
    await caughtUp.unsubscribe();
    console.info(`scavenge: ${total()} acknowledged events under 64 writers, none lost, ${saved} bytes given back`);
  });
});
