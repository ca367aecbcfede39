/**
 * The index of all events by ordinal, position and stream. The index of the active segment is in memory, and
 * moves to a file after the segment is sealed.
 */

import type { Segment } from '../segment.ts';
import { BoundedMap } from './bounded-map.ts';
import { Bitmap, DroppedEvents } from './dropped-events.ts';
import {
  firstWhere,
  MemoryIndex,
  type MemoryStream,
  requireNext,
  type SegmentIndex,
  type StreamPart,
  TypeNames,
} from './segment-index.ts';
import { hashOf, type StreamHash } from './stream-hash.ts';

/** A segment with its index. Events that scavenges have dropped since the store was opened keep their ordinals. */
export class IndexedSegment {
  segment: Segment;
  index: SegmentIndex;
  /** The ordinal of the first event of the segment. */
  readonly start: number;
  #dropped: DroppedEvents | undefined;

  constructor(segment: Segment, index: SegmentIndex, start: number) {
    this.segment = segment;
    this.index = index;
    this.start = start;
  }

  /** The ordinal after the last event of the segment. */
  get end(): number {
    return this.start + (this.#dropped?.length ?? this.index.count);
  }

  /** Returns the number of an event in the index; for a dropped event, the number of the next remaining event. */
  eventOf(ordinal: number): number {
    const former = ordinal - this.start;
    return this.#dropped ? this.#dropped.remainingBefore(former) : former;
  }

  ordinalOf(event: number): number {
    return this.start + (this.#dropped ? this.#dropped.formerNumber(event) : event);
  }

  isDropped(ordinal: number): boolean {
    return this.#dropped?.has(ordinal - this.start) ?? false;
  }

  /**
   * Replaces the segment by its copy without dropped events. `dropped` has the numbers of these events, relative to
   * `start`.
   */
  replace(segment: Segment, index: SegmentIndex, dropped: Bitmap): void {
    const length = this.end - this.start;
    const allDropped = new Bitmap();
    for (let number = 0; number < length; number += 1) {
      if (dropped.has(number) || this.isDropped(this.start + number)) allDropped.add(number);
    }
    this.segment = segment;
    this.index = index;
    this.#dropped = new DroppedEvents(allDropped, length);
  }
}

/** The events of a stream in the sealed segments. */
interface StoredStream {
  readonly name: string;
  readonly hash: StreamHash;
  /** The parts of the stream that were found so far, newest first. */
  readonly parts: (StreamPart & { readonly segment: IndexedSegment })[];
  /** The number of segments that were not searched for the stream yet. The search begins at the newest segment. */
  unsearched: number;
  /** The index in `parts` of the part that was used last. */
  recentPart: number;
}

/** Limit of the cache of streams: the number of cached streams and parts of streams. */
const CACHED_STREAMS = 20_000;
const CHECKED_PER_TURN = 256;

/**
 * The writer adds the events of a commit group before the group is on disk. Readers see only the first `visible`
 * events, which are on disk. If a group cannot be written for lack of space, its events are discarded. Events that a
 * scavenge drops keep their ordinals until the next start, so that open reads stay valid.
 */
export class EventIndex {
  readonly types = new TypeNames();
  readonly #segments: IndexedSegment[] = [];
  #active: MemoryIndex | undefined;
  /** The streams that `checkActive` has not checked yet. */
  #uncheckedStreams: MemoryStream[] = [];
  readonly #streamCache = new BoundedMap<StoredStream>(CACHED_STREAMS, ({ parts }) => 1 + parts.length);
  readonly #publishCallbacks = new Set<() => void>();
  #recentSegment: IndexedSegment | undefined;
  #visible = 0;

  /** Number of events that readers can see. */
  get visible(): number {
    return this.#visible;
  }

  get count(): number {
    return this.#segments.at(-1)?.end ?? 0;
  }

  /** All segments, oldest first. */
  get segments(): readonly IndexedSegment[] {
    return this.#segments;
  }

  /** Adds a sealed segment. */
  addSealed(segment: Segment, index: SegmentIndex): IndexedSegment {
    const added = new IndexedSegment(segment, index, this.count);
    this.#segments.push(added);
    return added;
  }

  /** Adds the active segment with its existing events. Call `checkActive` to check them. */
  addActive(segment: Segment, index = new MemoryIndex(segment.base, this.types)): void {
    this.addSealed(segment, index);
    this.#active = index;
    this.#uncheckedStreams = index.streams.filter(({ events, first }) => events.length > 0 && first > 0);
  }

  /**
   * Checks that the streams of the active segment continue the revisions of the earlier segments. Yields regularly to
   * other work, because the check reads one or two pages for each stream. Throws RevisionGap.
   */
  *checkActive(): Generator<void, void> {
    for (let checked = 1; ; checked += 1) {
      const stream = this.#uncheckedStreams.pop();
      if (stream === undefined) return;
      this.#requireFirst(stream, stream.first);
      if (checked % CHECKED_PER_TURN === 0) yield;
    }
  }

  /** Ends the check of the active segment. */
  stopCheck(): void {
    this.#uncheckedStreams = [];
  }

  /** The index of the active segment. */
  get active(): MemoryIndex {
    if (this.#active === undefined) throw new Error('no segment is being written');
    return this.#active;
  }

  /** Turns the active segment into a sealed one, and returns it. */
  seal(): IndexedSegment {
    const sealed = this.#segments.at(-1);
    if (sealed === undefined) throw new Error('no segment is being written');
    this.#active = undefined;
    this.#streamCache.clear();
    return sealed;
  }

  /** Call this when the index or the content of a sealed segment was replaced. */
  clearStreamCache(): void {
    this.#streamCache.clear();
  }

  /** Adds the next event of a stream. A stream without stored events begins at `revision`. Throws RevisionGap. */
  add(position: number, stream: string, type: string, revision: number): void {
    const { active } = this;
    const isFirst = (active.stream(stream)?.events.length ?? 0) === 0;
    const memoryStream = active.add(position, position - active.base, stream, type, revision);
    if (isFirst && memoryStream.events.length === 1) this.#requireFirst(memoryStream, revision);
  }

  /**
   * Throws RevisionGap if `revision` does not follow the last revision of the stream in the earlier segments. Sets
   * `beginsLate` if these segments have no event of the stream and `revision` is greater than 0.
   */
  #requireFirst(stream: MemoryStream, revision: number): void {
    const head = this.#storedHead(stream.name);
    if (head >= 0) requireNext(stream.name, head, revision);
    stream.beginsLate = head < 0 && revision > 0;
  }

  /** Whether a scavenge dropped the event since the store was opened. */
  isDropped(ordinal: number): boolean {
    return this.segmentAt(ordinal).isDropped(ordinal);
  }

  /** Makes all added events visible to readers and calls the callbacks of `onNext`. */
  publish(): void {
    this.#visible = this.count;
    const callbacks = [...this.#publishCallbacks];
    this.#publishCallbacks.clear();
    for (const callback of callbacks) callback();
  }

  /** Discards all events added since the last call of `publish`. */
  discard(): void {
    while (this.count > this.#visible) this.active.pop();
  }

  /** Calls `callback` once, at the next `publish`. The returned function removes the callback. */
  onNext(callback: () => void): () => void {
    this.#publishCallbacks.add(callback);
    return () => this.#publishCallbacks.delete(callback);
  }

  /** Returns the segment that contains the event with this ordinal, or contained it before a scavenge. */
  segmentAt(ordinal: number): IndexedSegment {
    const recent = this.#recentSegment;
    if (recent !== undefined && ordinal >= recent.start && ordinal < recent.end) return recent;
    const after = firstWhere(this.#segments.length, (at) => (this.#segments[at]?.start ?? 0) > ordinal);
    // A segment without events has the same start as the next segment. So take the last segment with this start.
    const found = this.#segments[after - 1];
    if (found === undefined || ordinal >= found.end) throw new RangeError(`no event ${ordinal}`);
    this.#recentSegment = found;
    return found;
  }

  /** Returns the position of an event; for a dropped event, a position before the next remaining event. */
  position(ordinal: number): number {
    const { index, segment, event, isDropped } = this.#at(ordinal);
    if (!isDropped) return index.position(event);
    return event > 0 ? index.position(event - 1) : segment.base;
  }

  typeName(ordinal: number): string {
    const { index, event } = this.#at(ordinal);
    return this.types.name(index.typeOf(event));
  }

  #at(ordinal: number) {
    const found = this.segmentAt(ordinal);
    const { index, segment } = found;
    return { index, segment, event: found.eventOf(ordinal), isDropped: found.isDropped(ordinal) };
  }

  /** Returns a function that tests the type name of an event. Pass only ordinals of events that are not dropped. */
  typeTest(matches: (type: string) => boolean): (ordinal: number) => boolean {
    const results = new Map<number, boolean>();
    return (ordinal) => {
      const segment = this.segmentAt(ordinal);
      return testOnce(results, segment.index.typeOf(segment.eventOf(ordinal)), (type) =>
        matches(this.types.name(type)),
      );
    };
  }

  /**
   * Returns a function that tests the stream name of an event. Consecutive events of one segment share the results.
   * Pass only ordinals of events that are not dropped.
   */
  streamTest(matches: (stream: string) => boolean): (ordinal: number) => boolean {
    let results = new Map<number, boolean>();
    let testedIndex: SegmentIndex | undefined;
    return (ordinal) => {
      const segment = this.segmentAt(ordinal);
      const { index } = segment;
      if (index !== testedIndex) results = new Map();
      testedIndex = index;
      return testOnce(results, index.streamOf(segment.eventOf(ordinal)), (stream) => matches(index.streamName(stream)));
    };
  }

  /** Returns the ordinal of the first event at or after `position`; `visible` if readers can see no such event. */
  ordinalAt(position: number): number {
    const after = firstWhere(this.#segments.length, (at) => (this.#segments[at]?.segment.base ?? 0) > position);
    const found = this.#segments[after - 1];
    if (found === undefined) return 0;
    const event = found.index.eventAt(position);
    return Math.min(this.#visible, event === found.index.count ? found.end : found.ordinalOf(event));
  }

  /** Returns the last revision of a stream, including the unfinished group; -1 for a stream without events. */
  head(stream: string): number {
    const memoryStream = this.#active?.stream(stream);
    return memoryStream && memoryStream.events.length > 0
      ? memoryStream.first + memoryStream.events.length - 1
      : this.#storedHead(stream);
  }

  /** Returns the last revision of a stream that readers can see; -1 if they can see no event of the stream. */
  visibleHead(stream: string): number {
    const memoryStream = this.#active?.stream(stream);
    let count = memoryStream?.events.length ?? 0;
    const visible = this.#visible - (this.#segments.at(-1)?.start ?? 0);
    while (count > 0 && (memoryStream?.events[count - 1] ?? 0) >= visible) count -= 1;
    return memoryStream && count > 0 ? memoryStream.first + count - 1 : this.#storedHead(stream);
  }

  /**
   * Returns the revision of the first stored event of a stream; if no event is stored, the revision of its next event.
   */
  first(stream: string): number {
    const stored = this.#storedStream(stream);
    for (let at = 0; ; at += 1) {
      const part = this.#part(stored, at);
      if (part?.first === 0 && part.count > 0) return 0;
      if (part !== undefined) continue;
      const oldest = stored.parts.findLast(({ count }) => count > 0);
      return oldest?.first ?? this.#active?.stream(stream)?.first ?? 0;
    }
  }

  /** Returns the last revision of a stream in the segments that begin before a position; -1 if there is none. */
  headBefore(stream: string, position: number): number {
    const hash = hashOf(stream);
    for (const { index } of this.#segments.filter(({ segment }) => segment.base < position).reverse()) {
      const part = index.find(stream, hash);
      if (part && part.count > 0) return part.first + part.count - 1;
    }
    return -1;
  }

  /** Returns the ordinal of the event at a revision; undefined if the event is not stored. */
  ordinalOf(stream: string, revision: number): number | undefined {
    const memoryStream = this.#active?.stream(stream);
    if (memoryStream && memoryStream.events.length > 0 && revision >= memoryStream.first) {
      const event = memoryStream.events[revision - memoryStream.first];
      return event === undefined ? undefined : this.#lastStart + event;
    }
    const stored = this.#storedStream(stream);
    const covers = (part: StreamPart | undefined) =>
      part !== undefined && revision >= part.first && revision < part.first + part.count;
    if (!covers(stored.parts[stored.recentPart])) {
      let at = 0;
      for (let part = this.#part(stored, 0); part && (part.count === 0 || revision < part.first); ) {
        at += 1;
        part = this.#part(stored, at);
      }
      stored.recentPart = at;
    }
    const part = stored.parts[stored.recentPart];
    if (part === undefined || !covers(part)) return undefined;
    return part.segment.ordinalOf(part.eventAt(revision - part.first));
  }

  /**
   * Returns the ordinal of the tombstone of a stream, including the unfinished group; undefined without a tombstone.
   */
  tombstone(stream: string): number | undefined {
    const event = this.#active?.stream(stream)?.tombstone;
    if (event !== undefined) return this.#lastStart + event;
    // A tombstone is the last event of its stream, so it is in the newest part.
    const newest = this.#part(this.#storedStream(stream), 0);
    return newest?.tombstone === undefined ? undefined : newest.segment.ordinalOf(newest.tombstone);
  }

  /** Whether readers see a tombstone. */
  isTombstoned(stream: string): boolean {
    const ordinal = this.tombstone(stream);
    return ordinal !== undefined && ordinal < this.#visible;
  }

  get #lastStart(): number {
    return this.#segments.at(-1)?.start ?? 0;
  }

  #storedHead(stream: string): number {
    const stored = this.#storedStream(stream);
    for (let at = 0; ; at += 1) {
      const part = this.#part(stored, at);
      if (part === undefined) return -1;
      if (part.count > 0) return part.first + part.count - 1;
    }
  }

  #storedStream(stream: string): StoredStream {
    const cached = this.#streamCache.get(stream);
    if (cached) return cached;
    const unsearched = this.#segments.length - (this.#active === undefined ? 0 : 1);
    const stored = { name: stream, hash: hashOf(stream), parts: [], unsearched, recentPart: 0 };
    this.#streamCache.set(stream, stored);
    return stored;
  }

  /** Returns a part of a stream; 0 is the newest part. Returns undefined if there are fewer parts. */
  #part(stored: StoredStream, number: number): StoredStream['parts'][number] | undefined {
    const isMetastream = stored.name.startsWith('$$');
    while (stored.parts.length <= number && stored.unsearched > 0) {
      stored.unsearched -= 1;
      const segment = this.#segments[stored.unsearched];
      if (segment === undefined || (isMetastream && !segment.index.hasMetastreams)) continue;
      const part = segment.index.find(stored.name, stored.hash);
      if (part === undefined) continue;
      stored.parts.push({ ...part, segment });
      this.#streamCache.addWeight(1);
    }
    return stored.parts[number];
  }
}

function testOnce(results: Map<number, boolean>, number: number, test: (number: number) => boolean): boolean {
  const earlierResult = results.get(number);
  if (earlierResult !== undefined) return earlierResult;
  const result = test(number);
  results.set(number, result);
  return result;
}
