/** Connects to the event store with the official client. Appends use a second client, replaced on failure. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllStreamResolvedEvent,
  END,
  ErrorType,
  EventStoreDBClient,
  NO_STREAM,
  type ResolvedEvent,
  START,
  type RecordedEvent as StoredEvent,
  streamNameFilter,
} from '@eventstore/db-client';
import { eventsByCategory, isProductStream, Refusal } from '@rdm/contracts';
import type { Metrics } from '../service/metrics.ts';
import { AppendClient } from './append-client.ts';
import { decodeLazily, toProposed, toRecorded } from './event-codec.ts';
import {
  type EventStore,
  isMark,
  type LoggedEvent,
  type LogMark,
  type LogPosition,
  Purged,
  StoreFull,
  UnknownOutcome,
  WrongRevision,
} from './event-store.ts';
import { isErrorOfType, isFull, openStoreStatus } from './store-status.ts';

/** The client sets no deadline for appends: without an answer after this time, the outcome of an append is unknown. */
const APPEND_DEADLINE_MS = 10_000;

const CLOSE_WITHIN_MS = 250;

/** The log is read in parts of this many events, because the client buffers all of them for a slow consumer. */
const READ_AT_ONCE = 1_000;

/** The server searches for product events in windows of 32 events. It reports its position after this many windows. */
const WINDOWS_PER_MARK = 500;

/** Converts the error of an append to the error that callers get. */
function appendError(stream: string, error: unknown): Error {
  if (isErrorOfType(error, ErrorType.WRONG_EXPECTED_VERSION)) return new WrongRevision(stream);
  if (isErrorOfType(error, ErrorType.STREAM_DELETED)) return new Purged(error);
  if (isErrorOfType(error, ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED))
    return new Refusal('TOO_LARGE', 'This is too large to be stored in one piece: send less at once');
  return isFull(error) ? new StoreFull(stream, error) : new UnknownOutcome(stream, error);
}

/** The prefixes of the names of product streams: the category and a dash. */
const PRODUCT_STREAMS = Object.keys(eventsByCategory).map((category) => `${category}-`);

