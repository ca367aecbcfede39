/** Tests that kills and restarts of the event store lose no acknowledged event, and how the process starts and ends. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { type EventStoreDBClient, NO_STREAM, type Position } from '@eventstore/db-client';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from './seed.ts';
import { collect, connect, event, events, failureOf, newStream, numbers, temporaryDirectory } from './target.ts';

const LONG = process.env['FAULTS'] === 'long';
const KILLS = Number(process.env['KILLS'] ?? (LONG ? 6 : 2));
const PATIENCE = { timeout: 30_000 + KILLS * 10_000 };
/** The time within which the store reaches an expected state, also on a busy machine. */
const STATE_PATIENCE = { timeout: 40_000 };
const WRITERS = 16;
/** The number of batches in the test with sealed segments. */
const BATCHES = LONG ? 20 : 8;
/** A small size, so that many segments are sealed. */
const SEGMENT_SIZE = 256 * 1024;

let cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  cleanUps = [];
});

function newDirectory(): string {
  const { path, remove } = temporaryDirectory();
  cleanUps.push(remove);
  return path;
}

async function start(dir: string): Promise<{ store: EventStoreProcess; client: EventStoreDBClient }> {
  const store = await startEventStoreProcess({ dir, segmentSize: SEGMENT_SIZE, output: 'pipe' });
  cleanUps.push(() => store.stop());
  const client = connect(store.url);
  cleanUps.push(() => client.dispose());
  return { store, client };
}

/** The stream of one writer: its acknowledged events, and the events of an append whose outcome is not known. */
interface Journal {
  readonly stream: string;
  readonly acknowledged: string[];
  unsettled: ReturnType<typeof event>[];
}

/** Appends at exact revisions until the store ends. First repeats an append with an unknown outcome. */
async function write(client: EventStoreDBClient, journal: Journal, chance: () => number): Promise<void> {
  for (;;) {
    if (journal.unsettled.length === 0) {
      const size = 1 + Math.floor(chance() * 4);
      journal.unsettled = Array.from({ length: size }, () => event({ text: 'x'.repeat(Math.floor(chance() * 900)) }));
    }
    const head = journal.acknowledged.length - 1;
    const expectedRevision = head < 0 ? NO_STREAM : BigInt(head);
    const result = await client.appendToStream(journal.stream, journal.unsettled, { expectedRevision });
    expect(result.nextExpectedRevision).toBe(BigInt(head + journal.unsettled.length));
    journal.acknowledged.push(...journal.unsettled.map(({ id }) => id));
    journal.unsettled = [];
  }
}

it(
  `the store loses no acknowledged event and stores no event twice over ${KILLS} kills at random moments`,
  PATIENCE,
  async () => {
    const seed = announcedSeed('kill -9');
    const chance = random(seed);
    const dir = newDirectory();
    const journals = Array.from(
      { length: WRITERS },
      (): Journal => ({ stream: newStream(), acknowledged: [], unsettled: [] }),
    );
    const total = () => journals.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    for (let kill = 0; kill <= KILLS; kill += 1) {
      const { store, client } = await start(dir);
      for (const { stream, acknowledged, unsettled } of journals) {
        const storedEvents =
          acknowledged.length + unsettled.length === 0 ? [] : await collect(client.readStream(stream)).catch(() => []);
        const ids = storedEvents.map(({ event: recordedEvent }) => recordedEvent?.id);
        const whole = [...acknowledged, ...unsettled.map(({ id }) => id)];
        // An append with an unknown outcome is stored completely or not at all.
        expect([acknowledged, whole]).toContainEqual(ids);
      }
      if (kill === KILLS) break;
      const writers = journals.map((journal) => write(client, journal, chance).catch((error: Error) => error));
      const minimum = total() + 10 + Math.floor(chance() * 400);
      await expect.poll(total, { ...STATE_PATIENCE, interval: 1 }).toBeGreaterThan(minimum);
      await store.kill();
      for (const error of await Promise.all(writers)) expect(String(error)).not.toMatch(/wrong|expected/i);
    }
    console.info(`kill -9: ${total()} acknowledged events, ${KILLS} kills, none lost`);
  },
);

