/**
 * Counts distinct values in bounded memory: exactly up to a limit, and by a sample of their hashes beyond the limit.
 */

const FIRST_CAPACITY = 64;
const LOAD_MAX = 0.75;

/** The two halves of a hash of 64 bits. */
export interface Hash {
  high: number;
  low: number;
}

/** Hashes a text into `hash`, without an object per call (cyrb53 by bryc, public domain). */
export function hashText(text: string, hash: Hash): Hash {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  hash.high = high >>> 0;
  hash.low = low >>> 0;
  return hash;
}

/**
 * A set of hashes. Each time the set exceeds its limit, only hashes with one more zero bit at the end remain. A
 * remaining hash then represents twice as many values.
 */
export class DistinctValues {
  readonly #limit: number;
  #hashes = new Uint32Array(2 * FIRST_CAPACITY);
  #size = 0;
  /** The number of zero bits at the end of each kept hash. */
  #zeros = 0;
  /** The number of values that equal an earlier value. */
  #repeated = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of distinct values; an estimate beyond the limit. */
  get count(): number {
    return this.#size * 2 ** this.#zeros;
  }

  /** The number of values that equal an earlier value; an estimate beyond the limit. */
  get repeated(): number {
    return this.#repeated;
  }

  add({ high, low }: Hash): void {
    if (this.#zeros > 0 && low % 2 ** this.#zeros !== 0) return;
    if (!this.#insert(high, low)) {
      this.#repeated += 2 ** this.#zeros;
      return;
    }
    if (this.#size > this.#limit) {
      this.#zeros += 1;
      this.#rebuild(this.#hashes.length);
    } else if (this.#size > (this.#hashes.length / 2) * LOAD_MAX) this.#rebuild(2 * this.#hashes.length);
  }

  /** Adds a hash; returns false if the set already has it. */
  #insert(high: number, low: number): boolean {
    const hashes = this.#hashes;
    const mask = hashes.length / 2 - 1;
    // Two zeros mark a free slot, so the hash 0 is stored with 1 as its high half.
    const stored = high === 0 && low === 0 ? 1 : high;
    let slot = (stored ^ (low >>> 7)) & mask;
    for (;;) {
      const [first, second] = [hashes[2 * slot], hashes[2 * slot + 1]];
      if (first === 0 && second === 0) break;
      if (first === stored && second === low) return false;
      slot = (slot + 1) & mask;
    }
    hashes[2 * slot] = stored;
    hashes[2 * slot + 1] = low;
    this.#size += 1;
    return true;
  }

  #rebuild(length: number): void {
    const oldHashes = this.#hashes;
    this.#hashes = new Uint32Array(length);
    this.#size = 0;
    const step = 2 ** this.#zeros;
    for (let index = 0; index < oldHashes.length; index += 2) {
      const [high, low] = [oldHashes[index] as number, oldHashes[index + 1] as number];
      if ((high !== 0 || low !== 0) && low % step === 0) this.#insert(high, low);
    }
  }
}
