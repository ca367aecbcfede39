/** Counts the values of a column, to infer its type and format, and whether it can be a key or the label. */
import { keepsDigits } from '../../text/rows.ts';
import { shortened } from '../../text/text.ts';
import { DistinctValues, type Hash, hashText } from './distinct-values.ts';
import { type NumberNotation, numberNotation } from './number-notations.ts';
import { type CellKind, dateInOrder, datePartsOf } from './read-cell-value.ts';

/** Pairs of words for true and false. An empty word represents an empty cell. */
export const BOOLEAN_PAIRS = [
  ['true', 'false'],
  ['yes', 'no'],
  ['y', 'n'],
  ['ja', 'nein'],
  ['oui', 'non'],
  ['x', ''],
  ['1', '0'],
] as const;
const PAIR_OF_WORD = new Map<string, number>(
  BOOLEAN_PAIRS.flatMap((pair, index) => pair.filter((word) => word !== '').map((word) => [word, index] as const)),
);
const BOOLEAN_WORD_MAX = 5;

/** Classes of dates by the orders of day and month that they allow. An ambiguous date allows both orders. */
export const DATE_CLASSES = ['yearFirst', 'dayFirst', 'monthFirst', 'ambiguousWithDots', 'ambiguous'] as const;
export type DateClass = (typeof DATE_CLASSES)[number];

/** Why digits are not read as a number: their text would change, or their cell is formatted as text. */
export const DIGIT_LOSSES = ['leadingZero', 'plusSign', 'manyDigits', 'textCell'] as const;
export type DigitLoss = (typeof DIGIT_LOSSES)[number];

const DIGITS_KEPT = 15;
const SAMPLES = 5;
const LENGTHS_COUNTED = 64;
const CODE_LENGTH_SHARE = 0.9;
const BLANK = /^\s*$/;
const DIGIT = /\d/;

/** Counts the values of each class, and stores the first value of each class as its example. */
export class ClassCounts<Class> {
  readonly counts = new Map<Class, { count: number; example: string }>();

  add(valueClass: Class, value: string): void {
    const entry = this.counts.get(valueClass);
    if (entry) entry.count += 1;
    else this.counts.set(valueClass, { count: 1, example: value });
  }

  of(...classes: readonly Class[]): number {
    return classes.reduce((sum, each) => sum + (this.counts.get(each)?.count ?? 0), 0);
  }

  example(valueClass: Class): string {
    return this.counts.get(valueClass)?.example ?? '';
  }
}

export class ColumnStatistics {
  readonly distinct: DistinctValues;
  readonly dates = new ClassCounts<DateClass>();
  readonly numbers = new ClassCounts<NumberNotation>();
  readonly losses = new ClassCounts<DigitLoss>();
  /** The number of typed cells by kind. Dates with a time are not counted. */
  readonly typed = { number: 0, boolean: 0, date: 0 };
  /** The number of values that belong to each pair of words. */
  readonly booleans: number[] = BOOLEAN_PAIRS.map(() => 0);
  readonly samples: string[] = [];
  /** The number of cells that are neither empty nor blank, including errors of formulas. */
  values = 0;
  /** The number of values that are texts, not typed cells. */
  texts = 0;
  /** The number of typed numbers with decimals. */
  typedDecimals = 0;
  /** The number of words in all texts and typed cells. A typed cell counts as one word. */
  words = 0;
  hasBlanks = false;
  /** The minimum number of digits that the number format of the cells shows, if it shows leading zeros. */
  shownLength: number | undefined;
  readonly #lengths = new Uint32Array(LENGTHS_COUNTED + 1);
  readonly #hash: Hash = { high: 0, low: 0 };

  constructor(distinctMax: number) {
    this.distinct = new DistinctValues(distinctMax);
  }

