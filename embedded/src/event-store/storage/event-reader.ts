/** Reads stored events by their ordinals, which number the events in the order of the log (see `EventIndex`). */
import type { EventIndex, IndexedSegment } from './index/event-index.ts';
import type { SegmentIndex } from './index/segment-index.ts';
import { openRecord } from './record.ts';
import type { Segment } from './segment.ts';

/** Maximum number of bytes between the beginnings of the first and the last record of one read. */
const READ_SIZE = 256 * 1024;

export interface StoredEvent {
  readonly position: number;
  readonly type: string;
  /** The event as an encoded `RecordedEvent`. */
  readonly event: Buffer;
}

export class EventReader {
  readonly #index: EventIndex;

  constructor(index: EventIndex) {
    this.#index = index;
  }

  /** Returns one event as an encoded `RecordedEvent`. */
  read(ordinal: number): Buffer {
    const segment = this.#index.segmentAt(ordinal);
    const event = segment.eventOf(ordinal);
    return openRecord(readRecords(segment, event, event), 0, segment.index.position(event));
  }

  /** Yields the events in the order of `ordinals`, without events that a scavenge has dropped. */
  *readAll(ordinals: readonly number[]): Generator<Buffer> {
    for (const { event } of this.readEach(ordinals)) yield event;
  }

  /**
   * Like `readAll`, with the position and the type of each event. Reads are synchronous: each is short, and the page
   * cache of the operating system serves most reads faster than a thread could.
   */
  *readEach(ordinals: readonly number[]): Generator<StoredEvent> {
    for (let from = 0; from < ordinals.length; ) {
      if (this.#index.isDropped(ordinals[from] ?? 0)) {
        from += 1;
        continue;
      }
      // A scavenge can replace the segment while the caller processes an event, but the bytes of this run stay valid.
      const { bytes, records } = this.#readRun(ordinals, from);
      for (const { at, position, type } of records) {
        yield { position, type, event: openRecord(bytes, at, position) };
      }
      from += records.length;
    }
  }

  /** Reads the event of `ordinals[from]` and the adjacent next events that fit into one read. */
  #readRun(ordinals: readonly number[], from: number): Run {
    const ordinal = ordinals[from] ?? 0;
    const segment = this.#index.segmentAt(ordinal);
    const { index } = segment;
    const first = segment.eventOf(ordinal);
    const start = index.offset(first);
    const step = (ordinals[from + 1] ?? 0) < ordinal ? -1 : 1;
    let count = 1;
    for (; from + count < ordinals.length; count += 1) {
      const next = ordinals[from + count] ?? 0;
      if (next < segment.start || next >= segment.end || segment.isDropped(next)) break;
      const event = first + step * count;
      if (segment.eventOf(next) !== event || Math.abs(index.offset(event) - start) > READ_SIZE) break;
    }
    const last = first + step * (count - 1);
    const offset = Math.min(start, index.offset(last));
    const records = Array.from({ length: count }, (_, at) => {
      const event = first + step * at;
      const type = this.#index.types.name(index.typeOf(event));
      return { at: index.offset(event) - offset, position: index.position(event), type };
    });
    return { bytes: readRecords(segment, Math.min(first, last), Math.max(first, last)), records };
  }
}

/** The adjacent records of one read. */
interface Run {
  readonly bytes: Buffer;
  readonly records: readonly { readonly at: number; readonly position: number; readonly type: string }[];
}

/** Reads the adjacent records of a segment from the event `first` to the event `last`. */
function readRecords({ segment, index }: IndexedSegment, first: number, last: number): Buffer {
  const start = index.offset(first);
  return segment.read(start, recordEnd(segment, index, last) - start);
}

/** Returns the offset at which the record of an event ends in the file. */
export function recordEnd(segment: Segment, index: SegmentIndex, event: number): number {
  return event + 1 < index.count ? index.offset(event + 1) : segment.recordsEnd;
}
