/** Text that grows as UTF-8 in one place: what waits there is nothing the garbage collector has to walk or to move. */

const FIRST_BYTES = 16 * 1024;
/** The most a UTF-16 unit takes. */
const UNIT_BYTES_MAX = 3;

export class GrowingText {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** Answers how many bytes it added. */
  add(text: string): number {
    const most = this.#length + text.length * UNIT_BYTES_MAX;
    if (most > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(most, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    const added = this.#bytes.write(text, this.#length);
    this.#length += added;
    return added;
  }

  /** What was added so far; not to be kept beyond `clear`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    // One huge row must not be paid for until the end.
    if (this.#bytes.length > 64 * FIRST_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }
}
