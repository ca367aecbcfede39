/** A log in memory with the methods of the event store that the projector uses. */
import type { EventStore, LoggedEvent, LogMark, LogPosition } from '@rdm/platform';

export class MemoryLog {
  readonly events: LoggedEvent[] = [];
  readonly deleted = new Set<string>();
  /** Simulates later events of other applications: subscriptions report this position, and `head` returns it. */
  reportedPosition: LogPosition | undefined;
  onSubscribe: (after: LogPosition | null) => void = () => undefined;
  #subscribers = new Set<() => void>();
  /** Ends the subscription after `after` more events, with an error if one is given. */
  interruption: { after: number; error?: Error } | undefined;

  #hold: { after: number; until: Promise<void> } | undefined;

  /** Pauses the next subscriber after the first `after` events of the log, until the returned function is called. */
  holdNextSubscriberAfter(after: number): () => void {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#hold = { after, until };
    return release;
  }

  append(...events: LoggedEvent[]): void {
    for (const event of events) this.events.push(event);
    for (const wake of this.#subscribers) wake();
  }

  /** Removes all but the first `count` events. Ends subscriptions, like a store that restarts. */
  shorten(count: number): void {
    this.events.length = count;
    this.#restarts += 1;
    for (const wake of this.#subscribers) wake();
  }
  #restarts = 0;

  /** Removes the events of streams, like a scavenge after the deletion of the streams. Ends subscriptions. */
  scavenge(streams: readonly string[]): void {
    for (const stream of streams) this.deleted.add(stream);
    const kept = this.events.filter(({ stream }) => !streams.includes(stream));
    this.events.splice(0, this.events.length, ...kept);
    this.#restarts += 1;
    for (const wake of this.#subscribers) wake();
  }

  readonly store = {
    read: async function* (this: MemoryLog, stream: string, from = 0, maxCount = Number.MAX_SAFE_INTEGER) {
      const streamEvents = this.events.filter((event) => event.stream === stream && event.revision >= from);
      yield* streamEvents.slice(0, maxCount);
    }.bind(this),
    isDeleted: async (stream: string) => this.deleted.has(stream),
    head: async (): Promise<LogPosition | null> => {
      const last = this.events.at(-1);
      return this.reportedPosition ?? (last ? { commit: last.position, prepare: last.prepare } : null);
    },
    subscribeToAll: (after: LogPosition | null, signal: AbortSignal) => this.#follow(after, signal),
  } as Pick<EventStore, 'head' | 'subscribeToAll' | 'read' | 'isDeleted'> as EventStore;

  async *#follow(after: LogPosition | null, signal: AbortSignal): AsyncGenerator<LoggedEvent | LogMark> {
    this.onSubscribe(after);
    let isLive = false;
    const hold = this.#hold;
    this.#hold = undefined;
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
          if (!isLive && this.reportedPosition) yield { deliveredUpTo: this.reportedPosition };
          if (!isLive) yield { isCaughtUp: true };
          isLive = true;
          // The log can have grown while the subscriber handled `isCaughtUp`.
          if (this.events.length > index) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if (this.interruption && this.interruption.after-- <= 0) {
          const { error } = this.interruption;
          this.interruption = undefined;
          if (error) throw error;
          return;
        }
        if (hold && index >= hold.after) await hold.until;
        index += 1;
        yield event;
      }
    } finally {
      this.#subscribers.delete(wakeSubscriber);
      signal.removeEventListener('abort', wakeSubscriber);
    }
  }
}
