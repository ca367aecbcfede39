/** Reads stored events by their ordinals. */
import type { EventIndex } from './event-index.ts';
import type { EventLog } from './log.ts';
import { openRecord } from './record.ts';

/** Adjacent records are fetched with one read of at most this many bytes, and at least one record. */
const READ_SIZE = 256 * 1024;

export class EventReader {
  readonly #log: EventLog;
  readonly #index: EventIndex;

  constructor(log: EventLog, index: EventIndex) {
    this.#log = log;
    this.#index = index;
  }

  /** Returns one event as the wire `RecordedEvent`. */
  read(ordinal: number): Buffer {
    const position = this.#index.position(ordinal);
    const segment = this.#log.segmentOf(position);
    return openRecord(segment.readBetween(position, this.#end(ordinal)), 0, position);
  }

  /** Yields the events of ascending or descending ordinals, in their order, without those that a scavenge dropped meanwhile. */
  *readAll(ordinals: readonly number[]): Generator<Buffer> {
    for (const { event } of this.readEach(ordinals)) yield event;
  }

  /**
   * `readAll` with the ordinal of each event. Reads are synchronous: the page cache serves nearly all of them faster than a
   * thread could, and no read is longer than `READ_SIZE` or one event.
   */
  *readEach(ordinals: readonly number[]): Generator<{ ordinal: number; event: Buffer }> {
    for (let from = 0; from < ordinals.length; ) {
      if (this.#index.isDropped(ordinals[from] ?? 0)) {
        from += 1;
        continue;
      }
      const to = this.#runEnd(ordinals, from);
      const first = Math.min(ordinals[from] ?? 0, ordinals[to - 1] ?? 0);
      const last = Math.max(ordinals[from] ?? 0, ordinals[to - 1] ?? 0);
      const start = this.#index.position(first);
      // A scavenge may replace the segment while the caller holds an event: the bytes that were read stay valid.
      const segment = this.#log.segmentOf(start);
      const offset = segment.offsetOf(start);
      const bytes = segment.readBetween(start, this.#end(last));
      for (; from < to; from += 1) {
        const ordinal = ordinals[from] ?? 0;
        const position = this.#index.position(ordinal);
        yield { ordinal, event: openRecord(bytes, segment.offsetOf(position) - offset, position) };
      }
    }
  }

  /** Returns the end of the stored events from `from` on that are adjacent and can be fetched with one read. */
  #runEnd(ordinals: readonly number[], from: number): number {
    const first = ordinals[from] ?? 0;
    const step = (ordinals[from + 1] ?? 0) < first ? -1 : 1;
    const start = this.#index.position(first);
    const segment = this.#log.segmentOf(start);
    let to = from + 1;
    for (let next = this.#storedAfter(first, step); to < ordinals.length && ordinals[to] === next; to += 1) {
      const position = this.#index.position(next);
      if (Math.abs(position - start) > READ_SIZE || this.#log.segmentOf(position) !== segment) break;
      next = this.#storedAfter(next, step);
    }
    return to;
  }

  #storedAfter(ordinal: number, step: 1 | -1): number {
    let next = ordinal + step;
    while (this.#index.isDropped(next)) next += step;
    return next;
  }

  /** The position of the next event, or the end of the segment. */
  #end(ordinal: number): number {
    const segment = this.#log.segmentOf(this.#index.position(ordinal));
    const end = segment.base + segment.size;
    return ordinal + 1 < this.#index.visible ? Math.min(end, this.#index.position(ordinal + 1)) : end;
  }
}
