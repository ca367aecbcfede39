import type { RecordedEvent } from '@rdm/contracts';
import type { EventStore } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { metadataBy } from '../testing/given.ts';
import { kinds } from './stream-kinds.ts';
import { Streams } from './streams.ts';

/** A store with one stream of claimed names, whose reads end when the spec releases them. */
function heldStore() {
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
  const until = async (condition: () => boolean) => {
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
    /** Waits for the current read and ends it. */
    async endOneRead() {
      await until(() => waiting.length > 0);
      waiting.shift()?.();
    },
    reads: () => reads,
  };
}

describe('loading a stream', () => {
  it('shares one read among all loads that wait for another, and starts it after they were requested', async () => {
    const { streams, claim, endOneRead, reads } = heldStore();
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

describe('deciding on a stream after the log was replaced by another copy', () => {
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

  it('forgets events that the copy does not contain', async () => {
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
