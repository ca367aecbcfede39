/** Turns JSON objects into records with one column per property name. */
import { randomUUID } from 'node:crypto';
import { type CellKind, type CsvRecord, isCleanText, type Malformation, RECORD_CHARACTERS_MAX } from '@rdm/contracts';
import { decodeUtf8 } from '../../text-encoding.ts';
import type { SourceRecord } from '../source.ts';

const DEPTH_MAX = 100;

const TOO_LONG: Malformation = {
  rule: `there are more than ${RECORD_CHARACTERS_MAX.toLocaleString('en')} characters`,
  fix: 'Shorten it, or split it into several objects',
};
const TOO_DEEP: Malformation = {
  rule: `values are nested more than ${DEPTH_MAX} times`,
  fix: 'Flatten the object',
};
const NOT_UTF8: Malformation = { rule: 'there are bytes that are not UTF-8', fix: 'Save the file as UTF-8' };
const NOT_JSON: Malformation = { rule: 'the text is not valid JSON', fix: 'Correct it' };
const REPEATED_KEY: Malformation = { rule: 'a key occurs more than once', fix: 'Keep one of the values' };
const NO_OBJECT: Malformation = { rule: 'the value is not an object', fix: 'Write an object with a value per column' };

/** An element of a file; its text is a string of UTF-8 bytes with one character for each byte. */
export interface JsonElement {
  line: number;
  text: string;
  /** Whether the element is longer than a record may be; then `text` is its beginning. */
  isTooLong: boolean;
  depth: number;
}

/** The prefix of strings that hold numbers with too many digits for JavaScript; random, so that no file contains it. */
const LONG_NUMBER = `number ${randomUUID()} `;
const LONG_DIGITS = /\d[\d.]{15}/;
const STRINGS_AND_LONG_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.]{15}[\d.eE+-]*/g;
const QUOTED_LONG_NUMBER = new RegExp(`"${LONG_NUMBER}([^"]*)"`, 'g');

/** The columns of a file: the property names in the order of their first appearance. */
export class JsonColumns {
  readonly keys: string[];
  readonly #places: Map<string, number>;

  constructor(keys: readonly string[] = []) {
    this.keys = [...keys];
    this.#places = new Map(keys.map((key, index) => [key, index]));
  }

  /** Makes the record of an element. `shape` returns the cells of the object, by default the members. */
  record(
    { line, text, isTooLong, depth }: JsonElement,
    shape = (value: object): Iterable<[string, unknown]> => Object.entries(value),
  ): SourceRecord {
    const malformed = (reason: Malformation): SourceRecord => ({ ...emptyRecord(line, text), malformed: reason });
    if (isTooLong) return malformed(TOO_LONG);
    if (depth > DEPTH_MAX) return malformed(TOO_DEEP);
    const json = decodeUtf8(text);
    if (json === undefined) return malformed(NOT_UTF8);
    let value: unknown;
    try {
      value = JSON.parse(LONG_DIGITS.test(json) ? withQuotedLongNumbers(json) : json);
    } catch {
      return malformed(NOT_JSON);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return malformed(NO_OBJECT);
    if (countKeys(value) !== countColons(json)) return malformed(REPEATED_KEY);
    return this.recordOf(line, text, shape(value));
  }

  /** Makes a record of cells by property name. */
  recordOf(line: number, raw: string, cells: Iterable<[string, unknown]>): SourceRecord {
    const fields: string[] = [];
    const kinds: (CellKind | undefined)[] = [];
    let isClean = true;
    for (const [key, cell] of cells) {
      let place = this.#places.get(key);
      if (place === undefined) {
        place = this.keys.push(key) - 1;
        this.#places.set(key, place);
      }
      while (fields.length <= place) fields.push('');
      const { content, kind } = cellOf(cell);
      const isCleanCell = isCleanText(content);
      fields[place] = isCleanCell ? content : bytesOf(content);
      kinds[place] = kind;
      isClean &&= isCleanCell;
    }
    return { ...emptyRecord(line, raw), fields, kinds: Array.from(fields, (_, at) => kinds[at]), isClean };
  }
}

/** The number of property names of a value and of all values in it. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, each) => sum + countKeys(each), Array.isArray(value) ? 0 : inner.length);
}

const STRINGS = /"(?:[^"\\]|\\.)*"/g;

/** The number of property names in a valid JSON text, repeated names included: a colon follows each name. */
const countColons = (json: string): number => json.replace(STRINGS, '').split(':').length - 1;

const emptyRecord = (line: number, raw: string): CsvRecord & { kinds: [] } => ({
  line,
  fields: [],
  kinds: [],
  raw,
  isClean: false,
  malformed: null,
});

/**
 * Converts a text to a string with one character for each UTF-8 byte. Half of a surrogate pair becomes an invalid byte,
 * so that the cell is refused.
 */
function bytesOf(text: string): string {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8').toString('latin1');
  return text
    .split(/(\p{Surrogate})/u)
    .map((part, index) => (index % 2 === 0 ? Buffer.from(part, 'utf8').toString('latin1') : '\xff'))
    .join('');
}

const withQuotedLongNumbers = (json: string): string =>
  json.replace(STRINGS_AND_LONG_NUMBERS, (token) => (token.startsWith('"') ? token : `"${LONG_NUMBER}${token}"`));

function cellOf(value: unknown): { content: string; kind: CellKind | undefined } {
  if (value === null) return { content: '', kind: undefined };
  if (typeof value === 'number') return { content: String(value), kind: 'number' };
  if (typeof value === 'boolean') return { content: String(value), kind: 'boolean' };
  if (typeof value !== 'string') {
    return { content: JSON.stringify(value).replace(QUOTED_LONG_NUMBER, '$1'), kind: undefined };
  }
  if (value.startsWith(LONG_NUMBER)) return { content: value.slice(LONG_NUMBER.length), kind: 'number' };
  return { content: value, kind: undefined };
}
