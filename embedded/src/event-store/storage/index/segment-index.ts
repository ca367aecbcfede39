/** The index of one segment: its events by number, position and stream. */

import type { StreamHash } from './stream-hash.ts';

export const TOMBSTONE_TYPE = '$streamDeleted';

/** Thrown when an event does not have the next revision of its stream. */
export class RevisionGap extends Error {
  override readonly name = 'RevisionGap';
}

/** The events of a stream in one segment, oldest first. A tombstone is not one of them. */
export interface StreamPart {
  /** The revision of the first event of the stream in the segment. */
  readonly first: number;
  readonly count: number;
  /** Returns the number of an event in the segment, by its place among the events of the stream. */
  eventAt(place: number): number;
  /** The number of the tombstone, if it is in this segment. */
  readonly tombstone: number | undefined;
}

/** In each segment, events are numbered from 0, and streams are numbered in the order of their first events. */
export interface SegmentIndex {
  /** Number of events. */
  readonly count: number;
  position(event: number): number;
  /** Returns the offset at which the record begins in the file. */
  offset(event: number): number;
  streamOf(event: number): number;
  /** Returns the number of the event's type in `TypeNames`. */
  typeOf(event: number): number;
  streamName(stream: number): string;
  find(stream: string, hash: StreamHash): StreamPart | undefined;
  /** Returns the first event at or after a position; `count` if there is none. */
  eventAt(position: number): number;
  readonly hasMetastreams: boolean;
  /** Yields the streams that decide what a scavenge drops: metadata streams and streams with a tombstone. */
  scavengeStreams(): Iterable<string>;
}

/**
 * The names of event types, numbered in the order of their first use. All names stay in memory, because they are few.
 */
export class TypeNames {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  number(name: string): number {
    const existing = this.#numbers.get(name);
    if (existing !== undefined) return existing;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }

  name(number: number): string {
    return this.#names[number] ?? '';
  }
}

/**
 * Returns the first number below `count` for which `isAtOrAfter` is true, by binary search; `count` if there is none.
 * `isAtOrAfter` must not become false again for a larger number.
 */
export function firstWhere(count: number, isAtOrAfter: (number: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtOrAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A column of numbers that grows by doubling. */
class Column<A extends Float64Array | Uint32Array> {
  #values: A;
  readonly #make: (length: number) => A;

  constructor(make: (length: number) => A) {
    this.#make = make;
    this.#values = make(1024);
  }

  set(at: number, value: number): void {
    if (at >= this.#values.length) {
      const larger = this.#make(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[at] = value;
  }

  get(at: number): number {
    const value = this.#values[at];
    if (value === undefined) throw new RangeError(`no event ${at}`);
    return value;
  }
}

/** A stream in a `MemoryIndex`. */
export interface MemoryStream {
  readonly number: number;
  readonly name: string;
  first: number;
  readonly events: number[];
  tombstone: number | undefined;
  /** Whether the stream begins in this segment with a revision greater than 0, because earlier events were dropped. */
  beginsLate: boolean;
}

/** The index in memory of the active segment, or of a segment whose index is not encoded yet. */
export class MemoryIndex implements SegmentIndex {
  readonly #base: number;
  readonly #types: TypeNames;
  readonly #positions = new Column((length) => new Float64Array(length));
  readonly #offsets = new Column((length) => new Uint32Array(length));
  readonly #streamOf = new Column((length) => new Uint32Array(length));
  readonly #typeOf = new Column((length) => new Uint32Array(length));
  readonly #byName = new Map<string, MemoryStream>();
  readonly #streams: MemoryStream[] = [];
  #tombstoneType: number;
  count = 0;
  hasMetastreams = false;

  constructor(base: number, types: TypeNames) {
    this.#base = base;
    this.#types = types;
    this.#tombstoneType = types.number(TOMBSTONE_TYPE);
  }

  get streams(): readonly MemoryStream[] {
    return this.#streams;
  }

  stream(name: string): MemoryStream | undefined {
    return this.#byName.get(name);
  }

  /** Adds the next event. Throws RevisionGap if it does not follow the stream's last event in this segment. */
  add(position: number, offset: number, stream: string, type: string, revision: number): MemoryStream {
    const entry = this.#byName.get(stream) ?? this.#newStream(stream);
    const typeNumber = this.#types.number(type);
    const event = this.count;
    if (typeNumber === this.#tombstoneType) entry.tombstone = event;
    else {
      if (entry.events.length === 0) entry.first = revision;
      else requireNext(stream, entry.first + entry.events.length - 1, revision);
      entry.events.push(event);
    }
    this.#positions.set(event, position);
    this.#offsets.set(event, offset);
    this.#streamOf.set(event, entry.number);
    this.#typeOf.set(event, typeNumber);
    this.count += 1;
    return entry;
  }

  /** Removes the last event. */
  pop(): void {
    this.count -= 1;
    const entry = this.#streams[this.streamOf(this.count)];
    if (entry?.tombstone === this.count) entry.tombstone = undefined;
    else entry?.events.pop();
  }

  #newStream(name: string): MemoryStream {
    const number = this.#streams.length;
    const entry = { number, name, first: 0, events: [], tombstone: undefined, beginsLate: false };
    this.#byName.set(name, entry);
    this.#streams.push(entry);
    if (name.startsWith('$$')) this.hasMetastreams = true;
    return entry;
  }

  position(event: number): number {
    return this.#positions.get(event);
  }

  offset(event: number): number {
    return this.#offsets.get(event);
  }

  streamOf(event: number): number {
    return this.#streamOf.get(event);
  }

  typeOf(event: number): number {
    return this.#typeOf.get(event);
  }

  streamName(stream: number): string {
    return this.#streams[stream]?.name ?? '';
  }

  find(stream: string): StreamPart | undefined {
    const entry = this.#byName.get(stream);
    if (entry === undefined || isEmpty(entry)) return undefined;
    const { first, events, tombstone } = entry;
    return { first, count: events.length, eventAt: (place) => events[place] ?? 0, tombstone };
  }

  eventAt(position: number): number {
    return firstWhere(this.count, (event) => this.position(event) >= position);
  }

  *scavengeStreams(): Generator<string> {
    for (const entry of this.#streams) if (decidesScavenge(entry) && !isEmpty(entry)) yield entry.name;
  }

  /** The position of the first byte of the segment. Positions in the index file are relative to this base. */
  get base(): number {
    return this.#base;
  }
}

/** Whether the stream has no records. A discarded commit group leaves such a stream. */
export const isEmpty = ({ events, tombstone }: MemoryStream): boolean => events.length === 0 && tombstone === undefined;

export const decidesScavenge = ({ name, tombstone }: MemoryStream): boolean =>
  name.startsWith('$$') || tombstone !== undefined;

export function requireNext(stream: string, head: number, revision: number): void {
  if (revision !== head + 1) throw new RevisionGap(`revision ${revision} of stream ${stream} follows revision ${head}`);
}
