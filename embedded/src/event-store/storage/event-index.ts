/** In-memory index of all events: position, stream and type. */

/** The events of a stream, oldest first, as ordinals in the whole log; a revision is an index into them. */
export interface StreamEntry {
  readonly number: number;
  readonly name: string;
  readonly ordinals: number[];
  /** The ordinal of the tombstone, if there is one. */
  tombstone: number | undefined;
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
 * cannot be written for lack of space its events are discarded.
 */
export class EventIndex {
  readonly #positions = new Column((length) => new Float64Array(length));
  readonly #streamOf = new Column((length) => new Uint32Array(length));
  readonly #typeOf = new Column((length) => new Uint32Array(length));
  readonly #streams = new Map<string, StreamEntry>();
  readonly #streamNames: string[] = [];
  readonly #types = new Map<string, number>();
  readonly #typeNames: string[] = [];
  readonly #waiting = new Set<() => void>();
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

  add(position: number, stream: string, type: string): void {
    const entry = this.#streams.get(stream) ?? this.#newStream(stream);
    const ordinal = this.#count++;
    this.#positions.set(ordinal, position);
    this.#streamOf.set(ordinal, entry.number);
    this.#typeOf.set(ordinal, this.#typeNumber(type));
    if (type === TOMBSTONE_TYPE) entry.tombstone = ordinal;
    else entry.ordinals.push(ordinal);
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
    return this.#streamNames[number] ?? '';
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

  /** A stream's last revision that readers may see; -1 if there is none. */
  visibleHead(entry: StreamEntry): number {
    let head = entry.ordinals.length - 1;
    while (head >= 0 && (entry.ordinals[head] ?? 0) >= this.#visible) head -= 1;
    return head;
  }

  isTombstoned(entry: StreamEntry | undefined): boolean {
    return entry?.tombstone !== undefined && entry.tombstone < this.#visible;
  }

  #newStream(name: string): StreamEntry {
    const entry: StreamEntry = { number: this.#streamNames.length, name, ordinals: [], tombstone: undefined };
    this.#streams.set(name, entry);
    this.#streamNames.push(name);
    return entry;
  }

  #typeNumber(name: string): number {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    this.#types.set(name, this.#typeNames.length);
    return this.#typeNames.push(name) - 1;
  }
}
