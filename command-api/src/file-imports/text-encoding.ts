/** Detects the encoding of files, and converts files to UTF-8 and back, invalid bytes included. */
import { isAscii, isUtf8 } from 'node:buffer';
import { REASON_COLUMN } from '@rdm/contracts';
import { type Encoding, WINDOWS_1252, windows1252Byte } from '@rdm/platform';

/** The encoding that a byte order mark shows, and the length of the mark in bytes. */
export function byteOrderMark(head: Buffer): { encoding: Encoding; length: number } | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return undefined;
}

/** Longer lines are counted in parts. */
const LINE_BYTES_MAX = 64 * 1024;
const NEWLINE = 10;

/** Counts the lines of a file that are valid and invalid UTF-8, to detect its encoding. */
export class LineCounter {
  #rest: Buffer = Buffer.alloc(0);
  /** Whether the file is a download of rejected rows, which begins with the reason column. */
  #isRejectedRowsFile: boolean | undefined;
  lines = 0;
  /** Lines with non-ASCII characters that are valid UTF-8. */
  utf8 = 0;
  /** Lines that are not valid UTF-8. */
  other = 0;

  push(chunk: Buffer): void {
    const text = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (text.length >= REASON_COLUMN.length)
      this.#isRejectedRowsFile ??= text.toString('latin1').startsWith(REASON_COLUMN);
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
   * A file with a few invalid lines is UTF-8, and the rows with these lines fail. Without valid non-ASCII lines, two
   * invalid lines make a file Windows-1252. In a file of rejected rows one invalid line is enough, because the product
   * writes such files in UTF-8 with a byte order mark or in Windows-1252.
   */
  encoding(): Encoding {
    if (this.#isRejectedRowsFile) return this.other > 0 ? 'windows-1252' : 'utf-8';
    if (this.utf8 === 0 && this.other >= 2) return 'windows-1252';
    const hasManyInvalidLines = this.other > this.lines / 2 || (this.other >= 3 && this.other >= this.lines / 50);
    return hasManyInvalidLines && this.other > this.utf8 ? 'windows-1252' : 'utf-8';
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

/** The encoding of a whole text. */
export function encodingOf(content: Buffer): Encoding {
  const lineCounter = new LineCounter();
  lineCounter.push(content);
  lineCounter.end();
  return byteOrderMark(content)?.encoding ?? lineCounter.encoding();
}

/**
 * Returns a function that converts a file to UTF-8, piece by piece, without its byte order mark. Invalid bytes become
 * invalid UTF-8, so that their row fails and `restoreBytes` can restore the bytes.
 */
export function utf8Transcoder(encoding: Encoding): (piece: Buffer, last?: boolean) => Buffer {
  let isFirst = true;
  let incomplete: Buffer = Buffer.alloc(0);
  return (input, last = false) => {
    let piece = input;
    if (isFirst) {
      isFirst = false;
      const mark = byteOrderMark(piece);
      if (mark?.encoding === encoding) piece = piece.subarray(mark.length);
    }
    if (encoding === 'utf-8') return piece;
    if (encoding === 'windows-1252') return isAscii(piece) ? piece : toUtf8(fromWindows1252(piece));
    const whole = Buffer.concat([incomplete, piece]);
    // Convert whole units only, and never half of a surrogate pair.
    let length = whole.length - (whole.length % 2);
    const high = encoding === 'utf-16le' ? whole[length - 1] : whole[length - 2];
    if (!last && high !== undefined && high >= 0xd8 && high <= 0xdb) length -= 2;
    incomplete = Buffer.from(whole.subarray(length));
    const units = Buffer.from(whole.subarray(0, length));
    const text = toUtf8((encoding === 'utf-16be' ? units.swap16() : units).toString('utf16le'), false);
    return last && incomplete.length > 0 ? Buffer.concat([text, halfUnit(incomplete[0] as number)]) : text;
  };
}

/**
 * Decodes the bytes as Latin-1 and corrects 0x80 to 0x9f, which differ in Windows-1252. Bytes that Windows-1252 does
 * not define become escapes.
 */
function fromWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (byte) => {
    const code = byte.charCodeAt(0);
    const character = WINDOWS_1252[code - 0x80] as string;
    return character === '?' ? escapeOf(code) : character;
  });
}

/** Encodes a non-UTF-8 byte in a text as a lone surrogate, which no real character uses. */
const escapeOf = (byte: number): string => String.fromCharCode(0xdc00 + byte);
const ESCAPE = /[\udc80-\udcff]/;

/** Encodes the last byte of a UTF-16 file with an odd number of bytes as bytes that are invalid in UTF-8. */
const halfUnit = (byte: number): Buffer => Buffer.from([0xff, 0x80 | (byte >> 4), 0x80 | (byte & 15)]);

/**
 * Encodes a text as UTF-8. If `hasEscapes`, an escape becomes the escaped byte. Any other lone surrogate becomes three
 * bytes.
 */
function toUtf8(text: string, hasEscapes = true): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  return Buffer.concat(
    text.split(/(\p{Surrogate})/u).map((part, index) => {
      if (index % 2 === 0) return Buffer.from(part, 'utf8');
      const unit = part.charCodeAt(0);
      if (hasEscapes && ESCAPE.test(part)) return Buffer.from([unit - 0xdc00]);
      return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63)]);
    }),
  );
}

