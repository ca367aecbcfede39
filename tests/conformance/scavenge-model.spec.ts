/** Compares reads of a scavenged log with a model of the events that a scavenge must leave. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scavenge } from '@rdm/embedded/event-store/storage/scavenge';
import type { Store } from '@rdm/embedded/event-store/store';
import { eventFilter } from '@rdm/embedded/event-store/wire/filter';
import { readHeader } from '@rdm/embedded/event-store/wire/recorded-event';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { append, openBare } from './bare-store.ts';
import { announcedSeed } from './seed.ts';
import { temporaryDirectory } from './target.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

interface ModelEvent {
  readonly stream: string;
  readonly revision: number | 'tombstone';
  /** The event id; empty for an event that the store wrote itself, until the event is read. */
  id: string;
  /** The position of the event; -1 until the event is read. */
  position: number;
}

/** The whole history of the log, and the events that scavenges have removed. */
class Model {
  readonly history: ModelEvent[] = [];
  readonly removed = new Set<ModelEvent>();
  readonly metadata = new Map<string, { $tb?: number; $maxCount?: number }>();
  readonly tombstoned = new Set<string>();
  readonly softDeleted = new Set<string>();

  add(stream: string, revision: ModelEvent['revision'], id = ''): void {
    this.history.push({ stream, revision, id, position: -1 });
  }

  /** The store writes metadata when it deletes or recreates a stream. */
  addMetadata(stream: string): void {
    this.add(`$$${stream}`, this.eventsOf(`$$${stream}`).length);
  }

  recreate(stream: string, limits: object, head: number): void {
    if (!this.softDeleted.delete(stream)) return;
    this.addMetadata(stream);
    this.metadata.set(stream, { ...limits, $tb: head + 1 });
  }

  eventsOf(stream: string): ModelEvent[] {
    return this.history.filter((event) => event.stream === stream && event.revision !== 'tombstone');
  }

  isTombstoned(stream: string): boolean {
    return this.tombstoned.has(stream) || (stream.startsWith('$$') && this.tombstoned.has(stream.slice(2)));
  }

  /** The first revision that can be read. */
  first(stream: string): number {
    const head = this.eventsOf(stream).length - 1;
    if (stream.startsWith('$$')) return head;
    if (this.softDeleted.has(stream)) return Number.POSITIVE_INFINITY;
    const { $tb = 0, $maxCount = Number.POSITIVE_INFINITY } = this.metadata.get(stream) ?? {};
    return Math.max(0, $tb, head + 1 - $maxCount);
  }

  readable(stream: string): string[] {
    if (this.isTombstoned(stream)) return [];
    const remaining = this.eventsOf(stream).filter((event) => !this.removed.has(event));
    return remaining.filter(({ revision }) => Number(revision) >= this.first(stream)).map(({ id }) => id);
  }

  scavenge(): void {
    for (const event of this.history) {
      if (event.revision === 'tombstone') continue;
      const head = this.eventsOf(event.stream).length - 1;
      const first = Math.min(head, this.first(event.stream));
      if (this.isTombstoned(event.stream) || event.revision < first) this.removed.add(event);
    }
  }

  /** The events of `$all`: the history without the removed events. */
  get all(): ModelEvent[] {
    return this.history.filter((event) => !this.removed.has(event));
  }
}

