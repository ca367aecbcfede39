/** In-memory index of all events: position, stream and type. */
/** The events of a stream, oldest first, as ordinals in the whole log. */
export interface StreamEntry {
  readonly number: number;
  readonly name: string;
  /** Of the stored events. Those before them were dropped by scavenges, so that revisions stay dense. */
  readonly ordinals: number[];
  /** The revision of the first stored event, or of the next event if none is stored. */
  first: number;
  /** The ordinal of the tombstone, if there is one. */
  tombstone: number | undefined;
}

/** Thrown when an event does not have the revision that follows in its stream. */
export class RevisionGap extends Error {
  override readonly name = 'RevisionGap';
}

export const TOMBSTONE_TYPE = '$streamDeleted';

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

/**
 * The writer adds events while it fills a group; readers see the first `visible` of them, which are on disk. When a group
 * cannot be written for lack of space its events are discarded. A scavenge drops events: until the next start they keep their
 * ordinals and positions, so that open reads stay valid.
 */
export class EventIndex {
  readonly #positions = new Column((length) => new Float64Array(length));
  readonly #streamOf = new Column((length) => new Uint32Array(length));
  readonly #typeOf = new Column((length) => new Uint32Array(length));
  readonly #streams = new Map<string, StreamEntry>();
  readonly #entries: StreamEntry[] = [];
  readonly #types = new Map<string, number>();
  readonly #typeNames: string[] = [];
  readonly #waiting = new Set<() => void>();
  /** A bit for each dropped ordinal. */
  #dropped = new Uint8Array(0);
  #count = 0;
  #visible = 0;

  /** Number of events that readers may see. */
  get visible(): number {
    return this.#visible;
  }

  get count(): number {
    return this.#count;
  }

  stream(name: string): StreamEntry | undefined {
    return this.#streams.get(name);
  }

  /** The entries of all streams, in no particular order. */
  get entries(): readonly StreamEntry[] {
    return this.#entries;
  }

  entry(number: number): StreamEntry {
    const entry = this.#entries[number];
    if (entry === undefined) throw new RangeError(`no stream ${number}`);
    return entry;
  }

  /** Adds the next event of a stream. A stream without stored events begins at `revision`, if it is given. Throws RevisionGap. */
  add(position: number, stream: string, type: string, revision?: number): void {
    const entry = this.#streams.get(stream) ?? this.#newStream(stream);
    if (revision !== undefined && type !== TOMBSTONE_TYPE) this.#expect(entry, revision);
    const ordinal = this.#count++;
    this.#positions.set(ordinal, position);
    this.#streamOf.set(ordinal, entry.number);
    this.#typeOf.set(ordinal, this.#typeNumber(type));
    if (type === TOMBSTONE_TYPE) entry.tombstone = ordinal;
    else entry.ordinals.push(ordinal);
  }

  /** Records that a scavenge dropped the events of a stream before a revision. Throws RevisionGap. */
  startStream(stream: string, revision: number): void {
    this.#expect(this.#streams.get(stream) ?? this.#newStream(stream), revision);
  }

  #expect(entry: StreamEntry, revision: number): void {
    if (entry.ordinals.length === 0) entry.first = revision;
    else if (revision !== entry.first + entry.ordinals.length) {
      throw new RevisionGap(`the event ${revision} of ${entry.name} follows the event ${this.head(entry)}`);
    }
  }

  /**
   * Drops visible events, which are the first stored ones of their streams. They keep their ordinals, which readers skip, and
   * their positions.
   */
  drop(ordinals: readonly number[]): void {
    const counts = new Map<number, number>();
    const bytes = (this.#count >>> 3) + 1;
    if (this.#dropped.length < bytes) {
      const grown = new Uint8Array(bytes);
      grown.set(this.#dropped);
      this.#dropped = grown;
    }
    for (const ordinal of ordinals) {
      this.#dropped[ordinal >>> 3] = (this.#dropped[ordinal >>> 3] ?? 0) | (1 << (ordinal & 7));
      const number = this.streamNumber(ordinal);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    for (const [number, count] of counts) {
      const entry = this.entry(number);
      entry.ordinals.splice(0, count);
      entry.first += count;
    }
  }

  /** Whether a scavenge dropped the event since the store was opened. */
  isDropped(ordinal: number): boolean {
    return (((this.#dropped[ordinal >>> 3] ?? 0) >>> (ordinal & 7)) & 1) === 1;
  }

  /** Makes all added events visible to readers and calls the waiting callbacks. */
  publish(): void {
    this.#visible = this.#count;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of woken) wake();
  }

  /** Discards everything added since the last publication. */
  discard(): void {
    while (this.#count > this.#visible) {
      this.#count -= 1;
      const entry = this.#streams.get(this.streamName(this.streamNumber(this.#count)));
      if (entry?.tombstone === this.#count) entry.tombstone = undefined;
      else entry?.ordinals.pop();
    }
  }

  /** Calls `wake` once, at the next publication; the returned function cancels it. */
  onNext(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  position(ordinal: number): number {
    return this.#positions.get(ordinal);
  }

  streamNumber(ordinal: number): number {
    return this.#streamOf.get(ordinal);
  }

  typeNumber(ordinal: number): number {
    return this.#typeOf.get(ordinal);
  }

  streamName(number: number): string {
    return this.#entries[number]?.name ?? '';
  }

  typeName(number: number): string {
    return this.#typeNames[number] ?? '';
  }

  /** The first ordinal whose event is at or after `position`. */
  ordinalAt(position: number): number {
    let low = 0;
    let high = this.#visible;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#positions.get(middle) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A stream's last revision, that of the unfinished group included; -1 for a stream without events. */
  head({ first, ordinals }: StreamEntry): number {
    return first + ordinals.length - 1;
  }

  /** A stream's last revision that readers may see; -1 if there is none. */
  visibleHead({ first, ordinals }: StreamEntry): number {
    let count = ordinals.length;
    while (count > 0 && (ordinals[count - 1] ?? 0) >= this.#visible) count -= 1;
    return first + count - 1;
  }

  /** The ordinal of the event at a revision; undefined if it is not stored. */
  ordinalOf({ first, ordinals }: StreamEntry, revision: number): number | undefined {
    return ordinals[revision - first];
  }

  isTombstoned(entry: StreamEntry | undefined): boolean {
    return entry?.tombstone !== undefined && entry.tombstone < this.#visible;
  }

  #newStream(name: string): StreamEntry {
    const entry: StreamEntry = { number: this.#entries.length, name, ordinals: [], first: 0, tombstone: undefined };
    this.#streams.set(name, entry);
    this.#entries.push(entry);
    return entry;
  }

  #typeNumber(name: string): number {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    this.#types.set(name, this.#typeNames.length);
    return this.#typeNames.push(name) - 1;
  }
}
