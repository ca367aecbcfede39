/** Whether a key may stand twice in a file, by a number a key: keys themselves are compared only where two have the same. */
import { hashKey } from '@rdm/contracts';

const SLOTS_MIN = 2 ** 14;
/** 32 MiB: of larger files every key counts as one that may be repeated. */
const SLOTS_MAX = 2 ** 22;

export class SeenKeys {
  /** Open addressing; 0 is an empty slot. */
  #slots = new Float64Array(SLOTS_MIN);
  #size = 0;

  /** Remembers the key, and answers whether it was seen before: never wrong when it says no. */
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
      const there = this.#slots[at];
      if (there === number) return false;
      if (there === 0) {
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

/** 53 bits, never 0: two of a million keys share one in one file out of ten thousand. */
function numberOf(key: string): number {
  let other = 0;
  for (let index = 0; index < key.length; index++) other = Math.imul(other, 31) + key.charCodeAt(index);
  return (other & 0x1fffff) * 2 ** 32 + hashKey(key) + 1;
}
