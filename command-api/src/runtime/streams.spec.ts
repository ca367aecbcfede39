import { type DomainEvent, type RecordedEvent, Refusal } from '@rdm/contracts';
import { type EventStore, WrongRevision } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { metadataBy } from '../testing/given.ts';
import type { StreamKind } from './fold.ts';
import { kinds } from './stream-kinds.ts';
import { Streams } from './streams.ts';

/** A store with one stream of claimed names. Each read waits until the spec ends it. */
function createHeldStore() {
  const events: RecordedEvent[] = [];
  const waiting: (() => void)[] = [];
  let reads = 0;
  const store = {
    async *read(_stream: string, from = 0) {
      reads += 1;
      const tail = events.slice(from);
      await new Promise<void>((resolve) => waiting.push(resolve));
      yield* tail;
    },
  } as unknown as EventStore;
  const waitUntil = async (condition: () => boolean) => {
    while (!condition()) await new Promise(setImmediate);
  };
  return {
    streams: new Streams(store),
    claim(name: string) {
      const revision = events.length;
      const data = { name, ownerId: revision + 1 };
      const base = { id: `e${revision}`, stream: 'names-types', position: BigInt(revision), metadata: metadataBy(1) };
      events.push({ ...base, revision, type: 'NameClaimed', data });
    },
    /** Waits for a read to begin and ends it. */
    async endOneRead() {
      await waitUntil(() => waiting.length > 0);
      waiting.shift()?.();
    },
    reads: () => reads,
  };
}

describe('loading a stream', () => {
  it('shares one read among the loads that begin during an earlier read', async () => {
    const { streams, claim, endOneRead, reads } = createHeldStore();
    const load = () => streams.load(kinds.names, 'names-types');
    claim('first');
    const early = load();
    while (reads() === 0) await new Promise(setImmediate);
    claim('second');
    const late = [load(), load(), load()];
    await endOneRead();
    expect((await early).revision).toBe(0);
    await endOneRead();
    for (const loaded of await Promise.all(late)) expect(loaded.revision).toBe(1);
    expect(reads()).toBe(2);
  });
});

describe('loading a stream after the log was replaced by another copy', () => {
  const event = (name: string, revision: number): RecordedEvent => ({
    ...{ id: `${name}@${revision}`, stream: 'names-types', position: BigInt(revision), metadata: metadataBy(1) },
    ...{ revision, type: 'NameClaimed', data: { name, ownerId: revision + 1 } },
  });
  const streamsOver = (events: RecordedEvent[]) =>
    new Streams({
      async *read(_stream: string, from = 0) {
        yield* events.slice(from);
      },
    } as unknown as EventStore);

  it('leaves out events that the copy does not contain', async () => {
    const events = [event('first', 0), event('second', 1)];
    const streams = streamsOver(events);
    expect((await streams.load(kinds.names, 'names-types')).revision).toBe(1);
    events.pop();
    const { state, revision } = await streams.load(kinds.names, 'names-types');
    expect([revision, [...state.keys()]]).toEqual([0, ['first']]);
  });

  it("folds the copy's own events at the same revisions", async () => {
    const events = [event('first', 0), event('second', 1)];
    const streams = streamsOver(events);
    await streams.load(kinds.names, 'names-types');
    events.splice(1, 1, event('third', 1), event('fourth', 2));
    const { state, revision } = await streams.load(kinds.names, 'names-types');
    expect([revision, [...state.keys()]]).toEqual([2, ['first', 'third', 'fourth']]);
  });
});

describe('the first decision on rows of an entity', () => {
  /** A kind whose state is the list of claimed names, in the order of their events. */
  const names: StreamKind<string[], DomainEvent> = {
    initial: () => [],
    evolve: (state, { data }) => [...state, (data as { name: string }).name],
    estimateBytes: () => 1,
  };

  /** A log of several streams, and the list of the streams that were read. */
  function memoryLog() {
    const events: RecordedEvent[] = [];
    const reads: string[] = [];
    const eventsIn = (name: string) => events.filter(({ stream }) => stream === name);
    const store = {
      async *read(stream: string, from = 0) {
        reads.push(stream);
        yield* eventsIn(stream).slice(from);
      },
      async append(stream: string, added: readonly object[], expected: number | 'NO_STREAM') {
        const before = eventsIn(stream).length;
        if (before !== (expected === 'NO_STREAM' ? 0 : expected + 1)) throw new WrongRevision(stream);
        events.push(...added.map((event, index) => ({ ...event, stream, revision: before + index }) as RecordedEvent));
        return { revision: before + added.length - 1, position: BigInt(events.length) };
      },
    } as unknown as EventStore;
    return { store, reads };
  }

  let step = 0;
  const add = (streams: Streams, stream: string, name: string) => {
    step += 1;
    const eventId = (index: number) => `step ${step}, event ${index}`;
    const stamp = { eventId, metadata: metadataBy(1), now: () => new Date(), beforeAppend: async () => undefined };
    return streams.change(names, stream, { ...stamp, previousExpected: undefined }, (state) => {
      if (state.includes(name)) throw new Refusal('DUPLICATE_KEY', `${name} exists already`);
      return { events: [{ type: 'NameClaimed', data: { name, ownerId: 1 } }], result: state.length };
    });
  };

  it('reads nothing if this process created the entity', async () => {
    const { store, reads } = memoryLog();
    const streams = new Streams(store);
    await add(streams, 'crosswalk-7', 'header');
    expect(reads.splice(0)).toEqual(['crosswalk-7']);
    expect((await add(streams, 'mappings-7.3', 'a')).result).toBe(0);
    expect((await add(streams, 'mappings-7.3', 'b')).result).toBe(1);
    expect(reads).toEqual([]);
  });

  it('reads the stream if another process created the entity, or has written the stream meanwhile', async () => {
    const { store, reads } = memoryLog();
    const [first, second] = [new Streams(store), new Streams(store)];
    await add(first, 'dataSet-7', 'header');
    await add(second, 'instances-7.3', 'a');
    expect(reads.splice(0)).toEqual(['dataSet-7', 'instances-7.3']);
    expect((await add(first, 'instances-7.3', 'b')).result).toBe(1);
    // One read checks whether the refused append is in the stream, and one reads the whole stream.
    expect(reads).toHaveLength(2);
    await expect(add(first, 'instances-7.3', 'a')).rejects.toThrow('a exists already');
  });

  it('refuses because of the state in the log, although it first assumes an empty stream', async () => {
    const { store } = memoryLog();
    const [first, second] = [new Streams(store), new Streams(store)];
    await add(first, 'relationship-7', 'header');
    await add(second, 'relationshipValues-7.3', 'a');
    await expect(add(first, 'relationshipValues-7.3', 'a')).rejects.toThrow('a exists already');
  });
});
