/** Reads the text of a cell as a value of a data type, in the format of the column. */
import { type DataType, isDate, type ParsedCell, parseCell } from '../../text/rows.ts';
import type { ColumnFormat } from '../column-formats.ts';
import type { ProblemRule } from '../problems.ts';

/**
 * The types of typed cells in workbooks, JSON and Parquet files. The text of a typed cell is canonical: numbers have a
 * decimal point, and dates are ISO dates. An error with an empty text is a formula without a stored result.
 */
export const CELL_KINDS = ['number', 'boolean', 'date', 'error'] as const;
export type CellKind = (typeof CELL_KINDS)[number];

export type ReadResult = Extract<ParsedCell, { ok: true }> | { ok: false; reason: string; rule: ProblemRule };

type DateOrder = NonNullable<ColumnFormat['date']>;

const EMPTY: ReadResult = { ok: true, value: null };
/** The value of an empty cell in a boolean column whose other cells have a mark such as "x". */
const NO: ReadResult = { ok: true, value: false };
const BLANK = /^\s*$/;
/** The pattern of dates in each order, for messages. */
export const DATE_PATTERNS: Record<DateOrder, string> = { YMD: 'YYYY-MM-DD', DMY: 'DD.MM.YYYY', MDY: 'MM/DD/YYYY' };

/**
 * Reads a cell like `parseCell`, but in the format of the column. Every format also accepts dates that begin with the
 * year or name the month.
 */
export function readCellValue(text: string, dataType: DataType, format: ColumnFormat, kind?: CellKind): ReadResult {
  if (kind === 'error') return errorCell(text);
  if (text === '' || (format.blank === 'empty' && BLANK.test(text))) {
    return dataType === 'boolean' && format.no?.includes('') ? NO : EMPTY;
  }
  if (dataType === 'string') return { ok: true, value: text };
  if (dataType === 'date') return readDate(text, kind === undefined ? format : {});
  if (kind === undefined) {
    if (dataType === 'number') return readNumber(text, format);
    const word = format.yes || format.no ? text.trim().toLowerCase() : '';
    if (includesWord(format.yes, word)) return { ok: true, value: true };
    if (includesWord(format.no, word)) return { ok: true, value: false };
  }
  const result = withRule(parseCell(text, dataType));
  return result.ok || dataType !== 'boolean' ? result : { ...result, reason: notBooleanMessage(text, format) };
}

const notBooleanMessage = (text: string, { yes, no }: ColumnFormat): string =>
  `"${text}" is not a boolean: use ${yes?.[0] ?? 'true'} or ${(no?.[0] ?? 'false') || 'an empty cell'}`;

const withRule = (parsed: ParsedCell): ReadResult =>
  parsed.ok ? parsed : { ok: false, reason: parsed.reason, rule: parsed.losesDigits ? 'DIGITS_LOST' : 'WRONG_TYPE' };

const includesWord = (words: readonly string[] | undefined, word: string): boolean =>
  words?.some((each) => each.toLowerCase() === word) ?? false;

const errorCell = (text: string): ReadResult =>
  text === ''
    ? { ok: false, rule: 'NO_CACHED_VALUE', reason: 'The formula has no stored result' }
    : { ok: false, rule: 'FORMULA_ERROR', reason: `The formula has the result ${text}` };

const TIME_AFTER = String.raw`(?:(?:T|\s+)(\d{1,2}:\d{2}\S*(?:\s?[AaPp]\.?[Mm]\.?)?))?$`;
/** Matches three numbers, with the same separator after the first and the second, and optionally a time. */
const DATE_PARTS = new RegExp(String.raw`^(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})${TIME_AFTER}`);
/** Matches a day, an English month name and a year, such as "4 Mar 2018" and "04-Mar-18", and optionally a time. */
const NAMED_MONTH = new RegExp(String.raw`^(\d{1,2})[-/.\s]{1,2}([A-Za-z]{3,9})[-/.\s]{1,2}(\d{4}|\d{2})${TIME_AFTER}`);
const MONTHS = 'january february march april may june july august september october november december'.split(' ');

export interface DateParts {
  numbers: readonly [string, string, string];
  separator: string;
  time: string | undefined;
}

/** Splits a text that is written like a date; undefined for other texts. */
export function datePartsOf(text: string): DateParts | undefined {
  const [, first, separator, second, third, time] = DATE_PARTS.exec(text) ?? [];
  if (first === undefined || separator === undefined || second === undefined || third === undefined) {
    return namedMonthParts(text);
  }
  return { numbers: [first, second, third], separator, time };
}

