/** Turns a subscription into batches: one event when idle, many when behind, the next gathered while one is committed. */
import { setImmediate as breathe } from 'node:timers/promises';
import { type LoggedEvent, writtenRows } from '@rdm/platform';

export interface Limits {
  events: number;
  bytes: number;
  /** Rows that a batch may write: an event of a bulk decision names a thousand in a few bytes. */
  rows: number;
}

export const LIMITS: Limits = { events: 5_000, bytes: 8 * 1024 * 1024, rows: 20_000 };

/** About what an event weighs beside its data. */
const METADATA_BYTES = 700;

/**
 * How many new rows one counts for that an event names by its id: it is taken out, folded and written in several places.
 * Whoever changes something else meanwhile waits for the batch to end.
 */
const WRITES_PER_ID = 4;

const LARGE_BYTES = 16 * 1024;

/** About how many bytes a value takes. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 2;
  if (Array.isArray(value)) for (const item of value) weight += weigh(item) + 1;
  else for (const key in value) weight += weigh((value as Record<string, unknown>)[key]) + key.length + 4;
  return weight;
}

function rowsOf(data: unknown): number {
  const written = writtenRows(data);
  if (written) return written.ids.length;
  const { rows, ids } = (data ?? {}) as { rows?: unknown[]; ids?: unknown[] };
  return rows?.length ?? (ids ? ids.length * WRITES_PER_ID : 1);
}

/** Wakes whoever waits for something to happen. */
class Bell {
  #heard: (() => void) | undefined;
  ring(): void {
    this.#heard?.();
  }
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = resolve;
    });
  }
}

interface Weighed {
  event: LoggedEvent;
  bytes: number;
  rows: number;
}

/** What was read and not yet taken: at most one batch. */
class Waiting {
  readonly #limits: Limits;
  #events: Weighed[] = [];
  #bytes = 0;
  #rows = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  get isFull(): boolean {
    const { events, bytes, rows } = this.#limits;
    return this.#events.length >= events || this.#bytes >= bytes || this.#rows >= rows;
  }

  add(event: LoggedEvent): void {
    const weighed = { event, bytes: (event.bytes ?? weigh(event.data)) + METADATA_BYTES, rows: rowsOf(event.data) };
    this.#events.push(weighed);
    this.#bytes += weighed.bytes;
    this.#rows += weighed.rows;
  }

  /** The next batch: within the limits, but one event at least. */
  take(): LoggedEvent[] {
    let bytes = 0;
    let rows = 0;
    let count = 0;
    for (const weighed of this.#events) {
      bytes += weighed.bytes;
      rows += weighed.rows;
      if (count > 0 && (count >= this.#limits.events || bytes > this.#limits.bytes || rows > this.#limits.rows)) break;
      count += 1;
    }
    const taken = this.#events.splice(0, count);
    this.#bytes -= taken.reduce((sum, weighed) => sum + weighed.bytes, 0);
    this.#rows -= taken.reduce((sum, weighed) => sum + weighed.rows, 0);
    return taken.map(({ event }) => event);
  }
}

export type Subscribe = (signal: AbortSignal, onCaughtUp: () => void) => AsyncIterable<LoggedEvent>;

/**
 * Batches of a subscription, in order, until it ends; throws what it throws. `onCaughtUp` is called once all batches are
 * taken that came before the subscription had caught up.
 */
export async function* inBatches(
  subscribe: Subscribe,
  signal: AbortSignal,
  options: { limits?: Limits | undefined; onCaughtUp?: () => void } = {},
): AsyncGenerator<LoggedEvent[]> {
  const own = new AbortController();
  const either = AbortSignal.any([signal, own.signal]);
  const waiting = new Waiting(options.limits ?? LIMITS);
  const arrival = new Bell();
  const room = new Bell();
  let end: { error?: unknown } | undefined;
  let isCaughtUp = false;

  const caughtUp = () => {
    isCaughtUp = true;
    arrival.ring();
  };
  const gather = async (): Promise<void> => {
    for await (const event of subscribe(either, caughtUp)) {
      waiting.add(event);
      arrival.ring();
      // Reading a large one takes a while: the batch under way speaks to the database in between.
      if ((event.bytes ?? 0) > LARGE_BYTES) await breathe();
      while (waiting.isFull && !either.aborted) await room.next();
      if (either.aborted) return;
    }
  };
  const finish = (how: { error?: unknown }) => {
    end = how;
    arrival.ring();
  };
  const stop = () => {
    room.ring();
    finish({});
  };
  signal.addEventListener('abort', stop, { once: true });
  gather().then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  );

  try {
    while (!signal.aborted) {
      if (!waiting.isEmpty) {
        const batch = waiting.take();
        room.ring();
        yield batch;
      } else if (end) {
        if (end.error !== undefined) throw end.error;
        return;
      } else {
        if (isCaughtUp) options.onCaughtUp?.();
        isCaughtUp = false;
        await arrival.next();
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    own.abort();
    room.ring();
  }
}
