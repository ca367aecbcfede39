/** Detects keys that may occur twice in a file, by one hash per key. `repeatedLines` then compares the keys exactly. */
import { hashKey } from '@rdm/contracts';

const SLOTS_MIN = 2 ** 14;
/** 32 MiB. When the table cannot grow further, every new key counts as a possible duplicate. */
const SLOTS_MAX = 2 ** 22;

export class DuplicateKeyDetector {
  /** A hash table with open addressing; 0 is an empty slot. */
  #slots = new Float64Array(SLOTS_MIN);
  #size = 0;

  /** Adds a key. Returns false only if the key is new. */
  add(key: string): boolean {
    if (this.#size * 2 > this.#slots.length) {
      if (this.#slots.length === SLOTS_MAX) return true;
      this.#grow();
    }
    const isNew = this.#put(numberOf(key));
    if (isNew) this.#size += 1;
    return !isNew;
  }

  #put(number: number): boolean {
    const mask = this.#slots.length - 1;
    for (let at = number & mask; ; at = (at + 1) & mask) {
      const slot = this.#slots[at];
      if (slot === number) return false;
      if (slot === 0) {
        this.#slots[at] = number;
        return true;
      }
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const number of before) if (number !== 0) this.#put(number);
  }
}

/** A hash of 53 bits, never 0. One of about 18,000 files with a million keys has two keys with the same hash. */
function numberOf(key: string): number {
  let high = 0;
  for (let index = 0; index < key.length; index++) high = Math.imul(high, 31) + key.charCodeAt(index);
  return (high & 0x1fffff) * 2 ** 32 + hashKey(key) + 1;
}
