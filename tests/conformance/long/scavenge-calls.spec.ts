/** Tests a subscriber and many writers during scavenges, and a kill of the event store during a scavenge. */
import { once } from 'node:events';
import { END, type EventStoreDBClient, NO_STREAM, START, streamNameFilter } from '@eventstore/db-client';
import { startScavenge } from '@rdm/platform/event-store/scavenge';
import { describe, expect, it } from 'vitest';
import { fill, runScavenge, useStores } from '../scavenged-stores.ts';
import { collect, event, newStream, numbers } from '../target.ts';

const start = useStores();

describe('a subscriber', () => {
  it('receives each remaining event once and in order while scavenges run', async () => {
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
});

const SCAVENGES = process.env['FAULTS'] === 'long' ? 4 : 2;

describe('64 writers during scavenges', () => {
  it('lose no acknowledged event, even if the event store is killed', { timeout: 120_000 }, async () => {
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
    let savedBytes = 0;
    for (let round = 0; round < SCAVENGES; round += 1) {
      for (const name of await fill(first.client, 4)) await first.client.tombstoneStream(name);
      savedBytes += (await runScavenge(first.store.url)).spaceSaved;
    }
    expect(savedBytes).toBeGreaterThan(SCAVENGES * 100_000);
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
      const storedIds = (await collect(client.readStream(stream))).map(({ event: recorded }) => recorded?.id);
      expect(storedIds.slice(0, ids.length)).toEqual(ids);
    }
    const subscription = client.subscribeToAll({ fromPosition: END });
    await once(subscription, 'caughtUp');
    await subscription.unsubscribe();
    console.info(`scavenge: ${total()} acknowledged events under 64 writers, none lost, ${savedBytes} bytes saved`);
  });
});
