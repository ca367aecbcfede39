/** Tests subscriptions: existing and live events in order, filters, checkpoints and slow readers. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  type AllStreamSubscription,
  END,
  type EventStoreDBClient,
  eventTypeFilter,
  type Filter,
  type Position,
  type ResolvedEvent,
  START,
  type StreamSubscription,
  streamNameFilter,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
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
const LONG = process.env['FAULTS'] === 'long';
const WRITERS = 8;
const EVENTS_PER_WRITER = LONG ? 50 : 20;
/** The number of batches of half a megabyte that the store sends to a slow reader. */
const HEAVY_BATCHES = LONG ? 20 : 8;

type Subscription = AllStreamSubscription | StreamSubscription;

/** Waits until the server has confirmed the subscription, so that events appended later are live. */
async function waitForConfirmation<S extends Subscription>(subscription: S): Promise<S> {
  await once(subscription, 'confirmation');
  return subscription;
}

describe('subscribing to a stream', () => {
  it('returns existing events and then new ones', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, [event({ number: 0 }), event({ number: 1 })]);
    const subscription = await waitForConfirmation(store.client.subscribeToStream(stream));
    await store.client.appendToStream(stream, [event({ number: 2 }), event({ number: 3 })]);
    expect(numbers(await collect(subscription, 4))).toEqual([0, 1, 2, 3]);
  });

  it('starts after a revision', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, events(5));
    expect(numbers(await collect(store.client.subscribeToStream(stream, { fromRevision: 2n }), 2))).toEqual([3, 4]);
  });

  it('returns only new events when it starts at the end', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, events(5));
    const subscription = store.client.subscribeToStream(stream, { fromRevision: END });
    await once(subscription, 'caughtUp');
    await store.client.appendToStream(stream, event({ number: 5 }));
    expect(numbers(await collect(subscription, 1))).toEqual([5]);
  });

  it('waits for a stream that does not exist', async () => {
    const stream = newStream();
    const subscription = await waitForConfirmation(store.client.subscribeToStream(stream));
    await store.client.appendToStream(stream, events(2));
    expect(numbers(await collect(subscription, 2))).toEqual([0, 1]);
  });

  it('reports that it has caught up after the existing events', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, events(300));
    const subscription = store.client.subscribeToStream(stream);
    const received: string[] = [];
    subscription.on('caughtUp', () => received.push('caught up'));
    subscription.on('data', () => received.push('event'));
    while (!received.includes('caught up')) await once(subscription, 'caughtUp');
    await subscription.unsubscribe();
    expect(received.indexOf('caught up')).toBe(300);
  });

  it('continues after a soft deletion', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, events(3));
    const subscription = store.client.subscribeToStream(stream);
    await once(subscription, 'caughtUp');
    await store.client.deleteStream(stream);
    await store.client.appendToStream(stream, event({ number: 3 }));
    expect(numbers(await collect(subscription, 4))).toEqual([0, 1, 2, 3]);
  });

  it('ends when the stream is tombstoned', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, events(1));
    const subscription = store.client.subscribeToStream(stream);
    await once(subscription, 'caughtUp');
    const ending = failureOf(collect(subscription));
    await store.client.tombstoneStream(stream);
    expect(await ending).toMatchObject({ type: 'stream-deleted', streamName: stream });
  });

  it('follows links', async () => {
    const [source, index] = [newStream(), newStream()];
    await store.client.appendToStream(source, events(2));
    await store.client.appendToStream(index, linkTo(1, source));
    const [resolved] = await collect(store.client.subscribeToStream(index, { resolveLinkTos: true }), 1);
    expect(resolved?.event).toMatchObject({ streamId: source, revision: 1n });
    expect(resolved?.link?.streamId).toBe(index);
  });
});

describe('subscribing to $all', () => {
  it('returns every event once and in order while several streams are written concurrently', async () => {
    const category = `busy${randomUUID()}`;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let number = 0; number < EVENTS_PER_WRITER; number += 1) {
        await store.client.appendToStream(
          `${category}-${writer}`,
          event({ number: writer * EVENTS_PER_WRITER + number }),
        );
      }
    });
    const subscription = store.client.subscribeToAll({ fromPosition: START });
    const received: { streamId: string; revision: bigint; position: Position }[] = [];
    for await (const { event: recordedEvent } of subscription) {
      if (!recordedEvent?.streamId.startsWith(category)) continue;
      received.push(recordedEvent as never);
      if (received.length === WRITERS * EVENTS_PER_WRITER) break;
    }
    await Promise.all(writers);
    expect(new Set(received.map(({ streamId, revision }) => `${streamId}@${revision}`)).size).toBe(
      WRITERS * EVENTS_PER_WRITER,
    );
    const positions = received.map(({ position }) => position.commit);
    expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('starts after a position', async () => {
    const stream = newStream();
    const { position } = await store.client.appendToStream(stream, event({ number: 0 }));
    if (position === undefined) throw new Error('an append returns its position');
    await store.client.appendToStream(stream, event({ number: 1 }));
    // Ignore events about a scavenge, which may be in between.
    const revisions = [];
    for await (const { event: recordedEvent } of store.client.subscribeToAll({ fromPosition: position })) {
      if (recordedEvent?.streamId === stream) revisions.push(recordedEvent.revision);
      if (revisions.length > 0) break;
    }
    expect(revisions).toEqual([1n]);
  });

  it('resumes after the last event that it returned', async () => {
    const stream = newStream('resumed');
    const first = await store.client.appendToStream(stream, event({ number: 0 }));
    await store.client.appendToStream(
      stream,
      Array.from({ length: 40 }, (_, index) => event({ number: index + 1 })),
    );
    let from = first.position;
    const receivedNumbers: number[] = [];
    while (receivedNumbers.length < 40 && from !== undefined) {
      const filter = streamNameFilter({ prefixes: [stream] });
      const portion = await collect(store.client.subscribeToAll({ fromPosition: from, filter }), 7);
      receivedNumbers.push(...numbers(portion));
      from = portion.at(-1)?.event?.position;
      if (receivedNumbers.length === 35) {
        const lastPortion = await collect(store.client.subscribeToAll({ fromPosition: from as Position, filter }), 5);
        receivedNumbers.push(...numbers(lastPortion));
      }
    }
    expect(receivedNumbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });
});

