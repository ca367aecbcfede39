/** Reads the events that the metadata of a stream does not hide, and the targets of links. */

import { readHeader } from '../wire/recorded-event.ts';
import type { EventReader } from './event-reader.ts';
import type { EventIndex } from './index/event-index.ts';
import { isMetastream, type MetadataCatalogue, originalOf } from './stream-metadata.ts';

const LINK_TYPE = '$>';

/** An event of a stream, or a link with its target. */
export interface ResolvedEvent {
  /** Absent if the target of a link cannot be read. */
  readonly event?: Buffer;
  readonly link?: Buffer;
  /** The position of the link, or of the event if there is no link. */
  readonly position: number;
}

export class StreamReader {
  readonly #index: EventIndex;
  readonly #reader: EventReader;
  readonly #metadata: MetadataCatalogue;

  constructor(index: EventIndex, reader: EventReader, metadata: MetadataCatalogue) {
    this.#index = index;
    this.#reader = reader;
    this.#metadata = metadata;
  }

  /** Returns the state of a stream for readers: `none` if it has no event or was softly deleted. */
  state(stream: string): 'readable' | 'none' | 'tombstoned' {
    const isTombstoned =
      this.#index.isTombstoned(stream) || (isMetastream(stream) && this.#index.isTombstoned(originalOf(stream)));
    if (isTombstoned) return 'tombstoned';
    if (this.head(stream) < 0) return 'none';
    return this.#metadata.of(stream).isSoftDeleted ? 'none' : 'readable';
  }

  /** Returns an array with the ordinal of the tombstone, if any. Only live subscribers receive tombstones. */
  tombstone(stream: string): number[] {
    const ordinal = this.#index.tombstone(stream);
    return ordinal === undefined ? [] : [ordinal];
  }

  /** Returns the last revision of a stream; -1 for a stream without events. */
  head(stream: string): number {
    return this.#index.visibleHead(stream);
  }

  /**
   * Returns the first stored revision that `$maxCount`, `$maxAge` and `$tb` do not hide. If all events are hidden,
   * returns a revision after the head.
   */
  first(stream: string): number {
    const { maxCount, maxAge, truncateBefore } = this.#metadata.of(stream);
    const head = this.head(stream);
    if (head < 0) return 0;
    const stored = this.#index.first(stream);
    const first = Math.max(stored, truncateBefore ?? 0, maxCount === undefined ? 0 : head + 1 - maxCount);
    return maxAge === undefined ? first : this.#firstSince(stream, first, head, Date.now() - maxAge * 1000);
  }

  /** Finds the revision of the first event since a time by binary search: the times of events never decrease. */
  #firstSince(stream: string, first: number, head: number, since: number): number {
    let low = first;
    let high = head + 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.#reader.read(this.#index.ordinalOf(stream, middle) ?? 0);
      if (readHeader(event).created < since) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the ordinals of up to `limit` readable events, forwards or backwards from the revision `from`. */
  ordinals(stream: string, from: number, step: 1 | -1, limit: number): number[] {
    if (this.state(stream) !== 'readable') return [];
    const first = this.first(stream);
    const head = this.head(stream);
    const start = step === 1 ? Math.max(from, first) : Math.min(from, head);
    const count = Math.min(limit, step === 1 ? head - start + 1 : start - first + 1);
    const ordinalAt = (revision: number) => this.#index.ordinalOf(stream, revision) ?? 0;
    return Array.from({ length: Math.max(0, count) }, (_, at) => ordinalAt(start + step * at));
  }

  *resolve(ordinals: readonly number[], resolveLinks: boolean): Generator<ResolvedEvent> {
    for (const { position, type, event } of this.#reader.readEach(ordinals)) {
      const isLink = resolveLinks && type === LINK_TYPE;
      yield isLink ? { ...this.#target(event), link: event, position } : { event, position };
    }
  }

  /** Returns the event that a link points to. The data of a link is `revision@stream`. */
  #target(link: Buffer): { event?: Buffer } {
    const [, revision = '', stream = ''] = /^(\d+)@(.*)$/s.exec(readHeader(link).data.toString()) ?? [];
    const [ordinal] = this.ordinals(stream, Number(revision), 1, 1);
    const isReadable = ordinal !== undefined && Number(revision) >= this.first(stream);
    return isReadable ? { event: this.#reader.read(ordinal) } : {};
  }
}
