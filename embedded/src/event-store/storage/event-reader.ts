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
    return openRecord(segment.read(position - segment.base, this.#end(ordinal) - position), 0, position);
  }

  /**
   * Yields the events of ascending or descending ordinals, in their order. Reads are synchronous: the page cache serves nearly
   * all of them faster than a thread could, and no read is longer than `READ_SIZE` or one event.
   */
  *readAll(ordinals: readonly number[]): Generator<Buffer> {
    for (let from = 0; from < ordinals.length; ) {
      const to = this.#runEnd(ordinals, from);
      const first = Math.min(ordinals[from] ?? 0, ordinals[to - 1] ?? 0);
      const last = Math.max(ordinals[from] ?? 0, ordinals[to - 1] ?? 0);
      const start = this.#index.position(first);
      const segment = this.#log.segmentOf(start);
      const bytes = segment.read(start - segment.base, this.#end(last) - start);
      for (; from < to; from += 1) {
        const position = this.#index.position(ordinals[from] ?? 0);
        yield openRecord(bytes, position - start, position);
      }
    }
  }

  /** Returns the end of the adjacent events from `from` on that can be fetched with one read. */
  #runEnd(ordinals: readonly number[], from: number): number {
    const first = ordinals[from] ?? 0;
    const step = (ordinals[from + 1] ?? 0) < first ? -1 : 1;
    const start = this.#index.position(first);
    const segment = this.#log.segmentOf(start);
    let to = from + 1;
    for (; to < ordinals.length && ordinals[to] === first + step * (to - from); to += 1) {
      const position = this.#index.position(ordinals[to] ?? 0);
      if (Math.abs(position - start) > READ_SIZE || this.#log.segmentOf(position) !== segment) break;
    }
    return to;
  }

  #end(ordinal: number): number {
    const segment = this.#log.segmentOf(this.#index.position(ordinal));
    const end = segment.base + segment.size;
    return ordinal + 1 < this.#index.visible ? Math.min(end, this.#index.position(ordinal + 1)) : end;
  }
}
