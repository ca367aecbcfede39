/**
 * Keeps the rows of an import as bytes of the log. The rows are parsed only when the property `rows` is read. With rows
 * that are always parsed, imports would exceed the time and memory limits of tests/bench/import.ts
 * (docs/decisions/0037).
 */
import { isUtf8 } from 'node:buffer';

export interface WrittenRows {
  /** The data as JSON. The rows have the notation of JSON.stringify, and no \u escapes. */
  bytes: Buffer;
  /** The range of the rows in the bytes, brackets included. */
  from: number;
  to: number;
  ids: readonly number[];
  /** The positions of the rows in the bytes. */
  starts: readonly number[];
}

const written = new WeakMap<object, WrittenRows>();

/** Returns the rows of an event's data as bytes; undefined if the bytes are not known. */
export const writtenRows = (data: unknown): WrittenRows | undefined => written.get(data as object);

const ROWS = Buffer.from(',"rows":[');
const [QUOTE, BACKSLASH, COMMA, MINUS, POINT, ZERO, NINE] = Array.from('"\\,-.09', (each) => each.charCodeAt(0));
const [OPEN, CLOSE, END] = Array.from('[]}', (each) => each.charCodeAt(0));
const ESCAPED = new Set(Buffer.from('"\\bfnrt'));
const WORDS = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')] as const;
/** Numbers of at most this many digits are parsed without loss, and JSON.stringify writes the same digits again. */
const DIGITS_MAX = 15;
/**
 * JSON.stringify writes a number between -1 and 1 with an exponent if more than this many zeros directly follow the
 * decimal point.
 */
const LEADING_ZEROS_MAX = 5;

/**
 * Returns the data of `InstancesImported` with unparsed rows; undefined if the bytes have another form. Adds the ids of
 * the rows as `ids`, which is not enumerable, because this property is not part of the data.
 */
export function withUnparsedRows(bytes: Buffer): object | undefined {
  const begin = bytes.indexOf(ROWS);
  if (begin < 0) return undefined;
  const from = begin + ROWS.length - 1;
  const ids: number[] = [];
  const starts: number[] = [];
  const to = endOfRows(bytes, from, ids, starts);
  if (to !== bytes.length - 1 || bytes[to] !== END || !isUtf8(bytes)) return undefined;
  const data = JSON.parse(`${bytes.toString('utf8', 0, begin)}}`) as object;
  let rows: unknown;
  Object.defineProperties(data, {
    rows: {
      enumerable: true,
      get() {
        rows ??= JSON.parse(bytes.toString('utf8', from, to));
        return rows;
      },
    },
    ids: { value: ids },
  });
  written.set(data, { bytes, from, to, ids, starts });
  return data;
}

/** Returns the position after the array of rows, or -1 if the text does not have the expected form. */
function endOfRows(bytes: Buffer, from: number, ids: number[], starts: number[]): number {
  for (let at = from + 1; ; at += 1) {
    if (bytes[at] !== OPEN) return -1;
    let end = at + 1;
    let id = 0;
    for (let digit = bytes[end] as number; isDigit(digit); digit = bytes[++end] as number) id = id * 10 + digit - 48;
    if (end === at + 1 || end - at - 1 > DIGITS_MAX || (bytes[at + 1] === ZERO && end > at + 2)) return -1;
    ids.push(id);
    starts.push(at);
    while (bytes[end] === COMMA) {
      end = endOfCell(bytes, end + 1);
      if (end < 0) return -1;
    }
    if (bytes[end] !== CLOSE) return -1;
    at = end + 1;
    if (bytes[at] === CLOSE) return at + 1;
    if (bytes[at] !== COMMA) return -1;
  }
}

const isDigit = (byte: number): boolean => byte >= (ZERO as number) && byte <= (NINE as number);

/** Returns the position after the cell that begins at `from`, or -1 if the cell does not have the expected form. */
export function endOfCell(bytes: Buffer, from: number): number {
  const first = bytes[from] as number;
  if (first === QUOTE) {
    for (let at = from + 1; ; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) {
        at += 1;
        if (!ESCAPED.has(bytes[at] as number)) return -1;
      } else if (byte === undefined || byte < 0x20) return -1;
    }
  }
  const word = WORDS.find((each) => each[0] === first);
  if (word !== undefined) {
    for (let index = 1; index < word.length; index++) if (bytes[from + index] !== word[index]) return -1;
    return from + word.length;
  }
  return endOfNumber(bytes, from);
}

/** Returns the position after a number; -1 if there is none, or if JSON.stringify might write it with other bytes. */
function endOfNumber(bytes: Buffer, from: number): number {
  const begin = bytes[from] === MINUS ? from + 1 : from;
  let at = begin;
  while (isDigit(bytes[at] as number)) at++;
  const whole = at - begin;
  if (whole === 0 || (bytes[begin] === ZERO && whole > 1)) return -1;
  if (bytes[at] !== POINT) return whole > DIGITS_MAX || (bytes[from] === MINUS && bytes[begin] === ZERO) ? -1 : at;
  const point = at++;
  while (bytes[at] === ZERO) at++;
  if (at - point - 1 > LEADING_ZEROS_MAX) return -1;
  while (isDigit(bytes[at] as number)) at++;
  const decimals = at - point - 1;
  return decimals === 0 || bytes[at - 1] === ZERO || whole + decimals > DIGITS_MAX ? -1 : at;
}
