/** Reads the rows of a sheet as records with typed cells, while the part of the sheet is unpacked. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type CellKind, Refusal } from '@rdm/contracts';
import { SLICE_MS, type SourceRecord } from '../source.ts';
import { isoText, type NumberMeaning, numberText } from './cell-formats.ts';
import { type ByteText, byteText, type SharedStrings, unescapeText } from './shared-strings.ts';
import { XmlError, xmlReader } from './xml-reader.ts';

export const ROWS_MAX = 1_048_576;
const COLUMNS_MAX = 16_384;
const BYTES_MAX = 4 * 1024 * 1024 * 1024;
/** Only merged cells in these first rows can name columns. */
const MERGED_ROWS = 20;
const MERGES_MAX = 1_000;

export interface Merge {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface SheetContext {
  name: string;
  strings: SharedStrings;
  /** The meaning of numbers by the index of their style. */
  meanings: readonly NumberMeaning[];
  /** The minimum number of digits of a number, by the index of its style. */
  digits: readonly number[];
  /** The number formats that files of rejected rows keep, by the index of the style. */
  formats: readonly (string | undefined)[];
  is1904: boolean;
  /** Receives merged cells in the first rows. The part of the sheet lists them after all rows. */
  onMerge(merge: Merge): void;
  /** Receives the minimum number of digits of the numbers in a column. */
  onDigits(column: number, digits: number): void;
}

/** Yields the rows that have cells, as records, with the number of bytes unpacked so far. */
export async function* sheetRecords(
  content: AsyncIterable<Buffer>,
  context: SheetContext,
): AsyncGenerator<{ records: SourceRecord[]; unpacked: number }> {
  const rows = new RowReader(context);
  const read = xmlReader(rows);
  let unpacked = 0;
  let sliceStart = performance.now();
  const refusal = (problem: string, fix: string) => {
    const place = rows.lastRow === 0 ? '' : ` after row ${rows.lastRow.toLocaleString('en')}`;
    return new Refusal('INVALID', `Sheet "${context.name}" ${problem}${place}${fix}.`);
  };
  try {
    for await (const piece of content) {
      unpacked += piece.length;
      if (unpacked > BYTES_MAX) {
        throw new Refusal('TOO_LARGE', `Sheet "${context.name}" unpacks to more than 4 GiB.`);
      }
      read(piece);
      const records = rows.take();
      if (records.length > 0) yield { records, unpacked };
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await yieldToEventLoop();
      sliceStart = performance.now();
    }
    read(undefined);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof XmlError && error.reason === 'doctype') {
      throw new Refusal('INVALID', `The XML of sheet "${context.name}" ${error.message}.`);
    }
    if (error instanceof XmlError && error.reason === 'limit') throw refusal(error.message, '');
    if (error instanceof XmlError || isUnpackingError(error)) {
      throw refusal('is damaged', ': save it again in a spreadsheet program');
    }
    throw error;
  }
  yield { records: rows.take(), unpacked };
}

const ZIP_ERRORS =
  /bytes in the stream|local file header|unexpected EOF|overflows file bounds|compression method|unexpected end of file/i;

/** Whether zlib failed, or the directory of the ZIP file has wrong sizes, wrong offsets or an unknown compression. */
export const isUnpackingError = (error: unknown): boolean =>
  error instanceof Error && (/^Z_/.test((error as { code?: string }).code ?? '') || ZIP_ERRORS.test(error.message));

