/** A growing UTF-8 buffer outside the garbage collector's heap. */

const FIRST_BYTES = 16 * 1024;
/** The maximum number of UTF-8 bytes of one UTF-16 unit. */
const UNIT_BYTES_MAX = 3;

export class GrowingText {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** Adds a text; returns its length in bytes. */
  add(text: string): number {
    const neededBytes = this.#length + text.length * UNIT_BYTES_MAX;
    if (neededBytes > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    const added = this.#bytes.write(text, this.#length);
    this.#length += added;
    return added;
  }

  /** The bytes added since the last `clear`, valid until the next `clear`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    // Release the memory of a very large row.
    if (this.#bytes.length > 64 * FIRST_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }
}