const STREAMS = ['a', 'b', 'c'];
const stream = fc.constantFrom(...STREAMS);
const command = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      stream,
      count: fc.integer({ min: 1, max: 5 }),
      size: fc.integer({ min: 0, max: 300 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      stream,
      limit: fc.oneof(
        fc.record({ $tb: fc.nat({ max: 20 }) }),
        fc.record({ $maxCount: fc.integer({ min: 1, max: 8 }) }),
        fc.constant({}),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tombstone' as const), stream }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), stream }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('scavenge' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);

let number = 0;
function proposedEvent(type: string, data: string) {
  const id = `00000000-0000-4000-8000-${(number++).toString().padStart(12, '0')}`;
  return { id, type, isJson: true, data: Buffer.from(data), metadata: Buffer.alloc(0) };
}

async function write(
  store: Store,
  model: Model,
  stream: string,
  events: ReturnType<typeof proposedEvent>[],
): Promise<void> {
  const head = model.eventsOf(stream).length - 1;
  // The revision of the last event, even if a scavenge has removed that event.
  const outcome = await append(store, stream, events, head < 0 ? 'no_stream' : BigInt(head));
  if (model.isTombstoned(stream)) {
    expect(outcome).toEqual({ kind: 'deleted' });
    return;
  }
  expect(outcome).toMatchObject({ kind: 'appended', revision: head + events.length });
  for (const [index, { id }] of events.entries()) model.add(stream, head + 1 + index, id);
  // An append with the same ids is a repeat.
  expect(await append(store, stream, events, 'any')).toMatchObject({
    kind: 'appended',
    revision: head + events.length,
  });
}

const eventsAt = (store: Store, ordinals: readonly number[]) =>
  [...store.streams.resolve(ordinals, false)].map(({ event, position }) => {
    const { id, type } = readHeader(event ?? Buffer.alloc(0));
    return { id: type === '$streamDeleted' ? 'tombstone' : id, position };
  });

/** Ordinals of `$all`, as the read service collects them. */
function allFrom({ index }: Store, position: number, step: 1 | -1): number[] {
  const ordinals: number[] = [];
  let ordinal = index.ordinalAt(position) + (step === -1 ? -1 : 0);
  for (; ordinal >= 0 && ordinal < index.visible; ordinal += step)
    if (!index.isDropped(ordinal)) ordinals.push(ordinal);
  return ordinals;
}

const NO_WINDOW = { max: null, checkpointIntervalMultiplier: 1 };

function compare(store: Store, model: Model): void {
  const storedEvents = eventsAt(store, allFrom(store, 0, 1));
  // Positions never change: record the positions of new events here.
  for (const [index, event] of model.all.entries()) {
    if (event.position === -1) event.position = storedEvents[index]?.position ?? -1;
    if (event.id === '') event.id = storedEvents[index]?.id ?? '';
    expect(storedEvents[index]?.position).toBe(event.position);
  }
  expect(storedEvents.map(({ id }) => id)).toEqual(model.all.map(({ id }) => id));
  // Read from the position of every event, including removed ones.
  for (const { position } of model.history) {
    const after = model.all.filter((event) => event.position >= position).map((event) => event.position);
    expect(eventsAt(store, allFrom(store, position, 1)).map((event) => event.position)).toEqual(after);
    const before = model.all.filter((event) => event.position < position).map((event) => event.position);
    expect(eventsAt(store, allFrom(store, position, -1)).map((event) => event.position)).toEqual(before.reverse());
  }
  const passes = eventFilter(
    {
      filter: 'streamIdentifier',
      streamIdentifier: { regex: '', prefix: ['a', '$$b'] },
      eventType: null,
      ...NO_WINDOW,
    },
    store.index,
  );
  const filtered = model.all.filter((event) => /^(a|\$\$b)/.test(event.stream)).map(({ id }) => id);
  expect(eventsAt(store, allFrom(store, 0, 1).filter(passes)).map(({ id }) => id)).toEqual(filtered);
  for (const name of STREAMS.flatMap((name) => [name, `$$${name}`])) {
    const forwards = eventsAt(store, store.streams.ordinals(name, 0, 1, 1_000)).map(({ id }) => id);
    expect(forwards).toEqual(model.readable(name));
    const head = store.streams.head(name);
    expect(head < 0 || model.isTombstoned(name) || head === model.eventsOf(name).length - 1).toBe(true);
    const backwards = eventsAt(store, store.streams.ordinals(name, Number.POSITIVE_INFINITY, -1, 1_000));
    expect(backwards.map(({ id }) => id)).toEqual(model.readable(name).reverse());
  }
}

const fileSize = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.log'))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

it('the store agrees with the model after any writes, scavenges and restarts', { timeout: 240_000 }, async () => {
  const seed = announcedSeed('scavenge model');
  let run = 0;
  let scavengedSegments = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
      const directory = join(root, String(run++));
      const model = new Model();
      let store = await openBare({ directory, segmentSize: 900 });
      for (const step of commands) {
        if (step.do === 'append') {
          const data = JSON.stringify({ text: 'x'.repeat(step.size) });
          const events = Array.from({ length: step.count }, () => proposedEvent('Happened', data));
          const head = model.eventsOf(step.stream).length - 1;
          await write(store, model, step.stream, events);
          model.recreate(step.stream, {}, head);
        } else if (step.do === 'limit') {
          await write(store, model, `$$${step.stream}`, [proposedEvent('$metadata', JSON.stringify(step.limit))]);
          if (model.isTombstoned(step.stream)) continue;
          model.metadata.set(step.stream, step.limit);
          model.recreate(step.stream, step.limit, model.eventsOf(step.stream).length - 1);
        } else if (step.do === 'delete') {
          const exists = model.eventsOf(step.stream).length + model.eventsOf(`$$${step.stream}`).length > 0;
          const { kind } = await append(store, step.stream, [], 'any', 'delete');
          const refusal = model.isTombstoned(step.stream) ? 'deleted' : 'wrong-version';
          expect(kind).toBe(exists && !model.isTombstoned(step.stream) ? 'appended' : refusal);
          if (kind !== 'appended') continue;
          model.addMetadata(step.stream);
          model.softDeleted.add(step.stream);
        } else if (step.do === 'tombstone') {
          const { kind } = await append(store, step.stream, [], 'any', 'tombstone');
          if (kind === 'appended')
            model.history.push({ stream: step.stream, revision: 'tombstone', id: '', position: -1 });
          model.tombstoned.add(step.stream);
          model.softDeleted.delete(step.stream);
        } else if (step.do === 'scavenge') {
          // A read that is under way may yield the events that the scavenge removes, or skip them.
          const runningRead = store.streams.resolve(allFrom(store, 0, 1), false);
          runningRead.next();
          compare(store, model);
          await scavenge(store, {
            pauseFactor: 0,
            signal: new AbortController().signal,
            onSegment: () => void scavengedSegments++,
          });
          const unreadPositions = model.all.slice(1).map(({ position }) => position);
          model.scavenge();
          const readPositions = [...runningRead].map(({ position }) => position);
          expect(readPositions.filter((position) => !unreadPositions.includes(position))).toEqual([]);
          const remainingPositions = model.all
            .map(({ position }) => position)
            .filter((position) => unreadPositions.includes(position));
          expect(remainingPositions.filter((position) => !readPositions.includes(position))).toEqual([]);
        } else {
          await store.close();
          store = await openBare({ directory, segmentSize: 900 });
        }
        compare(store, model);
      }
      await store.close();
      const warnings: string[] = [];
      store = await openBare({ directory, segmentSize: 900, warn: (message) => warnings.push(message) });
      expect(warnings).toEqual([]);
      compare(store, model);
      await store.close();
      expect(fileSize(directory)).toBeGreaterThan(0);
    }),
    { seed, numRuns: Number(process.env['RUNS'] ?? (process.env['FAULTS'] === 'long' ? 200 : 50)) },
  );
  expect(scavengedSegments).toBeGreaterThan(0);
});