export function connectEventStore(url: string, metrics?: Metrics): EventStore {
  const client = EventStoreDBClient.connectionString(url);
  const appends = new AppendClient(() => EventStoreDBClient.connectionString(url));
  const ended = metrics?.counter(
    'event_store_subscriptions_ended_total',
    'Subscriptions that the event store ended, or that were lost',
    ['of'],
  );

  const { watchRead, ...status } = openStoreStatus(client, appends);

  /** Yields the items of a subscription until it ends or the signal aborts. */
  async function* itemsOfSubscription<Item>(
    subscription: AsyncIterable<Item> & { unsubscribe(): Promise<void> },
    subject: string,
    signal: AbortSignal,
  ): AsyncGenerator<Item> {
    // `unsubscribe` rejects if the subscription could not start. Ignore this error: the iteration throws the reason.
    const stop = () => void subscription.unsubscribe().catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    let isEndedByConsumer = true;
    try {
      for await (const item of watchRead(subscription)) {
        if (signal.aborted) return;
        yield item;
      }
      isEndedByConsumer = signal.aborted;
    } catch (error) {
      isEndedByConsumer = signal.aborted;
      throw error;
    } finally {
      if (!isEndedByConsumer) ended?.inc({ of: subject });
      signal.removeEventListener('abort', stop);
      await subscription.unsubscribe();
    }
  }

  return {
    async append(stream, events, expected) {
      const payload = events.map(toProposed);
      try {
        const expectedRevision = expected === 'NO_STREAM' ? NO_STREAM : BigInt(expected);
        const appended = await appends.append(stream, payload, expectedRevision, { deadlineMs: APPEND_DEADLINE_MS });
        // The answer to a repeated append may have no position: then read the position of the event.
        const position =
          appended.position?.commit ?? (await positionOf(client, stream, Number(appended.nextExpectedRevision)));
        return { revision: Number(appended.nextExpectedRevision), position };
      } catch (error) {
        throw appendError(stream, error);
      }
    },

    ...status,

    async *read(stream, from = 0, maxCount = Number.MAX_SAFE_INTEGER) {
      try {
        for await (const { event } of watchRead(client.readStream(stream, { fromRevision: BigInt(from), maxCount }))) {
          if (event) yield toRecorded(event);
        }
      } catch (error) {
        requireUnknownStream(error);
      }
    },

    async tail(stream) {
      try {
        const last = client.readStream(stream, { direction: 'backwards', fromRevision: END, maxCount: 1 });
        for await (const { event } of watchRead(last)) return event && toRecorded(event);
      } catch (error) {
        requireUnknownStream(error);
      }
      return undefined;
    },

    async *readAll(after) {
      let last = after;
      for (let count = READ_AT_ONCE; count === READ_AT_ONCE; ) {
        count = 0;
        const from = last;
        for await (const { event } of client.readAll({ fromPosition: from ?? START, maxCount: READ_AT_ONCE })) {
          count += 1;
          if (!event) continue;
          last = event.position;
          // A read also returns the event at its start position, which was read before.
          const isRead = from !== null && event.position.commit <= from.commit;
          if (isProductEvent(event) && !isRead) yield toLogged(event as PositionedEvent);
        }
      }
    },

    async *subscribeToAll(after, signal) {
      const subscription = client.subscribeToAll({
        fromPosition: after ?? START,
        filter: streamNameFilter({
          prefixes: PRODUCT_STREAMS,
          checkpointInterval: WINDOWS_PER_MARK,
          checkpointReached: async (_, position) => mark({ deliveredUpTo: position }),
        }),
      });
      // The client reports checkpoints and "caught up" while the buffer of the subscription still has earlier events.
      // A mark that is pushed into the buffer comes after these events.
      const mark = (item: LogMark) => void subscription.push(item);
      subscription.on('caughtUp', () => mark({ isCaughtUp: true }));
      for await (const item of itemsOfSubscription<AllStreamResolvedEvent | LogMark>(subscription, '$all', signal)) {
        if (isMark(item)) yield item;
        else if (item.event && isProductEvent(item.event)) yield toLogged(item.event as PositionedEvent);
      }
    },

    async *subscribeToStream(stream, after, signal) {
      const subscription = client.subscribeToStream(stream, { fromRevision: after === null ? START : BigInt(after) });
      for await (const { event } of itemsOfSubscription<ResolvedEvent>(subscription, stream, signal)) {
        if (event) yield toRecorded(event as StoredEvent);
      }
    },

    async isDeleted(stream) {
      try {
        const { metadata } = await client.getStreamMetadata(stream);
        // A deletion sets the beginning of the stream after its end.
        return metadata?.truncateBefore !== undefined;
      } catch (error) {
        if (isErrorOfType(error, ErrorType.STREAM_DELETED)) return true;
        throw error;
      }
    },

    async tombstone(stream, revision) {
      try {
        await client.tombstoneStream(stream, { expectedRevision: BigInt(revision) });
      } catch (error) {
        if (isErrorOfType(error, ErrorType.STREAM_DELETED)) return;
        if (isErrorOfType(error, ErrorType.WRONG_EXPECTED_VERSION)) throw new WrongRevision(stream);
        throw new UnknownOutcome(stream, error);
      }
    },

    async head() {
      const last = client.readAll({ direction: 'backwards', fromPosition: END, maxCount: 1 });
      for await (const { event } of watchRead(last)) if (event) return event.position;
      return null;
    },

    async close() {
      // The client waits for the end of its append stream, but a cancelled stream may never report its end.
      const closed = Promise.race([client.dispose(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      await Promise.all([closed, appends.close(CLOSE_WITHIN_MS)]);
    },
  };
}

/** Whether an event is in a stream of the product and is not an event of the store itself, such as a tombstone. */
const isProductEvent = ({ streamId, type }: Pick<StoredEvent, 'streamId' | 'type'>): boolean =>
  !type.startsWith('$') && isProductStream(streamId);

/** Returns if the stream does not exist. Throws `Purged` for a tombstone, and any other error unchanged. */
function requireUnknownStream(error: unknown): void {
  if (isErrorOfType(error, ErrorType.STREAM_DELETED)) throw new Purged(error);
  if (!isErrorOfType(error, ErrorType.STREAM_NOT_FOUND)) throw error;
}

/** An event from a read of the whole log, which always has a position. */
type PositionedEvent = StoredEvent & { position: LogPosition };

function toLogged(stored: PositionedEvent): LoggedEvent {
  const { position, isJson, data } = stored;
  const { prepare } = position;
  const recorded = toRecorded(stored, decodeLazily);
  // The spread is last, because V8 adds properties to a copied object slowly (docs/decisions/0115).
  return isJson ? { prepare, ...recorded } : { prepare, bytes: (data as Uint8Array).length, ...recorded };
}

async function positionOf(client: EventStoreDBClient, stream: string, revision: number): Promise<bigint> {
  for await (const { event } of client.readStream(stream, { fromRevision: BigInt(revision), maxCount: 1 })) {
    if (event?.position) return event.position.commit;
  }
  throw new UnknownOutcome(stream, new Error(`revision ${revision} has no position`));
}
