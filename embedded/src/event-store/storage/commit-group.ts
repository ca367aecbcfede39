/** A commit group: the records of several appends, encoded for one write. */

import { type ProposedEvent, recordedEventBound, writeRecordedEvent } from '../wire/recorded-event.ts';
import type { EventIndex } from './index/event-index.ts';
import { RECORD_HEADER, writeRecordHeader } from './record.ts';

/** Maximum size of a group in bytes; only a group of one append may be larger. */
const GROUP_SIZE = 4 * 1024 * 1024;

export interface PlacedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly event: ProposedEvent;
}

export class CommitGroup {
  readonly #index: EventIndex;
  #buffer = Buffer.allocUnsafeSlow(GROUP_SIZE);
  #start = 0;
  #size = 0;

  constructor(index: EventIndex) {
    this.#index = index;
  }

  /** Empties the group; the next record that is added has the position `start`. */
  reset(start: number): void {
    this.#start = start;
    this.#size = 0;
    if (this.#buffer.length > GROUP_SIZE) this.#buffer = Buffer.allocUnsafeSlow(GROUP_SIZE);
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Whether the events fit into the group; an empty group accepts an append of any size. */
  fits(stream: string, events: readonly ProposedEvent[]): boolean {
    return this.#size === 0 || this.#size + maxBytes(stream, events) <= GROUP_SIZE;
  }

  /**
   * Encodes one append, which is stored completely or not at all, and adds its events to the index. Returns their
   * positions.
   */
  add(events: readonly PlacedEvent[], created: number): number[] {
    const needed = events.reduce((sum, { stream, event }) => sum + maxBytes(stream, [event]), 0);
    if (this.#size + needed > this.#buffer.length) this.#grow(this.#size + needed);
    return events.map(({ stream, revision, event }, at) => {
      const position = this.#start + this.#size;
      const payload = this.#size + RECORD_HEADER;
      const place = { stream: Buffer.from(stream), revision, position, created };
      const end = writeRecordedEvent(this.#buffer, payload, event, place);
      writeRecordHeader(this.#buffer, this.#size, end - payload, events.length - 1 - at, position);
      this.#size = end;
      this.#index.add(position, stream, event.type, revision);
      return position;
    });
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#size);
    this.#buffer = larger;
  }
}

function maxBytes(stream: string, events: readonly ProposedEvent[]): number {
  return events.reduce((sum, event) => sum + RECORD_HEADER + recordedEventBound(stream, event), 0);
}
