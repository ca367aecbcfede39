/**
 * Groups the events of a subscription into batches. A batch contains the events that arrived during the commit of the
 * previous batch, up to the limits.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isMark, type LogMark, type LogPosition, writtenRows } from '@rdm/platform';
import type { NumberedEvent } from './numbered-event.ts';

export interface Limits {
  events: number;
  bytes: number;
  /**
   * The number of rows that a batch writes. A read that waits for one change waits for the commit of the whole batch.
   * The limit of bytes is not enough, because a small event of a bulk decision lists a thousand ids.
   */
  rows: number;
}

export const LIMITS: Limits = { events: 5_000, bytes: 8 * 1024 * 1024, rows: 20_000 };

/** Approximate size of an event without its data. */
const METADATA_BYTES = 700;

/**
 * An id in an event without rows counts as this many rows, because it causes several writes: a decided row is removed,
 * folded and inserted into several tables.
 */
const WRITES_PER_ID = 4;

const LARGE_BYTES = 16 * 1024;

/** Estimates the size of a value as JSON. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += estimateBytes(item) + 1;
  else for (const key in value) bytes += estimateBytes((value as Record<string, unknown>)[key]) + key.length + 4;
  return bytes;
}

/** Estimates the number of rows that an event writes. */
export function countRows(data: unknown): number {
  const written = writtenRows(data);
  if (written) return written.ids.length;
  const { rows, ids } = (data ?? {}) as { rows?: unknown[]; ids?: unknown[] };
  return rows?.length ?? (ids ? ids.length * WRITES_PER_ID : 1);
}

/** Wakes the task that waits for `next`. */
class Signal {
  #resolve: (() => void) | undefined;
  notify(): void {
    this.#resolve?.();
  }
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}

/** The properties from which the size and the rows of an event are estimated. */
type Measurable = Pick<NumberedEvent, 'data' | 'bytes'>;

interface MeasuredEvent<Event> {
  event: Event;
  bytes: number;
  rows: number;
}

/** Events of the log that are projected together, and the marks of the subscription that were read with them. */
export interface LogBatch<Event> {
  /** May be empty. */
  events: Event[];
  /** A position after these events; the log has no product event in between. */
  deliveredUpTo?: LogPosition;
  /** Whether the subscription reached the end of the log with this batch. */
  isCaughtUp: boolean;
}

/**
 * Events and marks that were read but that no batch contains yet. Reading pauses while there are enough events for a
 * full batch.
 */
class BatchBuffer<Event extends Measurable> {
  readonly #limits: Limits;
  #items: (MeasuredEvent<Event> | LogMark)[] = [];
  #events = 0;
  #bytes = 0;
  #rows = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  get isFull(): boolean {
    const { events, bytes, rows } = this.#limits;
    return this.#events >= events || this.#bytes >= bytes || this.#rows >= rows;
  }

  addMark(mark: LogMark): void {
    this.#items.push(mark);
  }

  add(event: Event): void {
    const measured = {
      event,
      bytes: (event.bytes ?? estimateBytes(event.data)) + METADATA_BYTES,
      rows: countRows(event.data),
    };
    this.#items.push(measured);
    this.#events += 1;
    this.#bytes += measured.bytes;
    this.#rows += measured.rows;
  }

  /** Returns the next batch: within the limits, but at least one event if there is one. */
  take(): LogBatch<Event> {
    const batch: LogBatch<Event> = { events: [], isCaughtUp: false };
    let bytes = 0;
    let rows = 0;
    let count = 0;
    for (const item of this.#items) {
      if (isMark(item)) {
        if (item.deliveredUpTo) batch.deliveredUpTo = item.deliveredUpTo;
        if (item.isCaughtUp) batch.isCaughtUp = true;
      } else {
        const { events } = batch;
        const limits = this.#limits;
        const isOver =
          events.length >= limits.events || bytes + item.bytes > limits.bytes || rows + item.rows > limits.rows;
        if (events.length > 0 && isOver) break;
        bytes += item.bytes;
        rows += item.rows;
        events.push(item.event);
        // The position of an earlier mark is before this event.
        delete batch.deliveredUpTo;
      }
      count += 1;
    }
    this.#items.splice(0, count);
    this.#events -= batch.events.length;
    this.#bytes -= bytes;
    this.#rows -= rows;
    return batch;
  }
}

export type Subscribe<Event> = (signal: AbortSignal) => AsyncIterable<Event | LogMark>;

/** Yields the batches of a subscription in order until it ends or `signal` aborts; throws the subscription's error. */
export async function* inBatches<Event extends Measurable>(
  subscribe: Subscribe<Event>,
  signal: AbortSignal,
  options: { limits?: Limits | undefined } = {},
): AsyncGenerator<LogBatch<Event>> {
  const ended = new AbortController();
  const stopped = AbortSignal.any([signal, ended.signal]);
  const buffer = new BatchBuffer<Event>(options.limits ?? LIMITS);
  const arrival = new Signal();
  const space = new Signal();
  let end: { error?: unknown } | undefined;

  const fillBuffer = async (): Promise<void> => {
    for await (const item of subscribe(stopped)) {
      if (isMark(item)) buffer.addMark(item);
      else buffer.add(item);
      arrival.notify();
      // Decoding a large event takes long: let the current batch use the database in between.
      if (!isMark(item) && (item.bytes ?? 0) > LARGE_BYTES) await yieldToEventLoop();
      while (buffer.isFull && !stopped.aborted) await space.next();
      if (stopped.aborted) return;
    }
  };
  const finish = (result: { error?: unknown }) => {
    end = result;
    arrival.notify();
  };
  const stop = () => {
    space.notify();
    finish({});
  };
  signal.addEventListener('abort', stop, { once: true });
  fillBuffer().then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  );

  try {
    while (!signal.aborted) {
      if (!buffer.isEmpty) {
        const batch = buffer.take();
        space.notify();
        yield batch;
      } else if (end) {
        if (end.error !== undefined) throw end.error;
        return;
      } else {
        await arrival.next();
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    ended.abort();
    space.notify();
  }
}