  /** Adds a value; returns its hash, valid until the next call. `isTyped` is true if the file has typed cells. */
  add(text: string, kind: CellKind | undefined, isTyped: boolean): Hash {
    const hash = hashText(text, this.#hash);
    if (kind !== 'error' && (text === '' || BLANK.test(text))) return hash;
    this.values += 1;
    if (kind === 'error') return hash;
    this.distinct.add(hash);
    const length = Math.min(text.length, LENGTHS_COUNTED);
    this.#lengths[length] = (this.#lengths[length] as number) + 1;
    if (this.samples.length < SAMPLES && !this.samples.includes(shortened(text))) this.samples.push(shortened(text));
    if (kind === undefined) this.#addText(text, isTyped);
    else this.#addTyped(text, kind);
    return hash;
  }

  get medianLength(): number {
    let remaining = this.#lengths.reduce((sum, count) => sum + count, 0) / 2;
    for (const [length, count] of this.#lengths.entries()) {
      remaining -= count;
      if (remaining <= 0) return length;
    }
    return 0;
  }

  /**
   * The length of codes with leading zeros: the shown length or the length of nearly all values; null if there is no
   * such length.
   */
  get codeLength(): number | null {
    if (this.shownLength !== undefined) return this.shownLength;
    if (this.losses.of('leadingZero') === 0) return null;
    const length = this.#lengths.findIndex((count) => count >= CODE_LENGTH_SHARE * this.values);
    return length > 0 && length < LENGTHS_COUNTED ? length : null;
  }

  /** Whether a number of the column has decimals. */
  get hasDecimals(): boolean {
    if (this.typedDecimals > 0) return true;
    return [...this.numbers.counts.keys()].some(({ decimal }) => decimal !== '');
  }

  /** Whether a text of the column is a number with a decimal comma or separated thousands, which typed cells never have. */
  get hasWrittenNumbers(): boolean {
    return [...this.numbers.counts.keys()].some(
      ({ decimal, group, ambiguousSeparator }) => decimal === ',' || group !== '' || ambiguousSeparator === ',',
    );
  }

  #addTyped(text: string, kind: Exclude<CellKind, 'error'>): void {
    this.words += 1;
    if (kind === 'date' && text.includes('T')) return;
    this.typed[kind] += 1;
    if (kind !== 'number') return;
    if (!/^-?\d+$/.test(text)) this.typedDecimals += 1;
    if (text === '1' || text === '0') this.#addBoolean(text);
    if (text.length > DIGITS_KEPT && !keepsDigits(text, Number(text))) this.losses.add('manyDigits', text);
  }

  #addText(text: string, isTyped: boolean): void {
    this.texts += 1;
    const trimmed = text.trim();
    const words = trimmed.includes(' ') ? trimmed.split(/\s+/).length : 1;
    this.words += words;
    if (words > 1 || trimmed !== text) this.hasBlanks = true;
    if (trimmed.length <= BOOLEAN_WORD_MAX) this.#addBoolean(trimmed.toLowerCase());
    if (!DIGIT.test(trimmed)) return;
    const dateClass = dateClassOf(trimmed);
    if (dateClass) {
      this.dates.add(dateClass, trimmed);
      return;
    }
    const notation = numberNotation(trimmed);
    if (!notation) return;
    this.numbers.add(notation, trimmed);
    const loss = digitLoss(trimmed, notation) ?? (isTyped ? 'textCell' : undefined);
    if (loss) this.losses.add(loss, trimmed);
  }

  #addBoolean(word: string): void {
    const pair = PAIR_OF_WORD.get(word);
    if (pair !== undefined) this.booleans[pair] = (this.booleans[pair] as number) + 1;
  }
}

/** The class of a date; undefined for other texts, and for dates with a time. */
function dateClassOf(text: string): DateClass | undefined {
  const parts = datePartsOf(text);
  if (!parts || parts.time !== undefined) return undefined;
  if (dateInOrder(parts.numbers, 'YMD')) return 'yearFirst';
  const isDayFirst = dateInOrder(parts.numbers, 'DMY') !== undefined;
  const isMonthFirst = dateInOrder(parts.numbers, 'MDY') !== undefined;
  if (isDayFirst && isMonthFirst) {
    return parts.separator === '.' ? 'ambiguousWithDots' : 'ambiguous';
  }
  if (isDayFirst) return 'dayFirst';
  return isMonthFirst ? 'monthFirst' : undefined;
}

function digitLoss(text: string, { decimal, group, ambiguousSeparator }: NumberNotation): DigitLoss | undefined {
  if (text.startsWith('+')) return 'plusSign';
  if (/^-?0\d/.test(text)) return 'leadingZero';
  const digits = text.replace(/\D/g, '').length;
  if (digits <= DIGITS_KEPT) return undefined;
  if (decimal === '' || group !== '' || ambiguousSeparator !== '') return 'manyDigits';
  const withPoint = text.replace(',', '.');
  return keepsDigits(withPoint, Number(withPoint)) ? undefined : 'manyDigits';
}
