/** Encodings of uploaded files: told from their bytes, and brought to UTF-8 without hiding what is wrong with them. */
import { isAscii, isUtf8 } from 'node:buffer';

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The encoding a byte order mark names, and how many bytes it takes. */
export function byteOrderMark(head: Buffer): { encoding: Encoding; length: number } | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return undefined;
}

/** Lines longer than this are judged in parts. */
const LINE_BYTES_MAX = 64 * 1024;
const NEWLINE = 10;

/** Counts, over a whole file, how many of its lines are UTF-8. */
export class LineCensus {
  #rest: Buffer = Buffer.alloc(0);
  lines = 0;
  /** Lines with characters beyond ASCII, as UTF-8. */
  utf8 = 0;
  /** Lines that are not UTF-8. */
  other = 0;

  push(chunk: Buffer): void {
    const text = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = text.lastIndexOf(NEWLINE) + 1;
    this.#count(text.subarray(0, end));
    const rest = text.subarray(end);
    if (rest.length > LINE_BYTES_MAX) this.#count(rest);
    this.#rest = rest.length > LINE_BYTES_MAX ? Buffer.alloc(0) : Buffer.from(rest);
  }

  end(): void {
    this.#count(this.#rest);
    this.#rest = Buffer.alloc(0);
  }

  /**
   * UTF-8 with stray bytes stays UTF-8, and those rows fail: only a file whose foreign lines are many, and more than
   * those in UTF-8, is taken for Windows-1252.
   */
  encoding(): Encoding {
    const many = this.other > this.lines / 2 || (this.other >= 3 && this.other >= this.lines / 50);
    return many && this.other > this.utf8 ? 'windows-1252' : 'utf-8';
  }

  #count(text: Buffer): void {
    if (text.length === 0) return;
    const ascii = isAscii(text);
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf(NEWLINE, from);
      const until = newline < 0 ? text.length : newline;
      this.lines += 1;
      if (!ascii) {
        const line = text.subarray(from, until);
        if (!isAscii(line)) isUtf8(line) ? this.utf8++ : this.other++;
      }
      from = until + 1;
    }
  }
}

/** Brings the bytes of a file to UTF-8, piece by piece; what is not of its encoding stays not UTF-8, so that its row fails. */
export function utf8Transcoder(encoding: Encoding): (piece: Buffer, last?: boolean) => Buffer {
  let first = true;
  let odd: Buffer = Buffer.alloc(0);
  return (given, last = false) => {
    let piece = given;
    if (first) {
      first = false;
      const mark = byteOrderMark(piece);
      if (mark?.encoding === encoding) piece = piece.subarray(mark.length);
    }
    if (encoding === 'utf-8') return piece;
    if (encoding === 'windows-1252') return isAscii(piece) ? piece : toUtf8(fromWindows1252(piece));
    const whole = Buffer.concat([odd, piece]);
    // Whole units only, and never half of a surrogate pair.
    let length = whole.length - (whole.length % 2);
    const high = encoding === 'utf-16le' ? whole[length - 1] : whole[length - 2];
    if (high !== undefined && high >= 0xd8 && high <= 0xdb) length -= 2;
    odd = Buffer.from(whole.subarray(length));
    const units = Buffer.from(whole.subarray(0, length));
    const text = toUtf8((encoding === 'utf-16be' ? units.swap16() : units).toString('utf16le'));
    return last && odd.length > 0 ? Buffer.concat([text, NO_UTF8]) : text;
  };
}

/** Characters of the bytes 0x80 to 0x9f, where Windows-1252 and Latin-1 differ; `?` where it has none. */
const WINDOWS_1252 = '€?‚ƒ„…†‡ˆ‰Š‹Œ?Ž??‘’“”•–—˜™š›œ?žŸ';

/** Node reads Windows-1252 as Latin-1: these characters are put right here. What it has not becomes a lone surrogate. */
function fromWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (byte) => {
    const character = WINDOWS_1252[byte.charCodeAt(0) - 0x80] as string;
    return character === '?' ? '\ud800' : character;
  });
}

/** A byte that no UTF-8 has. */
const NO_UTF8 = Buffer.from([0xff]);

/** A lone surrogate becomes that byte. */
function toUtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts = text.split(/\p{Surrogate}/u).flatMap((part) => [NO_UTF8, Buffer.from(part, 'utf8')]);
  return Buffer.concat(parts.slice(1));
}

const NON_ASCII = /[\x80-\xff]/;

/** Text of UTF-8 bytes that were read one character a byte, or undefined when they are none. */
export function decodeUtf8(bytes: string): string | undefined {
  if (!NON_ASCII.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined;
}

/** Such bytes as they can safely be shown: what is not UTF-8, and control characters, as `\xNN`. */
export function showBytes(bytes: string): string {
  const text = decodeUtf8(bytes);
  const unsafe = text === undefined ? /[^\t\n\r\x20-\x7e]/g : /[^\P{Cc}\t\n\r]/gu;
  const escaped = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return (text ?? bytes).replace(unsafe, escaped);
}
