/** Reads all product events of the store, and the entries that replace purged events. */
import {
  DueEntries,
  type EventStore,
  isMark,
  type LoggedEvent,
  type LogPosition,
  Purged,
  type PurgedEvents,
} from '@rdm/platform';
import type { AuditRow } from './audit-chain.ts';

export type ReadStore = Pick<EventStore, 'subscribeToAll' | 'read'>;

export class StoredLog {
  /** The number of events that were read from the store although they were purged. */
  purgedStored = 0;
  /** The seq at which each purge was registered, by purge id. */
  readonly registeredSeqs = new Map<number, number>();
  readonly #events: AsyncGenerator<LoggedEvent, undefined>;
  readonly #purged: PurgedEvents;
  #due: DueEntries | undefined;
  #next: LoggedEvent | undefined;

  constructor(store: ReadStore, purged: PurgedEvents) {
    this.#purged = purged;
    this.#events = eventsInOrder(store);
  }

  /**
   * Returns the entry that replaces the event with this seq; undefined if the event is not purged. Call this once for
   * each seq, in order.
   */
  async purgedEntry(seq: number) {
    this.#due ??= await DueEntries.after(this.#purged, 0);
    return this.#due.isDue(seq) ? this.#due.take() : undefined;
  }

  /** Removes and returns the next event, which has this seq if no event is missing; undefined at the end of the log. */
  async next(seq: number): Promise<LoggedEvent | undefined> {
    const event = await this.peek(seq);
    this.skip();
    return event;
  }

  skip(): void {
    this.#next = undefined;
  }

  /** Returns the next event without removing it. */
  async peek(seq: number): Promise<LoggedEvent | undefined> {
    this.#next ??= await this.#read(seq);
    return this.#next;
  }

  async #read(seq: number): Promise<LoggedEvent | undefined> {
    for (;;) {
      const { value: event } = await this.#events.next();
      if (event === undefined) return undefined;
      if (this.#purged.purgeOf(event.stream, event.revision) === undefined) {
        if (event.type === 'PurgeRegistered') this.registeredSeqs.set((event.data as { purgeId: number }).purgeId, seq);
        return event;
      }
      this.purgedStored += 1;
    }
  }

  close(): Promise<unknown> {
    return this.#events.return(undefined);
  }
}

/** Whether the store still has the event of an audit row. */
export async function isStored(
  store: ReadStore,
  { stream, streamRevision, eventId }: Pick<AuditRow, 'stream' | 'streamRevision' | 'eventId'>,
): Promise<boolean> {
  if (stream === null || streamRevision === null) return false;
  try {
    for await (const { id } of store.read(stream, streamRevision, 1)) return id === eventId;
  } catch (error) {
    if (!(error instanceof Purged)) throw error;
  }
  return false;
}

/**
 * Yields the product events in log order. Subscribes repeatedly, until a subscription catches up without events: then
 * the log has ended. Throws if a subscription ends before it has yielded an event or caught up.
 */
async function* eventsInOrder(store: ReadStore): AsyncGenerator<LoggedEvent, undefined> {
  let last: LogPosition | null = null;
  for (let hasMore = true; hasMore; ) {
    hasMore = false;
    let isCaughtUp = false;
    try {
      for await (const item of store.subscribeToAll(last, NEVER)) {
        isCaughtUp = isMark(item) && item.isCaughtUp === true;
        if (isCaughtUp) break;
        if (isMark(item)) continue;
        hasMore = true;
        last = { commit: item.position, prepare: item.prepare };
        yield item;
      }
    } catch (error) {
      if (!hasMore) throw error;
    }
    if (!isCaughtUp && !hasMore) throw new Error('The event store ended the subscription before it delivered anything');
  }
  return undefined;
}

/** A signal that never aborts: the generator ends a subscription by leaving the loop. */
const NEVER = new AbortController().signal;