describe('a restart', () => {
  it('leaves the same events at the same positions, also in sealed segments', async () => {
    const dir = newDirectory();
    const before = await start(dir);
    const stream = newStream();
    // Each batch fills more than a quarter of a segment.
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const text = 'x'.repeat(2_000);
      const rows = Array.from({ length: 40 }, (_, number) => event({ number, text }));
      await before.client.appendToStream(stream, rows);
      await before.client.appendToStream(newStream(), events(3));
    }
    await before.client.tombstoneStream(newStream());
    await before.client.setStreamMetadata(stream, { maxCount: 100 });
    const all = await collect(before.client.readAll());
    expect(await before.store.stop()).toBe(0);
    expect(readdirSync(dir).filter((name) => name.endsWith('.log')).length).toBeGreaterThan(2);

    const after = await start(dir);
    expect(await collect(after.client.readAll())).toEqual(all);
    expect(await collect(after.client.readStream(stream))).toHaveLength(100);
  });

  describe('after a kill', () => {
    const [repeated, followed] = [newStream(), newStream()];
    const [first, second] = [events(2), events(2)];
    let dir: ReturnType<typeof temporaryDirectory>;
    let position: Position | undefined;
    let store: EventStoreProcess;
    let client: EventStoreDBClient;

    beforeAll(async () => {
      dir = temporaryDirectory();
      const before = await startEventStoreProcess({ dir: dir.path, segmentSize: SEGMENT_SIZE, output: 'pipe' });
      const writer = connect(before.url);
      await writer.appendToStream(repeated, first, { expectedRevision: NO_STREAM });
      await writer.appendToStream(repeated, second, { expectedRevision: 1n });
      ({ position } = await writer.appendToStream(followed, event({ number: 0 })));
      await before.kill();
      await writer.dispose();
      store = await startEventStoreProcess({ dir: dir.path, segmentSize: SEGMENT_SIZE, output: 'pipe' });
      client = connect(store.url);
    });
    afterAll(async () => {
      await client?.dispose();
      await store?.stop();
      dir?.remove();
    });

    it('recognises a repeat of an earlier append', async () => {
      const repeat = (batch: ReturnType<typeof events>, expectedRevision: bigint | typeof NO_STREAM) =>
        client.appendToStream(repeated, batch, { expectedRevision });
      expect((await repeat(first, NO_STREAM)).nextExpectedRevision).toBe(1n);
      expect((await repeat(second, 1n)).nextExpectedRevision).toBe(3n);
      expect(await failureOf(repeat(events(2), 1n))).toMatchObject({ type: 'wrong-expected-version' });
      expect(await collect(client.readStream(repeated))).toHaveLength(4);
    });

    it('lets a subscription continue at its position', async () => {
      if (position === undefined) throw new Error('The append returned no position');
      const subscription = client.subscribeToAll({ fromPosition: position });
      await once(subscription, 'caughtUp');
      await client.appendToStream(followed, event({ number: 1 }), { expectedRevision: 0n });
      expect(numbers(await collect(subscription, 1))).toEqual([1]);
    });
  });
});

describe('the process', () => {
  it('locks its directory until it is killed', async () => {
    const dir = newDirectory();
    const { store } = await start(dir);
    const second = failureOf(startEventStoreProcess({ dir, output: 'pipe' }));
    expect((await second).message).toContain(`is in use by another event store (process ${store.child.pid})`);
    await store.kill();
    await start(dir);
  });

  it('refuses a busy port with a clear message', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    cleanUps.push(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const refusal = await failureOf(startEventStoreProcess({ dir: newDirectory(), port, output: 'pipe' }));
    expect(refusal.message).toMatch(new RegExp(`cannot listen on 127.0.0.1:${port}.*EADDRINUSE`));
  });

  it('ends on SIGTERM under load with all acknowledged events on disk', async () => {
    const dir = newDirectory();
    const { store, client } = await start(dir);
    const acknowledged = new Set<string>();
    const load = Array.from({ length: 32 }, async () => {
      for (;;) {
        const id = randomUUID();
        await client.appendToStream(newStream(), event({}, 'Loaded', id));
        acknowledged.add(id);
      }
    }).map((writer) => writer.catch(() => undefined));
    await expect.poll(() => acknowledged.size, STATE_PATIENCE).toBeGreaterThan(200);
    expect(await store.stop()).toBe(0);
    await Promise.all(load);

    const after = await start(dir);
    const storedIds = new Set(
      (await collect(after.client.readAll())).map(({ event: recordedEvent }) => recordedEvent?.id),
    );
    expect([...acknowledged].filter((id) => !storedIds.has(id))).toEqual([]);
  });

  it('ends when its supervisor ends', async () => {
    const { store } = await start(newDirectory());
    const exited = once(store.child, 'exit');
    store.child.disconnect();
    expect((await exited)[0]).toBe(0);
  });
});
