/** Warnings about cells, and the messages and fixes of groups of problems. */
import { DATA_TYPE_WORDS } from '../../text/data-type-words.ts';
import type { DataType } from '../../text/rows.ts';
import { shortened } from '../../text/text.ts';
import type { ColumnFormat } from '../column-formats.ts';
import type { ColumnProfile } from '../file-profile.ts';
import { SURPLUS } from '../problem-groups.ts';
import type { Fix, ProblemGroup, ProblemRule } from '../problems.ts';
import { BOOLEAN_PAIRS } from './column-statistics.ts';
import { type CellKind, dateInOrder, datePartsOf, readCellValue } from './read-cell-value.ts';

type Change = Extract<Fix, { kind: 'change' }>['by'];
type Group = Pick<ProblemGroup, 'id' | 'rule' | 'column' | 'shape' | 'values'>;
type Column = Pick<ColumnProfile, 'index' | 'name' | 'dataType' | 'format' | 'codeLength'>;

/** Rules that only cause a warning: the record is imported. */
const WARNINGS: readonly ProblemRule[] = ['SPACES', 'SCIENTIFIC', 'ZEROS_LOST', 'EMPTY_LABEL', 'DATE_ORDER'];
export const severityOf = (rule: ProblemRule): ProblemGroup['severity'] =>
  WARNINGS.includes(rule) ? 'warning' : 'error';

/** Matches a number whose digits a spreadsheet program has cut, such as "1.23E+12". */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?E\+\d+$/;
const DIGITS = /^\d+$/;

interface WarnedColumn extends Pick<Column, 'dataType' | 'codeLength'> {
  isLabel: boolean;
  /** The format of a column with dates of both orders; undefined for other columns. */
  mixedDates?: ColumnFormat | undefined;
}

/** Returns the warning about a cell that is read without an error; undefined for most cells. */
export function warningOf(
  text: string,
  kind: CellKind | undefined,
  { dataType, codeLength, isLabel, mixedDates }: WarnedColumn,
): ProblemRule | undefined {
  if (isLabel && text.trim() === '') return 'EMPTY_LABEL';
  if (kind === undefined && SCIENTIFIC.test(text)) return 'SCIENTIFIC';
  if (dataType === 'date' && kind === undefined && mixedDates && isAmbiguousDate(text, mixedDates)) {
    return 'DATE_ORDER';
  }
  if (dataType !== 'string') return undefined;
  if (codeLength !== null && text.length < codeLength && DIGITS.test(text)) return 'ZEROS_LOST';
  return text.trim() !== text && text.trim() !== '' ? 'SPACES' : undefined;
}

/** Whether the text is a different date in each order. With the day first, dates with dots are unambiguous. */
function isAmbiguousDate(text: string, { date }: ColumnFormat): boolean {
  const parts = datePartsOf(text.trim());
  if (parts === undefined || (date === 'DMY' && parts.separator === '.')) return false;
  const [dayFirst, monthFirst] = [dateInOrder(parts.numbers, 'DMY'), dateInOrder(parts.numbers, 'MDY')];
  return dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst;
}

/** A predicate of the column, without a capital, or a whole sentence for rules about the record. */
const PREDICATES: Record<ProblemRule, (dataType: DataType) => string> = {
  MALFORMED: () => 'The record cannot be read',
  FIELD_COUNT: () => 'The record has fewer cells than the file has columns',
  ENCODING: () => 'has bytes of another encoding',
  CONTROL_CHARACTER: () => 'has a null character',
  WRONG_TYPE: (dataType) => `is not ${DATA_TYPE_WORDS[dataType].one}`,
  TOO_LONG: () => 'is too long',
  MISSING_KEY: () => 'is part of the key and empty',
  DUPLICATE_IN_FILE: () => 'The key is already used by another record of the file',
  DUPLICATE_KEY: () => 'The key exists already in the data set',
  NOT_FOUND: () => 'No row of the data set has the key',
  DIGITS_LOST: () => 'has more digits than a number can hold',
  FORMULA_ERROR: () => 'is the error of a formula',
  NO_CACHED_VALUE: () => 'is a formula without a stored result',
  TIME_IN_DATE: () => 'is a date with a time',
  REFERENCED: () => 'Other data refers to the row',
  SPACES: () => 'begins or ends with blanks',
  SCIENTIFIC: () => 'was shortened to scientific notation by a spreadsheet program',
  ZEROS_LOST: () => 'is shorter than the other codes and may have lost leading zeros',
  EMPTY_LABEL: () => 'is the label and empty',
  DATE_ORDER: () => 'can begin with the day or the month',
};

const MORE_CELLS = 'The record has more cells than the file has columns';

/** The number of values that a message lists. */
const VALUES_NAMED = 3;

/** The message of a group: `412 rows: "valid_from" is not a date: 31.12.2025`. */
export function messageFor(
  { rule, shape, values, count }: Pick<ProblemGroup, 'rule' | 'shape' | 'values' | 'count'>,
  column: Pick<Column, 'name' | 'dataType'> | null,
): string {
  const predicate = shape === SURPLUS ? MORE_CELLS : PREDICATES[rule](column?.dataType ?? 'string');
  const isSentence = /^[A-Z]/.test(predicate);
  const subject = isSentence || !column ? '' : `"${column.name}" `;
  const examples = values.slice(0, VALUES_NAMED).flatMap(({ value }) => (value === '' ? [] : [shortened(value)]));
  const value = examples.length === 0 ? '' : `: ${examples.join(', ')}${values.length > VALUES_NAMED ? ', …' : ''}`;
  return `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}: ${subject}${predicate}${value}`;
}

