/** Stores the shared texts of a workbook as UTF-8 in buffers outside the garbage collector's heap. */
import { Refusal } from '@rdm/contracts';

const BLOCK_BYTES = 1024 * 1024;
const BYTES_MAX = 128 * 1024 * 1024;
const STRINGS_MAX = 4_000_000;
const INITIAL_CAPACITY = 1_024;
/** The bit that marks the length of a text that is not ASCII or has a NUL. */
const UNCLEAN = 0x8000_0000;

export interface ByteText {
  /** A string of UTF-8 bytes, with one character for each byte. */
  bytes: string;
  /** Whether the text is ASCII without NUL. */
  isClean: boolean;
}

const EMPTY: ByteText = { bytes: '', isClean: true };

export class SharedStrings {
  readonly #blocks: Buffer[] = [];
  #free = 0;
  #total = 0;
  #count = 0;
  /** Three numbers per text: its block, its offset in the block, and its length. */
  #places = new Uint32Array(3 * INITIAL_CAPACITY);

  add(text: string): void {
    if (this.#count >= STRINGS_MAX) {
      throw new Refusal('TOO_LARGE', `The workbook has more than ${STRINGS_MAX.toLocaleString('en')} texts.`);
    }
    const length = Buffer.byteLength(text);
    this.#total += length;
    if (this.#total > BYTES_MAX) {
      throw new Refusal('TOO_LARGE', 'The texts of the workbook unpack to more than 128 MiB.');
    }
    if (length > this.#free || this.#blocks.length === 0) {
      this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, length)));
      this.#free = Math.max(BLOCK_BYTES, length);
    }
    const block = this.#blocks.at(-1) as Buffer;
    const at = block.length - this.#free;
    block.write(text, at);
    this.#free -= length;
    const place = 3 * this.#count;
    if (place >= this.#places.length) {
      const grown = new Uint32Array(2 * this.#places.length);
      grown.set(this.#places);
      this.#places = grown;
    }
    this.#places[place] = this.#blocks.length - 1;
    this.#places[place + 1] = at;
    this.#places[place + 2] = (length | (NOT_CLEAN.test(text) ? UNCLEAN : 0)) >>> 0;
    this.#count += 1;
  }

  /** Returns the text with this index; undefined if the workbook has fewer texts. */
  get(index: number): ByteText | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    const place = 3 * index;
    const marked = this.#places[place + 2] as number;
    const length = marked & ~UNCLEAN;
    if (length === 0) return EMPTY;
    const at = this.#places[place + 1] as number;
    const bytes = (this.#blocks[this.#places[place] as number] as Buffer).toString('latin1', at, at + length);
    return { bytes, isClean: marked === length };
  }
}

const ESCAPED = /_x([0-9a-fA-F]{4})_/g;

/** Decodes escapes such as _x000D_, which workbooks use for characters that XML cannot contain. */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

const NOT_CLEAN = /[^\p{ASCII}]|\0/u;

/** A text as its UTF-8 bytes. */
export const byteText = (text: string): ByteText =>
  NOT_CLEAN.test(text)
    ? { bytes: Buffer.from(text, 'utf8').toString('latin1'), isClean: false }
    : { bytes: text, isClean: true };
