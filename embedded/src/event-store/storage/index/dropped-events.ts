/** Records the events of a segment that were dropped by scavenges since the store was opened. */

/** A set of numbers. */
export class Bitmap {
  words = new Uint32Array(0);
  size = 0;

  add(number: number): void {
    if (this.has(number)) return;
    const word = number >>> 5;
    if (word >= this.words.length) {
      const grown = new Uint32Array(Math.max(word + 1, this.words.length * 2));
      grown.set(this.words);
      this.words = grown;
    }
    this.words[word] = (this.words[word] ?? 0) | (1 << (number & 31));
    this.size += 1;
  }

  has(number: number): boolean {
    return (((this.words[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
  }
}

/**
 * Converts between former and current numbers of the events of a segment. While the store is open, reads use former
 * numbers, which a scavenge does not change. The index of a scavenged segment has current numbers, which count only the
 * remaining events.
 */
export class DroppedEvents {
  /** The number of events before the scavenges. */
  readonly length: number;
  readonly #dropped: Bitmap;
  /** For each word of the bitmap, the number of remaining events before it. */
  readonly #remainingBefore: Uint32Array;

  constructor(dropped: Bitmap, length: number) {
    this.length = length;
    this.#dropped = dropped;
    this.#remainingBefore = new Uint32Array((length >>> 5) + 1);
    for (let word = 0; word < length >>> 5; word += 1) {
      this.#remainingBefore[word + 1] = (this.#remainingBefore[word] ?? 0) + 32 - bitCount(dropped.words[word] ?? 0);
    }
  }

  has(number: number): boolean {
    return this.#dropped.has(number);
  }

  /** Converts a former number to the current number, which is the number of remaining events before the event. */
  remainingBefore(number: number): number {
    const word = number >>> 5;
    const bits = ~(this.#dropped.words[word] ?? 0) & ((1 << (number & 31)) - 1);
    return (this.#remainingBefore[word] ?? 0) + bitCount(bits);
  }

  /** Converts a current number to the former number. Returns `length` for a number after the last event. */
  formerNumber(currentNumber: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.remainingBefore(middle + 1) <= currentNumber) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
