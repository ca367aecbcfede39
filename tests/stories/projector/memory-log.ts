/** A log in memory with the methods of the event store that the projector uses. */
import type { EventStore, LoggedEvent, LogMark, LogPosition } from '@rdm/platform';

/** The log as the projector reads it: stored product events in order, then live ones. */
export class MemoryLog {
  readonly events: LoggedEvent[] = [];
  readonly deleted = new Set<string>();
  /** A position that subscriptions report after the last event, as if events of other applications followed. */
  reached: LogPosition | undefined;
  onSubscribe: (after: LogPosition | null) => void = () => undefined;
  #subscribers = new Set<() => void>();
  /** After `after` more events, ends the subscription, or fails it with the error. */
  break: { after: number; error?: Error } | undefined;

  #held: { after: number; until: Promise<void> } | undefined;

  /** Holds the next subscriber after `after` events until the returned function is called. */
  holdFirstReaderAfter(after: number): () => void {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held = { after, until };
    return release;
  }

  append(...events: LoggedEvent[]): void {
    for (const event of events) this.events.push(event);
    for (const wake of this.#subscribers) wake();
  }

  /** Removes all but the first `count` events; ends subscriptions as a restarted store does. */
  shorten(count: number): void {
    this.events.length = count;
    this.#restarts += 1;
    for (const wake of this.#subscribers) wake();
  }
  #restarts = 0;

  /** Removes the events of streams, as a scavenge does after their deletion; ends subscriptions. */
  scavenge(streams: readonly string[]): void {
    for (const stream of streams) this.deleted.add(stream);
    const kept = this.events.filter(({ stream }) => !streams.includes(stream));
    this.events.splice(0, this.events.length, ...kept);
    this.#restarts += 1;
    for (const wake of this.#subscribers) wake();
  }

  readonly store = {
    read: async function* (this: MemoryLog, stream: string, from = 0, maxCount = Number.MAX_SAFE_INTEGER) {
      const found = this.events.filter((event) => event.stream === stream && event.revision >= from);
      yield* found.slice(0, maxCount);
    }.bind(this),
    isDeleted: async (stream: string) => this.deleted.has(stream),
    head: async (): Promise<LogPosition | null> => {
      const last = this.events.at(-1);
      return this.reached ?? (last ? { commit: last.position, prepare: last.prepare } : null);
    },
    subscribeToAll: (after: LogPosition | null, signal: AbortSignal) => this.#follow(after, signal),
  } as Pick<EventStore, 'head' | 'subscribeToAll' | 'read' | 'isDeleted'> as EventStore;

  async *#follow(after: LogPosition | null, signal: AbortSignal): AsyncGenerator<LoggedEvent | LogMark> {
    this.onSubscribe(after);
    let isLive = false;
    const held = this.#held;
    this.#held = undefined;
    let index = after === null ? 0 : this.events.findIndex((event) => event.position > after.commit);
    if (index === -1) index = this.events.length;
    const restarts = this.#restarts;
    let wake: () => void = () => undefined;
    const wakeSubscriber = () => wake();
    this.#subscribers.add(wakeSubscriber);
    signal.addEventListener('abort', wakeSubscriber);
    try {
      while (!signal.aborted && this.#restarts === restarts) {
        const event = this.events[index];
        if (event === undefined) {
          if (!isLive && this.reached) yield { deliveredUpTo: this.reached };
          if (!isLive) yield { isCaughtUp: true };
          isLive = true;
          // The log may have grown while the subscriber handled the report that it has caught up.
          if (this.events.length > index) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if (this.break && this.break.after-- <= 0) {
          const { error } = this.break;
          this.break = undefined;
          if (error) throw error;
          return;
        }
        if (held && index >= held.after) await held.until;
        index += 1;
        yield event;
      }
    } finally {
      this.#subscribers.delete(wakeSubscriber);
      signal.removeEventListener('abort', wakeSubscriber);
    }
  }
}