describe('a live subscription with a slow reader', () => {
  const waitingStore = useStore({ endsSlowSubscriptions: false });
  const NUMBERS = Array.from({ length: HEAVY_BATCHES * 50 }, (_, number) => number);

  /** Appends one event of 10 kB for each number. */
  async function appendNumbers(client: EventStoreDBClient, stream: string): Promise<void> {
    const text = 'x'.repeat(10_000);
    for (let first = 0; first < NUMBERS.length; first += 50) {
      const batch = NUMBERS.slice(first, first + 50).map((number) => event({ number, text }));
      await client.appendToStream(stream, batch);
    }
  }

  it('loses no event if the reader subscribes again from its last event', async () => {
    const { client } = store;
    const stream = newStream('slow');
    await client.appendToStream(stream, event());
    const receivedNumbers: number[] = [];
    let last = 0n;
    const subscribe = () => client.subscribeToStream(stream, { fromRevision: last });
    const live = await waitForConfirmation(subscribe());
    const appending = appendNumbers(client, stream);
    const isComplete = () => receivedNumbers.at(-1) === NUMBERS.at(-1);

    /** Reads events up to the last number, or until the store ends the subscription. */
    async function readEvents(subscription: StreamSubscription): Promise<void> {
      try {
        for await (const resolved of subscription) {
          receivedNumbers.push(...numbers([resolved]));
          last = resolved.event?.revision ?? last;
          if (isComplete()) break;
          // The reader reads its second event only when all events are appended.
          await appending;
        }
      } catch (error) {
        // Up to 23.10, EventStoreDB ends a slow live subscription; later versions report that it fell behind.
        if (!String(error).includes('Consumer too slow')) throw error;
      }
    }

    await readEvents(live);
    while (!isComplete()) await readEvents(subscribe());
    expect(receivedNumbers).toEqual(NUMBERS);
  });

  itOfEmbeddedStore('waits for the reader if the embedded store does not end slow subscriptions', async () => {
    const stream = newStream('slow');
    await waitingStore.client.appendToStream(stream, event());
    const subscription = await waitForConfirmation(waitingStore.client.subscribeToStream(stream, { fromRevision: 0n }));
    await appendNumbers(waitingStore.client, stream);
    expect(numbers(await collect(subscription, NUMBERS.length))).toEqual(NUMBERS);
  });

  itOfEmbeddedStore('ends with an error if too many events wait in the embedded store', async () => {
    const stream = newStream('slow');
    await store.client.appendToStream(stream, event());
    const subscriptions = [
      store.client.subscribeToStream(stream),
      store.client.subscribeToAll({ filter: streamNameFilter({ prefixes: [stream] }) }),
    ];
    const text = 'x'.repeat(100_000);
    for (const subscription of subscriptions) await once(subscription, 'caughtUp');
    const ended = subscriptions.map((subscription) => once(subscription, 'error'));
    for (let count = 0; count < 400; count += 1) await store.client.appendToStream(stream, event({ text }));
    for (const subscription of subscriptions) subscription.resume();
    for (const [error] of await Promise.all(ended)) {
      expect(error).toMatchObject({ code: 10, message: expect.stringContaining('Consumer too slow') });
    }
  });
});