/** Returns the fixes for a group, the best first. `label` is the column to which surplus cells most probably belong. */
export function fixesFor(group: Group, column: Column | null, label: number | null = null): Fix[] {
  const changes = changesFor(group, column, label);
  // Rows with a warning are imported: no fix skips these rows.
  return severityOf(group.rule) === 'warning' ? changes : [...changes, { kind: 'skip', group: group.id }];
}

function changesFor(group: Group, column: Column | null, label: number | null): Fix[] {
  const { id, rule, shape } = group;
  const change = (by: Change, length?: number): Fix => ({
    kind: 'change',
    group: id,
    by,
    ...(length === undefined ? {} : { length }),
  });
  const toText: Fix[] = column ? [{ kind: 'type', column: column.index, dataType: 'string' }] : [];
  switch (rule) {
    case 'WRONG_TYPE':
      return [...(column ? typeFixes(group, column) : []), ...toText];
    case 'TIME_IN_DATE':
      return [change('dropTime'), ...toText];
    case 'DIGITS_LOST':
      return [...toText];
    case 'FORMULA_ERROR':
    case 'NO_CACHED_VALUE':
      return [{ kind: 'fill', group: id, value: '' }];
    case 'DUPLICATE_IN_FILE':
      return [
        { kind: 'keep', group: id, which: 'first' },
        { kind: 'keep', group: id, which: 'last' },
      ];
    case 'FIELD_COUNT':
      return label === null || shape !== SURPLUS ? [] : [{ kind: 'joinSurplus', group: id, column: label }];
    case 'SPACES':
      return [change('trim')];
    case 'ZEROS_LOST':
      return column?.codeLength ? [change('padZeros', column.codeLength)] : [];
    default:
      return [];
  }
}

/** Matches texts that mean an empty cell, but not "NA", the code of Namibia. */
const EMPTY_MARK = /^(?:null|nil|none|n\/a|#n\/a|k\. ?a\.|-+|[\u2013\u2014?])$/i;
const SEPARATORS: readonly Pick<ColumnFormat, 'decimal' | 'group'>[] = [
  { decimal: ',' },
  { decimal: ',', group: '.' },
  { decimal: '.', group: ',' },
  { decimal: ',', group: ' ' },
  { decimal: '.', group: ' ' },
  { decimal: '.', group: "'" },
];

/** Returns fixes for values that do not have the type of their column. */
function typeFixes({ id, values }: Group, { index, dataType, format }: Column): Fix[] {
  const marks = values.filter(({ value }) => EMPTY_MARK.test(value.trim()));
  if (marks.length > 0 && marks.length === values.length) {
    return marks.map(({ value }): Fix => ({ kind: 'mapValue', group: id, from: value, to: '' }));
  }
  const texts = values.map(({ value }) => value);
  const canRead = (by: ColumnFormat, change: (text: string) => string = (text) => text) =>
    texts.length > 0 && texts.every((text) => readCellValue(change(text), dataType, by).ok);
  const formats: Record<DataType, readonly Partial<ColumnFormat>[]> = {
    string: [],
    date: [{ date: 'YMD' }, { date: 'DMY' }, { date: 'MDY' }],
    number: SEPARATORS,
    boolean: BOOLEAN_PAIRS.map(([yes, no]) => ({
      yes: [...(format.yes ?? []), yes],
      no: [...(format.no ?? []), ...(no === '' ? [] : [no])],
    })),
  };
  const fixes: Fix[] = [];
  const newFormat =
    formats[dataType].map((each) => ({ ...format, ...each })).find((each) => canRead(each)) ??
    (dataType === 'date' ? betterDateFormat(texts, format) : undefined);
  if (newFormat) fixes.push({ kind: 'format', column: index, format: newFormat });
  const changes: Change[] = ['dropUnit', 'dropTime', 'trim'];
  for (const by of changes) {
    if (!newFormat && canRead(format, (text) => changedValue(text, by))) fixes.push({ kind: 'change', group: id, by });
  }
  return fixes;
}

/**
 * Returns the format with the day or the month first, whichever reads more texts; undefined if neither reads a text.
 * Replaces only the order YMD. Dates that begin with the year are still read, because every order reads them.
 */
function betterDateFormat(texts: readonly string[], format: ColumnFormat): ColumnFormat | undefined {
  if ((format.date ?? 'YMD') !== 'YMD') return undefined;
  const readBy = (date: 'DMY' | 'MDY') =>
    texts.filter((text) => readCellValue(text, 'date', { ...format, date }).ok).length;
  const [dayFirst, monthFirst] = [readBy('DMY'), readBy('MDY')];
  if (dayFirst + monthFirst === 0) return undefined;
  return { ...format, date: monthFirst > dayFirst ? 'MDY' : 'DMY' };
}

const UNIT = /^[\p{L}\p{Sc}%\s]*?([+-]?[\d.,][\d.,\s'\u2019]*?)[\p{L}\p{Sc}%\u00b0\u00b2\u00b3/\s]*$/u;

/** Applies a change to a value. `length` is the number of digits for `padZeros`. */
export function changedValue(text: string, by: Change, length = 0): string {
  switch (by) {
    case 'trim':
      return text.trim();
    case 'dropTime':
      return datePartsOf(text.trim())?.time === undefined ? text : text.trim().replace(/[T\s]+\d{1,2}:\d{2}.*$/, '');
    case 'dropUnit':
      return UNIT.exec(text)?.[1] ?? text;
    case 'padZeros':
      return /^\d+$/.test(text) ? text.padStart(length, '0') : text;
  }
}
