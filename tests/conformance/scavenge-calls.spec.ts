/** Tests the calls that start, follow and stop a scavenge, the recorded events, and subscribers after a scavenge. */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { END, streamNameFilter } from '@eventstore/db-client';
import { followScavenge, startScavenge, stopScavenge } from '@rdm/platform/event-store/scavenge';
import { describe, expect, it } from 'vitest';
import { fill, neverAborted, runScavenge, useStores } from './scavenged-stores.ts';
import { collect, event, events, failureOf, newStream, numbers } from './target.ts';

const start = useStores();

const sizeOf = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.log'))
    .reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);

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
    const { store, client } = await start({ scavengePauseFactor: 1_000 });
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

  it('is recorded as interrupted after its process was killed, and the next scavenge succeeds', async () => {
    const { dir, store, client } = await start({ scavengePauseFactor: 1_000 });
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
  const shortWaits = { fullMs: 100, fullCheckMs: 50 };

  it('fails with the reason, and records the end when the disk has space again', async () => {
    const { dir, store, client } = await start({ main });
    for (const name of await fill(client)) await client.tombstoneStream(name);
    writeFileSync(join(dir, 'full-soon'), '');
    const [started] = await startScavenge(store.url);
    if (started === undefined) throw new Error('no scavenge was started');
    expect(await followScavenge([started], neverAborted, () => {}, shortWaits)).toMatchObject({
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
    const received = await collect(subscription, 2);
    expect(received.map(({ event }) => event?.type)).toEqual(['Happened', '$streamDeleted']);
    const reread = await collect(client.readAll({ fromPosition: position, maxCount: 1 }));
    expect(reread[0]?.event?.streamId).toBe(kept);
    const backwards = await collect(client.readAll({ fromPosition: position, maxCount: 1, direction: 'backwards' }));
    expect(backwards).toEqual([]);
  });

  it('of a stream begins at the first remaining event', async () => {
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