describe('filters of $all', () => {
  const run = randomUUID();
  const filters: { name: string; filter: Filter; expected: string[] }[] = [
    { name: 'stream prefixes', filter: streamNameFilter({ prefixes: [`a${run}`, `c${run}`] }), expected: ['a', 'c'] },
    { name: 'a stream expression', filter: streamNameFilter({ regex: `^[bc]${run}-` }), expected: ['b', 'c'] },
    { name: 'type prefixes', filter: eventTypeFilter({ prefixes: [`B${run}`] }), expected: ['b'] },
    { name: 'a type expression', filter: eventTypeFilter({ regex: `^(A|C)${run}$` }), expected: ['a', 'c'] },
  ];

  it.each(filters)('return matching events by $name', async ({ filter, expected }) => {
    const end = newStream('end');
    const { position } = await store.client.appendToStream(end, event());
    for (const name of ['a', 'b', 'c']) {
      await store.client.appendToStream(
        `${name}${run}-${randomUUID()}`,
        event({ name }, `${name.toUpperCase()}${run}`),
      );
    }
    const matches = await collect(
      store.client.subscribeToAll({ fromPosition: position as Position, filter }),
      expected.length,
    );
    expect(matches.map(({ event: recordedEvent }) => recordedEvent?.data)).toEqual(expected.map((name) => ({ name })));
  });

  it('apply to live events', async () => {
    const prefix = `live${randomUUID()}`;
    const subscription = store.client.subscribeToAll({
      fromPosition: END,
      filter: streamNameFilter({ prefixes: [prefix] }),
    });
    await once(subscription, 'caughtUp');
    await store.client.appendToStream(newStream(), events(50));
    await store.client.appendToStream(`${prefix}-1`, event({ number: 1 }));
    await store.client.appendToStream(newStream(), events(50));
    await store.client.appendToStream(`${prefix}-1`, event({ number: 2 }));
    expect(numbers(await collect(subscription, 2))).toEqual([1, 2]);
  });
});

describe('checkpoints of a filtered $all', () => {
  interface Arrival {
    readonly commit: bigint;
    /** The event; undefined for a checkpoint. */
    readonly event?: ResolvedEvent;
  }

  /**
   * Subscribes to the events of a type after a position; returns events and checkpoints until the subscription has
   * caught up.
   */
  async function readArrivals(
    type: string,
    fromPosition: Position,
    window: number,
    interval: number,
  ): Promise<Arrival[]> {
    const arrivals: Arrival[] = [];
    const filter = eventTypeFilter({
      prefixes: [type],
      maxSearchWindow: window,
      checkpointInterval: interval,
      checkpointReached: async (_, { commit }) => {
        arrivals.push({ commit });
      },
    });
    const subscription = store.client.subscribeToAll({ fromPosition, filter });
    subscription.on('data', (resolved) => {
      arrivals.push({ commit: resolved.event?.position?.commit ?? -1n, event: resolved });
    });
    await once(subscription, 'caughtUp');
    await subscription.unsubscribe();
    return arrivals;
  }

  const eventsOf = (arrivals: readonly Arrival[]) => arrivals.flatMap(({ event: resolved }) => resolved ?? []);
  const checkpointsOf = (arrivals: readonly Arrival[]) =>
    arrivals.flatMap((arrival) => (arrival.event ? [] : arrival.commit));

  async function appendAt(stream: string, batch: ReturnType<typeof events>): Promise<Position> {
    const { position } = await store.client.appendToStream(stream, batch);
    if (position === undefined) throw new Error('an append returns its position');
    return position;
  }

  it('increase between the start and the end of the log when no event matches', async () => {
    const stream = newStream('checkpoints');
    const start = await appendAt(stream, events(1));
    await appendAt(stream, events(200));
    const arrivals = await readArrivals(`nothing-${randomUUID()}`, start, 10, 2);
    const end = await appendAt(stream, events(1));
    const checkpoints = checkpointsOf(arrivals);
    expect(eventsOf(arrivals)).toEqual([]);
    expect(checkpoints.length).toBeGreaterThanOrEqual(10);
    expect(checkpoints).toEqual([...new Set(checkpoints)].sort((a, b) => (a < b ? -1 : 1)));
    expect(checkpoints[0]).toBeGreaterThan(start.commit);
    expect(checkpoints.at(-1)).toBeLessThan(end.commit);
  });

  it('are ordered by position among the delivered events', async () => {
    const stream = newStream('ahead');
    const type = `Wanted${randomUUID()}`;
    const start = await appendAt(stream, events(1));
    for (let number = 0; number < 30; number += 1) {
      await appendAt(stream, [...events(9, 'Skipped'), event({ number }, type)]);
    }
    const arrivals = await readArrivals(type, start, 1, 7);
    expect(numbers(eventsOf(arrivals))).toEqual(Array.from({ length: 30 }, (_, number) => number));
    expect(checkpointsOf(arrivals).length).toBeGreaterThanOrEqual(10);
    // A checkpoint can have the position of the event before it. An event must be after all earlier arrivals.
    const isMisplaced = ({ commit, event: resolved }: Arrival, index: number) =>
      arrivals.slice(0, index).some((earlier) => (resolved ? earlier.commit >= commit : earlier.commit > commit));
    expect(arrivals.filter(isMisplaced)).toEqual([]);
  });

  itOfEmbeddedStore('reach the end of the log in the embedded store', async () => {
    const stream = newStream('checkpoints');
    const start = await appendAt(stream, events(1));
    // The number of appended events is no multiple of the interval, so that no checkpoint is due at the last event.
    const last = await appendAt(stream, events(205));
    const arrivals = await readArrivals(`nothing-${randomUUID()}`, start, 10, 2);
    // A scavenge at the same time also appends events to the log.
    expect((checkpointsOf(arrivals).at(-1) ?? 0n) >= last.commit).toBe(true);
  });
});