/** Collects the cells of rows from the events of their XML. */
class RowReader {
  readonly #context: SheetContext;
  #records: SourceRecord[] = [];
  #merges = 0;
  /** The number of the last complete row; the first row has 1. */
  lastRow = 0;
  #row = 0;
  #column = -1;
  #fields: string[] = [];
  #kinds: (CellKind | undefined)[] = [];
  #formats: (string | undefined)[] | undefined;
  #isClean = true;
  // The current cell.
  #type = '';
  #style = 0;
  #hasFormula = false;
  #hasValue = false;
  #text = '';
  /** Whether the text of the current element belongs to the cell. */
  #isCollecting = false;
  #isPhonetic = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** Returns the rows completed since the last call. */
  take(): SourceRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    switch (name) {
      case 'row':
        this.#openRow(attributes['r']);
        break;
      case 'c':
        this.#openCell(attributes);
        break;
      case 'v':
        this.#hasValue = true;
        this.#isCollecting = true;
        break;
      case 't':
        this.#hasValue = true;
        this.#isCollecting = !this.#isPhonetic;
        break;
      case 'f':
        this.#hasFormula = true;
        break;
      case 'rPh':
        this.#isPhonetic = true;
        break;
      case 'mergeCell':
        this.#addMerge(attributes['ref'] ?? '');
        break;
    }
  }

  text(text: string): void {
    if (this.#isCollecting) this.#text += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isCollecting = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else if (name === 'rPh') this.#isPhonetic = false;
  }

  #openRow(number: string | undefined): void {
    const row = number === undefined ? this.#row + 1 : Number(number);
    if (!Number.isInteger(row) || row <= this.#row) throw new XmlError('damage', 'has rows out of order');
    if (row > ROWS_MAX) {
      throw new Refusal(
        'TOO_LARGE',
        `Sheet "${this.#context.name}" has more than ${ROWS_MAX.toLocaleString('en')} rows.`,
      );
    }
    this.#row = row;
    this.#column = -1;
    this.#fields = [];
    this.#kinds = [];
    this.#formats = undefined;
    this.#isClean = true;
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column <= this.#column || column >= COLUMNS_MAX) throw new XmlError('damage', 'has cells out of order');
    this.#column = column;
    this.#type = t;
    this.#style = Number(s);
    this.#hasFormula = false;
    this.#hasValue = false;
    this.#text = '';
  }

  #closeCell(): void {
    if (!this.#hasValue) {
      if (this.#hasFormula) this.#put({ bytes: '', isClean: true }, 'error');
      return;
    }
    switch (this.#type) {
      case 's': {
        const text = this.#context.strings.get(Number(this.#text));
        if (!text) throw new XmlError('damage', 'refers to a missing text');
        this.#put(text, undefined);
        break;
      }
      case 'n':
        this.#putNumber();
        break;
      case 'b':
        this.#put({ bytes: this.#text.trim() === '1' ? 'true' : 'false', isClean: true }, 'boolean');
        break;
      case 'e':
        this.#put(byteText(this.#text), 'error');
        break;
      case 'd': {
        const { text, kind } = isoText(this.#text);
        this.#put(byteText(text), kind);
        break;
      }
      default:
        this.#put(byteText(unescapeText(this.#text)), undefined);
    }
  }

  #putNumber(): void {
    const meaning = this.#context.meanings[this.#style] ?? 'number';
    const digits = this.#context.digits[this.#style] ?? 0;
    const writtenNumber = this.#text.trim();
    if (writtenNumber === '') {
      if (this.#hasFormula) this.#put({ bytes: '', isClean: true }, 'error');
      return;
    }
    const format = this.#context.formats[this.#style];
    if (format !== undefined) {
      this.#formats ??= [];
      this.#formats[this.#column] = format;
    }
    if (digits > 0) this.#context.onDigits(this.#column, digits);
    if (meaning === 'number' && SHORT_INTEGER.test(writtenNumber)) {
      this.#put({ bytes: writtenNumber, isClean: true }, 'number');
      return;
    }
    const value = Number(writtenNumber);
    if (!Number.isFinite(value)) throw new XmlError('damage', 'has an invalid number');
    const { text, kind } = numberText(value, meaning, this.#context.is1904);
    this.#put({ bytes: text, isClean: true }, kind);
  }

  #put({ bytes, isClean }: ByteText, kind: CellKind | undefined): void {
    if (bytes === '' && kind === undefined) return;
    const { length } = this.#fields;
    for (let column = length; column < this.#column; column++) {
      this.#fields.push('');
      this.#kinds.push(undefined);
    }
    this.#fields.push(bytes);
    this.#kinds.push(kind);
    if (!isClean) this.#isClean = false;
  }

  #closeRow(): void {
    this.lastRow = this.#row;
    if (this.#fields.length === 0) return;
    this.#records.push({
      line: this.#row,
      fields: this.#fields,
      kinds: this.#kinds,
      ...(this.#formats && { formats: this.#formats }),
      raw: '',
      isClean: this.#isClean,
      malformed: null,
    });
    this.#fields = [];
    this.#kinds = [];
  }

  #addMerge(reference: string): void {
    const [, left, top, right, bottom] = /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/.exec(reference) ?? [];
    if (!left || !right || Number(top) > MERGED_ROWS || this.#merges >= MERGES_MAX) return;
    this.#merges += 1;
    this.#context.onMerge({
      top: Number(top),
      left: columnOf(left),
      bottom: Number(bottom),
      right: columnOf(right),
    });
  }
}

const SHORT_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

/** The index of the column of a reference such as "AB12". */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const letter = (reference.charCodeAt(at) & 0xdf) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}
