/** Specifies that purges and scavenges change no seq, no digest and no hash chain of the log. */
import type { PurgedEvent } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyRegistered, purgeEvents, type TestEvent, testSigningKey } from '../testing/purge-events.ts';
import { digestOf, GENESIS, linkTo } from './audit-chain.ts';
import type { EventStore, LoggedEvent, LogPosition } from './event-store.ts';
import { InvalidManifest } from './purge-log.ts';
import { loadPurgedEvents, type NumberedLogEvent, numberLog, PurgedEvents } from './purged-events.ts';

const KEY = testSigningKey();

/** A log in memory, from which a scavenge removes events. */
class MemoryLog {
  events: LoggedEvent[] = [];
  readonly #revisions = new Map<string, number>();
  #position = 0n;

  append({ stream, type, data, actorId }: TestEvent): void {
    const revision = (this.#revisions.get(stream) ?? -1) + 1;
    this.#revisions.set(stream, revision);
    this.#position += 100n;
    const position = this.#position;
    const at = new Date(Number(position)).toISOString();
    const metadata = eventMetadata({ actorId, occurredAt: at });
    this.events.push({
      id: `${stream}@${revision}`,
      stream,
      revision,
      position,
      prepare: position,
      type,
      data,
      metadata,
    });
  }

  lastRevision(stream: string): number {
    return this.#revisions.get(stream) ?? -1;
  }

  scavenge(purged: ReadonlySet<string>): void {
    this.events = this.events.filter(({ stream }) => !purged.has(stream));
  }

  async *after(position: LogPosition | null): AsyncGenerator<LoggedEvent> {
    yield* this.events.filter((event) => position === null || event.position > position.commit);
  }

  get store(): Pick<EventStore, 'read'> {
    const events = () => this.events;
    return {
      async *read(stream, from = 0, maxCount = Number.POSITIVE_INFINITY) {
        yield* events()
          .filter((event) => event.stream === stream && event.revision >= from)
          .slice(0, maxCount);
      },
    };
  }
}

/** The seq and the digest of a log entry. */
interface Line {
  seq: number;
  digest: string;
}

const lineOf = (item: NumberedLogEvent): Line =>
  'event' in item
    ? { seq: item.seq, digest: digestOf({ ...item.event, seq: item.seq }) }
    : { seq: item.seq, digest: item.purged.digest };

const positionOf = (item: NumberedLogEvent): LogPosition =>
  'event' in item ? { commit: item.event.position, prepare: item.event.prepare } : item.position;

async function collect(
  items: AsyncIterable<NumberedLogEvent>,
  count = Number.POSITIVE_INFINITY,
): Promise<NumberedLogEvent[]> {
  const collected: NumberedLogEvent[] = [];
  if (count === 0) return collected;
  for await (const item of items) {
    collected.push(item);
    if (collected.length === count) break;
  }
  return collected;
}

const readLines = async (log: MemoryLog): Promise<Line[]> =>
  (await collect(numberLog(log.after(null), await loadPurgedEvents(log.store), { seq: 0, position: null }))).map(
    lineOf,
  );

const chainOf = (lines: readonly Line[]): string => lines.reduce((hash, { digest }) => linkTo(hash, digest), GENESIS);

/** Appends the events of a purge, with a manifest of all events of the purged streams. */
async function purge(log: MemoryLog, purgeId: number, streams: readonly string[]): Promise<PurgedEvent[]> {
  const events: PurgedEvent[] = [];
  const numbered = numberLog(log.after(null), await loadPurgedEvents(log.store), { seq: 0, position: null });
  for await (const item of numbered) {
    if (!('event' in item) || !streams.includes(item.event.stream)) continue;
    const { type, metadata } = item.event;
    events.push({ ...lineOf(item), type, actorId: metadata.actorId, at: metadata.occurredAt });
  }
  const purged = streams.map((stream) => ({ stream, revision: log.lastRevision(stream) }));
  for (const event of purgeEvents({ purgeId, streams: purged, events, key: KEY })) log.append(event);
  return events;
}

const STREAMS = ['dataSet-1', 'dataSet-2', 'instances-2.1', 'crosswalk-3', 'importJob-4'];
const eventAbout = (stream: string, actorId = 1): TestEvent => ({ stream, type: 'Changed', data: { stream }, actorId });

/** An append to a stream, or a purge of streams, with or without a scavenge. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: STREAMS.length - 1 }).map((stream) => ({ stream })) },
  { weight: 1, arbitrary: fc.record({ purge: fc.subarray(STREAMS, { minLength: 1 }), isScavenged: fc.boolean() }) },
);

async function applySteps(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  const log = new MemoryLog();
  log.append(keyRegistered(KEY));
  const purgedStreams = new Set<string>();
  let purges = 0;
  for (const each of steps) {
    if ('stream' in each) {
      const stream = STREAMS[each.stream] as string;
      if (!purgedStreams.has(stream)) log.append(eventAbout(stream));
      continue;
    }
    const streams = each.purge.filter((stream) => !purgedStreams.has(stream) && log.lastRevision(stream) >= 0);
    if (streams.length === 0) continue;
    purges += 1;
    await purge(log, purges, streams);
    for (const stream of streams) purgedStreams.add(stream);
    if (each.isScavenged) log.scavenge(purgedStreams);
  }
  return { log, purgedStreams };
}

describe('a log with purges', () => {
  it('has the same seqs and hash chain before and after scavenges', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const unscavenged = await applySteps(
          steps.map((each) => ('purge' in each ? { ...each, isScavenged: false } : each)),
        );
        const { log, purgedStreams } = await applySteps(steps);
        // The events of a log without scavenges have the original seqs and digests.
        const original = unscavenged.log.events.map((event, index) => lineOf({ seq: index + 1, event }));
        const before = await readLines(unscavenged.log);
        expect(before).toEqual(original);
        expect(await readLines(log)).toEqual(original);
        log.scavenge(purgedStreams);
        const after = await readLines(log);
        expect(after).toEqual(original);
        expect(chainOf(after)).toBe(chainOf(original));
      }),
      { numRuns: 300 },
    );
  });

  it('can be read from any checkpoint, before and after a scavenge', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(), fc.boolean(), async (steps, place, isScavenged) => {
        const { log, purgedStreams } = await applySteps(steps);
        const all = await readLines(log);
        const count = place % (all.length + 1);
        const purged = await loadPurgedEvents(log.store);
        const firstEvents = await collect(numberLog(log.after(null), purged, { seq: 0, position: null }), count);
        const last = firstEvents.at(-1);
        if (isScavenged) log.scavenge(purgedStreams);
        const position = last ? positionOf(last) : null;
        const laterEvents = await collect(numberLog(log.after(position), purged, { seq: last?.seq ?? 0, position }));
        expect([...firstEvents, ...laterEvents].map(lineOf)).toEqual(all);
      }),
      { numRuns: 300 },
    );
  });

  it('has the same seqs for a reader that has read events before their purge', async () => {
    const log = new MemoryLog();
    log.append(keyRegistered(KEY));
    for (const stream of ['dataSet-1', 'dataSet-2', 'dataSet-1']) log.append(eventAbout(stream));
    const purged = await loadPurgedEvents(log.store);
    const reader = numberLog(followLog(log), purged, { seq: 0, position: null });
    const readEvents = await collectNext(reader, 4);
    await purge(log, 1, ['dataSet-1']);
    log.append(eventAbout('dataSet-2'));
    log.scavenge(new Set(['dataSet-1']));
    readEvents.push(...(await collectNext(reader, 7)));
    expect(readEvents.map(({ seq }) => seq)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1));
    expect(purged.purgeOf('dataSet-1', 1)).toBe(1);
    expect(readEvents.map(lineOf)).toEqual(await readLines(log));
  });

  it('has the same seqs for a reader after another reader has loaded a purge', async () => {
    const log = new MemoryLog();
    log.append(keyRegistered(KEY));
    for (const stream of ['dataSet-1', 'dataSet-2', 'dataSet-1', 'dataSet-2']) log.append(eventAbout(stream));
    const purged = await loadPurgedEvents(log.store);
    const slowReader = numberLog(followLog(log), purged, { seq: 0, position: null });
    const readEvents = await collectNext(slowReader, 2);
    await purge(log, 1, ['dataSet-1']);
    await purged.load();
    readEvents.push(...(await collectNext(slowReader, 9)));
    expect(readEvents.map(lineOf)).toEqual(await readLines(log));
    expect(readEvents.filter((item) => 'purged' in item).map(({ seq }) => seq)).toEqual([4]);
  });

  it('yields the mark of a caught-up subscription after the preceding events', async () => {
    const log = new MemoryLog();
    log.append(keyRegistered(KEY));
    log.append(eventAbout('dataSet-1'));
    async function* eventsAndCaughtUp() {
      for await (const event of log.after(null)) yield event;
      yield { isCaughtUp: true as const };
    }
    const items = [];
    for await (const item of numberLog(eventsAndCaughtUp(), await loadPurgedEvents(log.store), {
      seq: 0,
      position: null,
    }))
      items.push('seq' in item ? item.seq : 'mark');
    expect(items).toEqual([1, 2, 'mark']);
  });

  it('reads single parts of a manifest only for a reader of the log', async () => {
    const log = new MemoryLog();
    log.append(keyRegistered(KEY));
    for (let count = 0; count < 10; count += 1) log.append(eventAbout('dataSet-1'));
    await purge(log, 1, ['dataSet-1']);
    const reads: string[] = [];
    const counting: Pick<EventStore, 'read'> = {
      read(stream, from, maxCount) {
        if (maxCount === 1) reads.push(`${stream}@${from}`);
        return log.store.read(stream, from, maxCount);
      },
    };
    const purged = new PurgedEvents(counting);
    await purged.load();
    expect(reads).toEqual([]);
    await collect(numberLog(log.after(null), purged, { seq: 0, position: null }), 2);
    expect(reads).toEqual(['purge-1@3']);
  });
});

describe('a manifest', () => {
  const logWith = async (change: (log: MemoryLog) => void) => {
    const log = new MemoryLog();
    log.append(keyRegistered(KEY));
    for (const stream of ['dataSet-1', 'dataSet-2', 'dataSet-1']) log.append(eventAbout(stream));
    await purge(log, 4, ['dataSet-1']);
    change(log);
    return log;
  };
  const dataIn = (log: MemoryLog, type: string) =>
    log.events.find((event) => event.type === type)?.data as Record<string, unknown> & { events: PurgedEvent[] };

  it.each<[string, string, (log: MemoryLog) => void]>([
    ['is missing', 'no manifest', (log) => log.scavenge(new Set(['purge-4']))],
    [
      'lacks a part',
      'its manifest is incomplete',
      (log) => {
        log.events = log.events.filter(
          (event) => event !== log.events.findLast(({ type }) => type === 'PurgeManifestPart'),
        );
      },
    ],
    [
      'has another digest for an event',
      'its manifest was altered',
      (log) => {
        const part = log.events.findLast(({ type }) => type === 'PurgeManifestPart')?.data as { events: PurgedEvent[] };
        (part.events[0] as PurgedEvent).digest = 'f'.repeat(64);
      },
    ],
    [
      'has an empty signature',
      'wrong signature',
      (log) => Object.assign(dataIn(log, 'PurgeManifestSealed'), { signature: '' }),
    ],
    [
      'is signed by an unregistered key',
      'unknown signature',
      (log) => Object.assign(dataIn(log, 'PurgeManifestSealed'), { keyId: '0'.repeat(16) }),
    ],
  ])('that %s makes the load fail', async (_, problem, change) => {
    const log = await logWith(change);
    const loading = loadPurgedEvents(log.store);
    await expect(loading).rejects.toThrow(InvalidManifest);
    await expect(loading).rejects.toThrow(`Purge 4: ${problem}`);
  });

  it('contains the users who requested and confirmed the purge, and the reason', async () => {
    const { manifests } = await loadPurgedEvents((await logWith(() => undefined)).store);
    expect(manifests).toMatchObject([
      { purgeId: 4, events: 2, requestedBy: 1, confirmedBy: 2, reason: 'retention R7' },
    ]);
  });
});

/** Yields the events of the log, then waits for new events. */
async function* followLog(log: MemoryLog): AsyncGenerator<LoggedEvent> {
  let last = 0n;
  for (;;) {
    const next = log.events.find(({ position }) => position > last);
    if (next) {
      last = next.position;
      yield next;
    } else await new Promise(setImmediate);
  }
}

async function collectNext(items: AsyncGenerator<NumberedLogEvent>, count: number): Promise<NumberedLogEvent[]> {
  const collected: NumberedLogEvent[] = [];
  while (collected.length < count) collected.push((await items.next()).value as NumberedLogEvent);
  return collected;
}
