/** Tests reads of streams and `$all`: directions, starting points, counts and links. */
import { randomUUID } from 'node:crypto';
import { type AllStreamResolvedEvent, BACKWARDS, END, FORWARDS, NO_STREAM, START } from '@eventstore/db-client';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  collect,
  event,
  events,
  failureOf,
  itOfEmbeddedStore,
  linkTo,
  newStream,
  numbers,
  useStore,
} from './target.ts';

const store = useStore();

describe('reading a stream', () => {
  const stream = newStream();
  beforeAll(() => store.client.appendToStream(stream, events(10), { expectedRevision: NO_STREAM }));

  it.each([
    { name: 'forwards', options: {}, expected: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
    { name: 'forwards up to a count', options: { maxCount: 3 }, expected: [0, 1, 2] },
    { name: 'from a revision, including it', options: { fromRevision: 7n }, expected: [7, 8, 9] },
    { name: 'from a revision up to a count', options: { fromRevision: 4n, maxCount: 2 }, expected: [4, 5] },
    { name: 'from a revision beyond the end', options: { fromRevision: 10n }, expected: [] },
    { name: 'backwards', options: { direction: BACKWARDS, fromRevision: END, maxCount: 3 }, expected: [9, 8, 7] },
    { name: 'backwards from a revision', options: { direction: BACKWARDS, fromRevision: 2n }, expected: [2, 1, 0] },
    { name: 'backwards from the start', options: { direction: BACKWARDS, fromRevision: START }, expected: [0] },
    {
      name: 'backwards from a revision beyond the end',
      options: { direction: BACKWARDS, fromRevision: 99n },
      expected: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    },
  ] as const)('$name', async ({ options, expected }) => {
    expect(numbers(await collect(store.client.readStream(stream, options)))).toEqual(expected);
  });

  itOfEmbeddedStore('returns no events forwards from the end', async () => {
    expect(await collect(store.client.readStream(stream, { fromRevision: END }))).toEqual([]);
    const missing = collect(store.client.readStream(newStream(), { fromRevision: END }));
    expect(await failureOf(missing)).toMatchObject({ type: 'stream-not-found' });
  });

  it('returns the revision and the position of each event', async () => {
    const found = await collect(store.client.readStream(stream));
    expect(found.map(({ event }) => event?.revision)).toEqual(Array.from({ length: 10 }, (_, index) => BigInt(index)));
    for (const { event, commitPosition } of found) expect(commitPosition).toBe(event?.position?.commit);
  });

  it('reports a missing stream', async () => {
    const missing = newStream();
    expect(await failureOf(collect(store.client.readStream(missing)))).toMatchObject({
      type: 'stream-not-found',
      streamName: missing,
    });
  });

  it('returns thousands of events to two readers at once', async () => {
    const long = newStream();
    for (let batch = 0; batch < 4; batch += 1) {
      await store.client.appendToStream(
        long,
        Array.from({ length: 1_000 }, (_, index) => event({ number: batch * 1_000 + index })),
      );
    }
    const all = Array.from({ length: 4_000 }, (_, index) => index);
    const [forwards, backwards] = await Promise.all([
      collect(store.client.readStream(long, { maxCount: 10_000 })),
      collect(store.client.readStream(long, { direction: BACKWARDS, fromRevision: END })),
    ]);
    expect(numbers(forwards)).toEqual(all);
    expect(numbers(backwards)).toEqual(all.reverse());
  });
});

describe('reading $all', () => {
  const prefix = `all${randomUUID()}`;
  const ours = (found: readonly AllStreamResolvedEvent[]) =>
    found.filter(({ event }) => event?.streamId.startsWith(prefix));

  beforeAll(async () => {
    for (let round = 0; round < 5; round += 1) {
      await store.client.appendToStream(`${prefix}-a`, event({ number: round * 2 }));
      await store.client.appendToStream(`${prefix}-b`, event({ number: round * 2 + 1 }));
    }
  });

  it('returns events in the order in which they were written', async () => {
    const found = ours(await collect(store.client.readAll({ direction: FORWARDS, fromPosition: START })));
    expect(numbers(found)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const positions = found.map(({ event }) => event?.position?.commit ?? -1n);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('returns the same events in reverse order when it reads backwards', async () => {
    const forwards = await collect(store.client.readAll());
    const backwards = await collect(store.client.readAll({ direction: BACKWARDS, fromPosition: END }));
    const ids = (found: typeof forwards) => ours(found).map(({ event }) => event?.id);
    expect(ids(backwards)).toEqual(ids(forwards).reverse());
  });

  it('starts with the event at a position', async () => {
    const wanted = ours(await collect(store.client.readAll()))[4]?.event;
    if (wanted?.position === undefined) throw new Error('The event has no position');
    const [found] = await collect(store.client.readAll({ fromPosition: wanted.position, maxCount: 1 }));
    expect(found?.event?.id).toBe(wanted.id);
  });

  it('starts with the event before a position when it reads backwards', async () => {
    const all = await collect(store.client.readAll());
    const index = all.findIndex(({ event }) => event?.streamId === `${prefix}-b`);
    const from = all[index]?.event?.position;
    if (from === undefined) throw new Error('The event was not found');
    const [found] = await collect(store.client.readAll({ direction: BACKWARDS, fromPosition: from, maxCount: 1 }));
    expect(found?.event?.id).toBe(all[index - 1]?.event?.id);
  });

  it('stops at a count, and returns nothing beyond either end', async () => {
    expect(await collect(store.client.readAll({ maxCount: 3 }))).toHaveLength(3);
    expect(await collect(store.client.readAll({ fromPosition: END }))).toHaveLength(0);
    expect(await collect(store.client.readAll({ direction: BACKWARDS, fromPosition: START }))).toHaveLength(0);
  });
});

describe('links', () => {
  it('are followed if the client requests it', async () => {
    const [source, index] = [newStream('source'), newStream('index')];
    await store.client.appendToStream(source, events(3));
    await store.client.appendToStream(index, [linkTo(2, source), linkTo(0, source)]);
    const resolved = await collect(store.client.readStream(index, { resolveLinkTos: true }));
    expect(numbers(resolved)).toEqual([2, 0]);
    expect(resolved.map((found) => found.link?.revision)).toEqual([0n, 1n]);
    expect(resolved.map((found) => found.event?.streamId)).toEqual([source, source]);
    const plain = await collect(store.client.readStream(index));
    expect(plain.map((found) => found.event?.type)).toEqual(['$>', '$>']);
    expect(plain[0]?.link).toBeUndefined();
  });

  it('are returned without an event if their target does not exist', async () => {
    const [source, index] = [newStream('source'), newStream('index')];
    await store.client.appendToStream(source, events(1));
    await store.client.appendToStream(index, [linkTo(9, source), linkTo(0, newStream()), linkTo(0, source)]);
    const found = await collect(store.client.readStream(index, { resolveLinkTos: true }));
    expect(found.map(({ event }) => event?.streamId)).toEqual([undefined, undefined, source]);
    expect(found.every(({ link }) => link?.type === '$>')).toBe(true);
  });
});
