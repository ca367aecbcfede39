/** The index of one segment: its events by number, position and stream. */

import type { StreamHash } from './stream-hash.ts';

export const TOMBSTONE_TYPE = '$streamDeleted';

/** Thrown when an event does not have the revision that follows in its stream. */
export class RevisionGap extends Error {
  override readonly name = 'RevisionGap';
}

/** The events of a stream in one segment, oldest first. Tombstones are not among them. */
export interface StreamPart {
  /** The revision of the first event here. */
  readonly first: number;
  readonly count: number;
  /** The number of an event in the segment, by its place among those of the stream. */
  eventAt(place: number): number;
  /** The number of the tombstone in the segment, if it is here. */
  readonly tombstone: number | undefined;
}

/** Events are numbered from 0 in each segment, streams in the order of their first event there. */
export interface SegmentIndex {
  /** Number of events. */
  readonly count: number;
  position(event: number): number;
  /** Where the record begins in the file. */
  offset(event: number): number;
  streamOf(event: number): number;
  /** A number of `TypeNames`. */
  typeOf(event: number): number;
  streamName(stream: number): string;
  find(stream: string, hash: StreamHash): StreamPart | undefined;
  /** The first event at or after a position; the count if there is none. */
  eventAt(position: number): number;
  readonly hasMetastreams: boolean;
  /** The streams that decide what a scavenge drops: metadata streams and those with a tombstone. */
  scavengeStreams(): Iterable<string>;
}

/** The names of event types, which are few, numbered in the order in which they were first seen. */
export class TypeNames {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }

  name(number: number): string {
    return this.#names[number] ?? '';
  }
}

/** The first number for which `isAtOrAfter` holds, where it holds for all later ones too; `count` if there is none. */
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
      const grown = this.#make(this.#values.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[at] = value;
  }

  get(at: number): number {
    const value = this.#values[at];
    if (value === undefined) throw new RangeError(`no event ${at}`);
    return value;
  }
}

/** A stream of a segment whose index is in memory. */
export interface MemoryStream {
  readonly number: number;
  readonly name: string;
  first: number;
  readonly events: number[];
  tombstone: number | undefined;
  /** Whether no event of an earlier segment precedes the first one, though that is not revision 0. */
  beginsLate: boolean;
}

/** The index of the segment that is being written, or that is read from its records. */
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

  /** Adds the next event. Throws RevisionGap. */
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

  /** The position from which positions in the file are counted. */
  get base(): number {
    return this.#base;
  }
}

/** Whether a group that was discarded left the stream without events. */
export const isEmpty = ({ events, tombstone }: MemoryStream): boolean => events.length === 0 && tombstone === undefined;

export const decidesScavenge = ({ name, tombstone }: MemoryStream): boolean =>
  name.startsWith('$$') || tombstone !== undefined;

export function requireNext(stream: string, head: number, revision: number): void {
  if (revision !== head + 1) throw new RevisionGap(`the event ${revision} of ${stream} follows the event ${head}`);
}