/** Returns the year first, because in every format `readDate` accepts dates that begin with the year. */
function namedMonthParts(text: string): DateParts | undefined {
  const [, day, name, digits, time] = NAMED_MONTH.exec(text) ?? [];
  if (day === undefined || name === undefined || digits === undefined) return undefined;
  const monthName = name.toLowerCase();
  const month = MONTHS.findIndex((each) => each.startsWith(monthName)) + 1;
  const year = yearOf(digits);
  if (month === 0 || year === undefined) return undefined;
  return { numbers: [year, String(month), day], separator: '-', time };
}

/** The two-digit years 00 to 29 mean 2000 to 2029, and 30 to 99 mean 1930 to 1999. */
const SHORT_YEAR_PIVOT = 29;

/** Reads a year of two or four digits. */
function yearOf(digits: string): string | undefined {
  if (digits.length === 4) return digits;
  if (digits.length !== 2) return undefined;
  return Number(digits) <= SHORT_YEAR_PIVOT ? `20${digits}` : `19${digits}`;
}

/** Returns the ISO date of the parts in an order; undefined if the parts are not a date in this order. */
export function dateInOrder([first, second, third]: DateParts['numbers'], order: DateOrder): string | undefined {
  const [year, month, day] =
    order === 'YMD'
      ? [first.length === 4 ? first : undefined, second, third]
      : [first.length > 2 ? undefined : yearOf(third), ...(order === 'DMY' ? [second, first] : [first, second])];
  if (year === undefined || month === undefined || day === undefined || day.length > 2) return undefined;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(iso) ? iso : undefined;
}

/** In every format, accepts dates that begin with the year. */
function readDate(text: string, { date = 'YMD' }: Pick<ColumnFormat, 'date'>): ReadResult {
  const trimmed = text.trim();
  if (isDate(trimmed)) return { ok: true, value: trimmed };
  const parts = datePartsOf(trimmed);
  const value = parts && (dateInOrder(parts.numbers, 'YMD') ?? dateInOrder(parts.numbers, date));
  if (value !== undefined && parts?.time === undefined) return { ok: true, value };
  if (value !== undefined) return { ok: false, rule: 'TIME_IN_DATE', reason: `"${text}" is a date with a time` };
  return { ok: false, rule: 'WRONG_TYPE', reason: `"${text}" is not a date: use ${DATE_PATTERNS[date]}` };
}

/** Patterns of group characters with variants. Any other group character matches only itself. */
const GROUPS: Record<string, string> = { ' ': '\\s', "'": "['\u2019]" };
const numberPatterns = new Map<string, RegExp>();

/** The pattern of numbers in a format. The group character separates all groups of three digits, or none. */
function numberPattern(decimal: string, group: string): RegExp {
  const cached = numberPatterns.get(decimal + group);
  if (cached) return cached;
  const between = GROUPS[group] ?? `\\${group}`;
  const whole = group === '' ? '\\d+' : `(?:\\d{1,3}(?:${between}\\d{3})+|\\d+)`;
  const pattern = new RegExp(`^[+-]?(?:${whole}(?:\\${decimal}\\d*)?|\\${decimal}\\d+)(?:[eE][+-]?\\d+)?$`);
  numberPatterns.set(decimal + group, pattern);
  return pattern;
}

function readNumber(text: string, { decimal = '.', group = '' }: ColumnFormat): ReadResult {
  if (decimal === '.' && group === '') return withRule(parseCell(text, 'number'));
  const trimmed = text.trim();
  if (!numberPattern(decimal, group).test(trimmed)) {
    return {
      ok: false,
      rule: 'WRONG_TYPE',
      reason: `"${text}" is not a number with a decimal ${DECIMAL_NAMES[decimal]}`,
    };
  }
  const ungrouped = trimmed.replace(decimal === ',' ? NEITHER_DIGIT_NOR_COMMA : NEITHER_DIGIT_NOR_POINT, '');
  const parsed = withRule(parseCell(ungrouped.replace(',', '.'), 'number'));
  return parsed.ok
    ? parsed
    : { ...parsed, reason: parsed.reason.replace(`"${ungrouped.replace(',', '.')}"`, `"${text}"`) };
}

const NEITHER_DIGIT_NOR_COMMA = /[^\d+\-eE,]/g;
const NEITHER_DIGIT_NOR_POINT = /[^\d+\-eE.]/g;
const DECIMAL_NAMES = { '.': 'point', ',': 'comma' };