/** Decodes bytes to a text, escaping each byte that is not UTF-8. */
function withEscapes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const character = bytes.subarray(at, at + length);
    const isCharacter = character.length === length && isUtf8(character);
    text += isCharacter ? character.toString('utf8') : escapeOf(lead);
    at += isCharacter ? length : 1;
  }
  return text;
}

/**
 * Converts a part of a file back to the encoding of the file, invalid bytes included. `bytes` has one character for
 * each UTF-8 byte; `change` changes the decoded text.
 */
export function restoreBytes(
  bytes: string,
  encoding: Encoding,
  change: (text: string) => string = (text) => text,
): Buffer {
  const text = change(withEscapes(Buffer.from(bytes, 'latin1')));
  if (encoding === 'utf-8') return toUtf8(text);
  if (encoding === 'windows-1252') {
    return Buffer.from(
      Array.from({ length: text.length }, (_, at) => {
        const character = text[at] as string;
        return windows1252Byte(character) ?? character.charCodeAt(0) & 0xff;
      }),
    );
  }
  const encodeUnits = (part: string) => {
    const units = Buffer.from(part, 'utf16le');
    return encoding === 'utf-16be' ? units.swap16() : units;
  };
  // Three escaped bytes are half a unit if the first is 0xff (`halfUnit`), and a lone surrogate otherwise (`toUtf8`).
  const parts = text.split(/([\udc80-\udcff]{3})/).map((part, index) => {
    if (index % 2 === 0) return encodeUnits(part);
    const [lead = 0, high = 0, low = 0] = [...part].map((each) => each.charCodeAt(0) - 0xdc00);
    if (lead === 0xff) return Buffer.from([((high & 15) << 4) | (low & 15)]);
    return encodeUnits(String.fromCharCode(((lead & 15) << 12) | ((high & 63) << 6) | (low & 63)));
  });
  return Buffer.concat(parts);
}

const NON_ASCII = /[\x80-\xff]/;

/** Decodes a string with one character for each UTF-8 byte; undefined if the bytes are invalid. */
export function decodeUtf8(bytes: string): string | undefined {
  if (!NON_ASCII.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined;
}

/**
 * Decodes a string with one character for each UTF-8 byte to a text that PostgreSQL can store: a text with invalid
 * bytes or NUL is formatted by `showBytes`.
 */
export function storableText(bytes: string): string {
  const text = decodeUtf8(bytes);
  return text === undefined || text.includes('\0') ? showBytes(bytes) : text;
}

/**
 * Formats a string with one character for each UTF-8 byte for display. Control characters other than tabs and line
 * breaks become `\xNN`. If the string is not valid UTF-8, all bytes that are not ASCII become `\xNN` too.
 */
export function showBytes(bytes: string): string {
  const text = decodeUtf8(bytes);
  const unsafe = text === undefined ? /[^\t\n\r\x20-\x7e]/g : /[^\P{Cc}\t\n\r]/gu;
  const escapeCharacter = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return (text ?? bytes).replace(unsafe, escapeCharacter);
}
