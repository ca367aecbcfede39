/** Compares the store with a model during random sequences of writes, deletions and restarts. */
import type { Outcome } from '@rdm/embedded/event-store/storage/writer';
import type { Store } from '@rdm/embedded/event-store/store';
import { readHeader } from '@rdm/embedded/event-store/wire/recorded-event';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { append, openBare } from './bare-store.ts';
import { announcedSeed } from './seed.ts';
import { temporaryDirectory } from './target.ts';

type Expected = 'any' | 'no_stream' | 'stream_exists' | bigint;

/** The expected state of a stream. Event ids represent the events. */
class ModelStream {
  ids: string[] = [];
  /** The revisions of events written since the last restart, by id. */
  recent = new Map<string, number>();
  /** The first revision that can be read. */
  first = 0;
  softDeleted = false;
  tombstoned = false;

  append(expected: Expected, ids: readonly string[]): Partial<Outcome> {
    const head = this.ids.length - 1;
    if (this.tombstoned) return { kind: 'deleted' };
    if (expected === 'stream_exists' && this.softDeleted) return { kind: 'deleted' };
    if (expected === 'stream_exists' && head < 0) return { kind: 'wrong-version', head };
    if (expected === 'any' || expected === 'stream_exists') {
      const revisions = ids.map((id) => this.recent.get(id));
      if (revisions[0] === undefined) return this.write(ids);
      const last = revisions.at(-1);
      return revisions.includes(undefined) || last === undefined
        ? { kind: 'wrong-version', head }
        : { kind: 'appended', revision: last };
    }
    const after = expected === 'no_stream' ? -1 : Number(expected);
    if (after === head) return this.write(ids);
    const stored = this.ids.slice(after + 1, after + 1 + ids.length);
    if (after < head && stored.join() === ids.join()) return { kind: 'appended', revision: after + ids.length };
    const isRecreation = this.softDeleted && after === -1 && stored[0] !== ids[0];
    return isRecreation ? this.write(ids) : { kind: 'wrong-version', head };
  }

  write(ids: readonly string[]): Partial<Outcome> {
    if (this.softDeleted) this.first = this.ids.length;
    this.softDeleted = false;
    for (const id of ids) this.recent.set(id, this.ids.push(id) - 1);
    return { kind: 'appended', revision: this.ids.length - 1 };
  }

  remove(kind: 'delete' | 'tombstone', expected: Expected): Partial<Outcome> {
    const head = this.ids.length - 1;
    const revision = typeof expected === 'bigint' ? Number(expected) : head;
    if (this.tombstoned) return { kind: 'deleted' };
    if (expected === 'stream_exists' && this.softDeleted) return { kind: 'deleted' };
    const missing = expected === 'stream_exists' && head < 0;
    const unexpected = expected === 'no_stream' && head >= 0 && !this.softDeleted;
    if (missing || unexpected || revision !== head) return { kind: 'wrong-version', head };
    if (kind === 'delete' && head < 0) return { kind: 'wrong-version', head };
    if (kind === 'tombstone') this.tombstoned = true;
    else this.softDeleted = true;
    return { kind: 'appended' };
  }
}

const streamName = fc.constantFrom('a', 'b');
const expectation = fc.oneof(
  fc.constantFrom<Expected>('any', 'no_stream', 'stream_exists'),
  fc.bigInt({ min: 0n, max: 8n }),
);
/** Ids from a small pool, so that repeated and partly repeated appends are frequent. */
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
const command = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('append' as const), stream: streamName, expected: expectation, ids }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('delete' as const), stream: streamName, expected: expectation }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('tombstone' as const), stream: streamName, expected: expectation }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

/** Returns an event id, which is unique across streams. */
const uuid = (stream: string, number: number) =>
  `0000000${stream}-0000-4000-8000-${number.toString().padStart(12, '0')}`;

function proposedEvent(id: string) {
  return { id, type: 'Happened', isJson: true, data: Buffer.from(`{"id":"${id}"}`), metadata: Buffer.alloc(0) };
}

/** Returns the ids of the events of a stream, or the state of an unreadable stream. */
function readIds(store: Store, stream: string): string[] | string {
  const state = store.streams.state(stream);
  if (state !== 'readable') return state;
  const ordinals = store.streams.ordinals(stream, 0, 1, 1_000);
  return [...store.streams.resolve(ordinals, false)].map(({ event }) => readHeader(event ?? Buffer.alloc(0)).id);
}

it('the store agrees with the model after any writes, deletions and restarts', { timeout: 120_000 }, async () => {
  const seed = announcedSeed('model');
  const { path: root, remove } = temporaryDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
      const directory = `${root}/${run++}`;
      const model = { a: new ModelStream(), b: new ModelStream() };
      let store = await openBare({ directory, segmentSize: 700 });
      for (const step of commands) {
        if (step.do === 'restart') {
          await store.close();
          store = await openBare({ directory, segmentSize: 700 });
          for (const stream of [model.a, model.b]) stream.recent.clear();
          continue;
        }
        const stream = model[step.stream as 'a' | 'b'];
        const batch = step.do === 'append' ? step.ids.map((number) => uuid(step.stream, number)) : [];
        const expected =
          step.do === 'append' ? stream.append(step.expected, batch) : stream.remove(step.do, step.expected);
        const actual = await append(store, step.stream, batch.map(proposedEvent), step.expected, step.do);
        expect(actual).toMatchObject(
          step.do !== 'append' && actual.kind === 'appended' ? { kind: expected.kind } : expected,
        );
      }
      for (const name of ['a', 'b'] as const) {
        const { ids: all, first, softDeleted, tombstoned } = model[name];
        const unreadableState = tombstoned ? 'tombstoned' : 'none';
        const isReadable = !tombstoned && !softDeleted && all.length > 0;
        expect(readIds(store, name)).toEqual(isReadable ? all.slice(first) : unreadableState);
      }
      await store.close();
    }),
    { seed, numRuns: Number(process.env['RUNS'] ?? 300) },
  );
  remove();
});
