/** Rows of data sets and crosswalks: typed cells, canonical keys, buckets and ids. */
import { z } from 'zod';
import { BUCKETS } from '../constants.ts';
import { defineView } from '../define-view.ts';
import { normaliseText } from './text.ts';

/** The maximum number of fields of a key. */
export const KEY_FIELDS_MAX = 20;

export const DATA_TYPES = ['string', 'number', 'boolean', 'date'] as const;
export type DataType = (typeof DATA_TYPES)[number];

/** A cell. A date is a string `YYYY-MM-DD`; a number is finite. */
export const CellValue = defineView(() => z.union([z.string(), z.number(), z.boolean()]).nullable());
export type CellValue = z.infer<typeof CellValue>;

/** Printable ASCII without double quotes and backslashes: the same in JSON, NFC and the text format of COPY. */
const PLAIN = /^[ !#-[\]-~]*$/;
export const isPlainText = (value: CellValue): value is string => typeof value === 'string' && PLAIN.test(value);

/** The canonical form of a key: a JSON array of its typed parts, with strings in NFC. */
export function canonicalKey(parts: readonly CellValue[]): string {
  const [part = null] = parts;
  if (parts.length === 1 && isPlainText(part)) return `["${part}"]`;
  return JSON.stringify(parts.map((part) => (typeof part === 'string' ? normaliseText(part) : part)));
}

/** The displayed key: its parts, with a separator that is unlikely in a code. */
export function displayKey(parts: readonly CellValue[]): string {
  return parts.map((part) => (part === null ? '' : String(part))).join(' · ');
}

/**
 * FNV-1a over UTF-16 code units with a final mix, so that the low bits are spread evenly. This function must never
 * change, because stored row ids contain buckets that it determined.
 */
export function hashKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return hash >>> 0;
}

export const bucketOfKey = (canonical: string): number => hashKey(canonical) % BUCKETS;

/** Makes the id of a row from its bucket and its sequence number. The id determines the bucket. */
export const rowIdIn = (bucket: number, sequence: number): number => sequence * BUCKETS + bucket;

/** Makes the id of a row from its sequence number and its key. */
export const rowId = (sequence: number, canonical: string): number => rowIdIn(bucketOfKey(canonical), sequence);

/** Returns the sequence number in the id of a row. Sorting by this number gives the order of entry. */
export const orderOfEntry = (id: number): number => Math.floor(id / BUCKETS);

export type ParsedCell = { ok: true; value: CellValue } | { ok: false; reason: string; losesDigits?: true };

/**
 * A number with a decimal comma. A comma before exactly three digits does not match, because it may separate thousands.
 */
const DECIMAL_COMMA = /^[+-]?\d+,(?:\d{1,2}|\d{4,})$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const TRUE = new Set(['true', 'yes', '1']);
const FALSE = new Set(['false', 'no', '0']);

/**
 * Returns the boolean of the words that begin with a text; undefined if no word does. The words for true and for
 * false begin with different characters, so a text that is not empty has only one result.
 */
export function booleanByPrefix(text: string): boolean | undefined {
  const begins = (words: ReadonlySet<string>) => [...words].some((word) => word.startsWith(text.toLowerCase()));
  return begins(TRUE) ? true : begins(FALSE) ? false : undefined;
}

/**
 * Whether a text is `YYYY-MM-DD` and an existing day, from the year 1 on, as in PostgreSQL. Creates no Date, to be fast
 * enough for every cell of an import.
 */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  if (year < 1 || day < 1 || day > (DAYS[month - 1] ?? 0)) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month !== 2 || day < 29 || isLeap;
}

/** Every decimal number with at most this many digits keeps all its digits as a JavaScript number. */
const SAFE_DIGITS = 15;
/** The maximum length of a text whose digits are compared. */
const NUMBER_TEXT_MAX = 400;

/** Returns the digits of a decimal number without zeros at both ends, and their power of ten: `12e-1` for "-1.20". */
function decimal(text: string): string {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  return significant === ''
    ? '0'
    : `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/**
 * Whether a number has all digits of its text. Compares the text with the shortest notation of the number or, if
 * `digits` is given, with the notation that has that many digits.
 */
export function keepsDigits(text: string, value: number, digits?: number): boolean {
  if (text.length <= SAFE_DIGITS && !/e/i.test(text)) return true;
  const notation = digits === undefined ? String(value) : value.toPrecision(digits);
  return text.length <= NUMBER_TEXT_MAX && decimal(text) === decimal(notation);
}

/** Parses a text as a cell of a type. An empty text is null. A string is not changed, so it keeps leading zeros. */
export function parseCell(text: string, dataType: DataType): ParsedCell {
  if (text === '') return { ok: true, value: null };
  if (dataType === 'string') return { ok: true, value: text };
  const trimmed = text.trim();
  switch (dataType) {
    case 'number': {
      const value = Number(trimmed);
      if (!NUMBER.test(trimmed) || !Number.isFinite(value)) {
        const remedy = DECIMAL_COMMA.test(trimmed) ? `: write ${trimmed.replace(',', '.')}` : '';
        return { ok: false, reason: `"${text}" is not a number${remedy}` };
      }
      if (keepsDigits(trimmed, value)) return { ok: true, value };
      const reason = `"${text}" has more digits than a number can hold: round it, or make it a string`;
      return { ok: false, reason, losesDigits: true };
    }
    case 'boolean': {
      const word = trimmed.toLowerCase();
      if (TRUE.has(word)) return { ok: true, value: true };
      if (FALSE.has(word)) return { ok: true, value: false };
      return { ok: false, reason: `"${text}" is not a boolean: use true or false` };
    }
    case 'date':
      return isDate(trimmed)
        ? { ok: true, value: trimmed }
        : { ok: false, reason: `"${text}" is not a date: use YYYY-MM-DD` };
  }
}

/**
 * Parses the text of a key into typed cells. The text is the value of the only field, or a JSON array with the values
 * of several fields. Returns a reason on failure; `malformed` if the text is not such an array.
 */
export function keyFromText(
  text: string,
  types: readonly DataType[],
): { cells: CellValue[] } | { reason: string; malformed?: true } {
  let parts: unknown = [text];
  if (types.length > 1) {
    try {
      parts = JSON.parse(text);
    } catch {
      parts = undefined;
    }
    if (!Array.isArray(parts) || parts.length !== types.length) {
      return { reason: `This key has ${types.length} parts: write a JSON array of them`, malformed: true };
    }
  }
  const cells: CellValue[] = [];
  for (const [index, part] of (parts as unknown[]).entries()) {
    const parsed = parseCell(String(part ?? ''), types[index] ?? 'string');
    if (!parsed.ok) return { reason: parsed.reason };
    cells.push(parsed.value);
  }
  return { cells };
}

/**
 * Whether a cell has the type of its field. Queries treat a cell of another type as empty (cells.ts of platform).
 */
export function isOfType(value: unknown, dataType: DataType): boolean {
  switch (dataType) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return typeof value === 'string' && isDate(value);
  }
}

/** Checks a JSON value against the type of a field. Converts only a missing value and an empty text, to null. */
export function checkCell(value: unknown, dataType: DataType): ParsedCell {
  if (value === null || value === undefined) return { ok: true, value: null };
  if (!isOfType(value, dataType)) return { ok: false, reason: `${JSON.stringify(value)} is not a ${dataType}` };
  return { ok: true, value: value === '' ? null : (value as CellValue) };
}
