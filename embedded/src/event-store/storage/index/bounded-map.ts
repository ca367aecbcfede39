/** A cache that keeps the most recently used entries. */

/**
 * Keeps two generations of entries. When the weight of the newer one reaches `limit`, the older one is removed, so the
 * total weight is at most about twice `limit`.
 */
export class BoundedMap<Value> {
  readonly #limit: number;
  readonly #weightOf: (value: Value) => number;
  #newer = new Map<string, Value>();
  #older = new Map<string, Value>();
  #weight = 0;

  constructor(limit: number, weightOf: (value: Value) => number = () => 1) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  get(key: string): Value | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    this.#newer.set(key, value);
    this.addWeight(this.#weightOf(value));
  }

  /** Adds weight for an entry that has grown. */
  addWeight(added: number): void {
    this.#weight += added;
    if (this.#weight < this.#limit) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#weight = 0;
  }

  clear(): void {
    this.#newer.clear();
    this.#older.clear();
    this.#weight = 0;
  }
}
