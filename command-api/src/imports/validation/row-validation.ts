/** Validates the records of an import: converts each to a row, or reports its flaws. */
import {
  bucketOfKey,
  CELL_CHARACTERS_MAX,
  type CellKind,
  type CellValue,
  type ColumnFormat,
  canonicalKey,
  checkCell,
  DATE_PATTERNS,
  displayKey,
  holdsStorableText,
  type ProblemRule,
  parseCell,
  readCellValue,
  shortened,
  type TypeField,
  withoutApostrophe,
} from '@rdm/contracts';
import type { SourceRecord } from '../../file-imports/sources/source.ts';
import { decodeUtf8, showBytes } from '../../file-imports/text-encoding.ts';
import { cellsOf, type StagedRow } from '../decider.ts';

/** A flaw of a row: its location, value, reason and fix. */
export interface Flaw {
  rule: ProblemRule;
  /** Null if the flaw concerns the whole row. */
  column: string | null;
  /** Has escapes in place of null characters and invalid bytes, so that it can be stored and displayed. */
  value: string | null;
  reason: string;
  fix: string;
  /** Set if the row has more fields than the file has columns. */
  isSurplus?: true;
}

/** A row with all its flaws. */
export interface FlawedRow {
  line: number;
  /** Undefined if the key cannot be read, and for rows that `rejectedLater` rejects. */
  key?: string | undefined;
  flaws: [Flaw, ...Flaw[]];
}

export interface RejectedRow extends FlawedRow {
  /** The shortened texts by column, with escapes in place of null characters and invalid bytes. */
  data: Record<string, string>;
}

/** A row whose cells are valid. Its key is compared with other rows later. */
export interface ValidRow {
  line: number;
  key: string;
  bucket: number;
  /** One cell per mapped column of the plan, in the same order. */
  cells: CellValue[];
}

export interface PlannedColumn {
  /** Index of the column in the file. */
  index: number;
  name: string;
  field: TypeField;
  /** How to read the texts of the column; by default, in the notation of the product's exports. */
  format?: ColumnFormat;
}

/** How the columns of a file map to fields. */
export interface ImportPlan {
  /** All columns of the file, mapped or not. */
  columns: readonly string[];
  mapped: readonly PlannedColumn[];
  /**
   * Whether an apostrophe at the start of a cell is part of the value. In text files it is not: exports put an
   * apostrophe before texts that look like formulas.
   */
  hasNoApostrophes?: boolean;
  /** Indexes of the key fields within `mapped`, in the order of the key. */
  keyAt: readonly number[];
}

/** The maximum length of a key, because keys are indexed. */
const KEY_CHARACTERS_MAX = 2_000;
/** A row must fit into one event. */
const ROW_BYTES_MAX = 512 * 1024;

/**
 * Checks all mapped cells of a record, so that users see all flaws at once. A malformed record has only the flaw
 * `MALFORMED`.
 */
export function checkRecord(plan: ImportPlan, record: SourceRecord): ValidRow | RejectedRow {
  const broken = brokenRecord(plan, record);
  if (record.malformed !== null && broken) return rejectRecord(plan, record, [broken]);
  const cells: CellValue[] = [];
  const flaws: Flaw[] = broken ? [broken] : [];
  let bytes = 0;
  for (const column of plan.mapped) {
    const raw = record.fields[column.index] ?? '';
    bytes += raw.length;
    const cell = readCell(column, raw, record.isClean, record.kinds?.[column.index], plan.hasNoApostrophes);
    if (typeof cell !== 'object' || cell === null) {
      cells.push(cell);
      continue;
    }
    // If fields are missing or extra, values may be in the wrong columns, so their types say nothing.
    if (!broken || cell.rule !== 'WRONG_TYPE') flaws.push(cell);
    cells.push(UNREADABLE);
  }
  if (bytes > ROW_BYTES_MAX) flaws.push(rowTooLong(bytes));
  const row = keyedRow(plan, record.line, cells, flaws, broken !== undefined);
  return isRejected(row) ? { ...rejectRecord(plan, record, row.flaws), key: row.key } : row;
}

/** Checks a row with typed cells, from a JSON document. */
export function checkTypedRow(
  plan: ImportPlan,
  line: number,
  values: Readonly<Record<string, unknown>>,
): ValidRow | FlawedRow {
  const cells: CellValue[] = [];
  const flaws: Flaw[] = [];
  let bytes = 0;
  for (const column of plan.mapped) {
    const value = Object.hasOwn(values, column.name) ? values[column.name] : null;
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    const cell = readTypedCell(column, value);
    if (typeof cell !== 'object' || cell === null) cells.push(cell);
    else {
      flaws.push(cell);
      cells.push(UNREADABLE);
    }
  }
  if (bytes > ROW_BYTES_MAX) flaws.push(rowTooLong(bytes));
  return keyedRow(plan, line, cells, flaws, false);
}

/** Checks the key of a row. In a broken row, the cells of the key are unknown. */
function keyedRow(
  plan: ImportPlan,
  line: number,
  cells: CellValue[],
  flaws: Flaw[],
  isBroken: boolean,
): ValidRow | FlawedRow {
  const parts = plan.keyAt.map((at) => cells[at] as CellValue);
  if (!isBroken)
    for (const [part, at] of plan.keyAt.entries()) if (parts[part] === null) flaws.push(missingKey(plan, at));
  const hasKey = !isBroken && parts.every((part) => part !== null && part !== UNREADABLE);
  const key = hasKey ? canonicalKey(parts) : undefined;
  if (key !== undefined && key.length > KEY_CHARACTERS_MAX) flaws.push(keyTooLong(key));
  const [first, ...others] = flaws;
  if (first) return { line, key, flaws: [first, ...others] };
  const rowKey = key as string; // a row without a key has a flaw
  return { line, key: rowKey, bucket: bucketOfKey(rowKey), cells };
}

/** Takes the place of a cell that has a flaw; the row is rejected. */
const UNREADABLE = '';

export const isRejected = <Row extends FlawedRow>(row: ValidRow | Row): row is Row => 'flaws' in row;

function brokenRecord(plan: ImportPlan, record: SourceRecord): Flaw | undefined {
  const whole = { column: null, value: null };
  if (record.malformed !== null) {
    return {
      ...whole,
      rule: 'MALFORMED',
      reason: `This row cannot be read: ${record.malformed.rule}`,
      fix: `${record.malformed.fix}.`,
    };
  }
  const [has, needs] = [record.fields.length, plan.columns.length];
  if (has === needs) return undefined;
  return {
    ...whole,
    rule: 'FIELD_COUNT',
    ...(has > needs ? { isSurplus: true as const } : {}),
    reason: `This row has ${has} ${has === 1 ? 'field' : 'fields'} where the file has ${needs} columns`,
    fix:
      has > needs
        ? 'Remove the surplus fields, or enclose a field that contains the delimiter in quotation marks.'
        : 'Add the missing fields; an empty field still needs its delimiter.',
  };
}

/** Reads a cell; returns its value or its flaw. */
function readCell(
  { name, field, format }: PlannedColumn,
  raw: string,
  isClean: boolean,
  kind?: CellKind,
  hasNoApostrophes = false,
): CellValue | Flaw {
  const text = isClean ? raw : decodeUtf8(raw);
  const at = () => ({ column: name, value: shortened(showBytes(raw)) });
  if (text !== undefined && text.length <= CELL_CHARACTERS_MAX && (isClean || !text.includes('\0'))) {
    // Exports put an apostrophe before texts that a spreadsheet would take for formulas: remove it.
    const plainText = hasNoApostrophes ? text : withoutApostrophe(text);
    if (format || kind) {
      const cell = readCellValue(plainText, field.dataType, format ?? DEFAULT_FORMAT, kind);
      if (cell.ok) return cell.value;
      return {
        ...at(),
        rule: cell.rule,
        reason: cell.reason,
        fix: fixOf(cell.rule, field.dataType, format ?? DEFAULT_FORMAT),
      };
    }
    if (field.dataType === 'string') return plainText === '' ? null : plainText;
    const cell = parseCell(plainText, field.dataType);
    if (cell.ok) return cell.value;
  }
  return { ...at(), ...flawOf(field, raw, text) };
}

const DEFAULT_FORMAT: ColumnFormat = { blank: 'empty' };

/** Explains to the user how to correct a cell that is typed or whose column has a format. */
function fixOf(
  rule: ProblemRule,
  dataType: TypeField['dataType'],
  { date = 'YMD', decimal, yes, no }: ColumnFormat,
): string {
  if (rule === 'TIME_IN_DATE') return 'Remove the time.';
  if (rule === 'DIGITS_LOST') return 'Use at most 15 digits, or make the field a string.';
  if (rule === 'FORMULA_ERROR' || rule === 'NO_CACHED_VALUE')
    return 'Write the value, or correct the formula and save the workbook.';
  if (dataType === 'date') return `Write the date as ${DATE_PATTERNS[date]}.`;
  if (dataType === 'number' && decimal === ',') return 'Write digits with a comma before the decimals, such as 1234,5.';
  if (dataType === 'boolean' && yes?.[0] && no?.[0]) return `Write ${yes[0]} or ${no[0]}.`;
  return FIXES[dataType];
}

/** The first flaw of a cell's text. */
function flawOf(field: TypeField, raw: string, text: string | undefined): Pick<Flaw, 'rule' | 'reason' | 'fix'> {
  if (text === undefined) {
    return {
      rule: 'ENCODING',
      reason: 'This value has bytes that are not UTF-8',
      fix: 'Save the file as UTF-8, or choose the encoding it has (such as Windows-1252) when uploading it.',
    };
  }
  if (text.includes('\0')) {
    return { rule: 'CONTROL_CHARACTER', reason: 'This value has a null character', fix: 'Remove it.' };
  }
  if (text.length > CELL_CHARACTERS_MAX) return valueTooLong(text);
  const reason = `"${shortened(showBytes(raw))}" is not a ${field.dataType}`;
  return { rule: 'WRONG_TYPE', reason, fix: FIXES[field.dataType] };
}

/** Checks a typed cell without converting its type; returns its value or its flaw. */
function readTypedCell({ name, field }: PlannedColumn, value: unknown): CellValue | Flaw {
  const cell = checkCell(value, field.dataType);
  if (cell.ok && typeof cell.value !== 'string') return cell.value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const at = { column: name, value: shortened(showText(text)) };
  if (!cell.ok) {
    const reason = `${shortened(showText(JSON.stringify(value)))} is not a ${field.dataType}`;
    return { ...at, rule: 'WRONG_TYPE', reason, fix: TYPED_FIXES[field.dataType] };
  }
  if (text.length > CELL_CHARACTERS_MAX) return { ...at, ...valueTooLong(text) };
  if (holdsStorableText(text)) return cell.value;
  const reason = 'This value has a null character or half of a surrogate pair';
  return { ...at, rule: 'CONTROL_CHARACTER', reason, fix: 'Remove it.' };
}

const showText = (text: string): string => showBytes(Buffer.from(text).toString('latin1'));

const valueTooLong = (text: string): Pick<Flaw, 'rule' | 'reason' | 'fix'> => ({
  rule: 'TOO_LONG',
  reason: `This value has ${text.length.toLocaleString('en')} characters`,
  fix: `Use at most ${CELL_CHARACTERS_MAX.toLocaleString('en')}.`,
});

const FIXES = {
  string: 'Write a string.',
  number: 'Write digits with a point before the decimals and nothing between thousands, such as 1234.5.',
  boolean: 'Write true or false.',
  date: 'Write the date as YYYY-MM-DD, such as 2024-12-31.',
} as const;

const TYPED_FIXES = {
  string: 'Write a string in quotation marks, such as "007".',
  number: 'Write a number without quotation marks, such as 1234.5.',
  boolean: 'Write true or false without quotation marks.',
  date: 'Write the date as "YYYY-MM-DD", such as "2024-12-31".',
} as const;

const rowTooLong = (bytes: number): Flaw => ({
  rule: 'TOO_LONG',
  column: null,
  value: null,
  reason: `This row has ${bytes.toLocaleString('en')} bytes`,
  fix: `Use at most ${ROW_BYTES_MAX.toLocaleString('en')}.`,
});

const keyTooLong = (key: string): Flaw => ({
  rule: 'TOO_LONG',
  column: null,
  value: shortened(key),
  reason: `The key has ${key.length.toLocaleString('en')} characters`,
  fix: `Use at most ${KEY_CHARACTERS_MAX.toLocaleString('en')}.`,
});

/** The flaw of a row that repeats an earlier key; `first` is the earlier location: "on line 3". */
export const repeatedKey = (plan: ImportPlan, parts: readonly CellValue[], first: string): Flaw => ({
  ...keyFlaw(plan, parts, 'DUPLICATE_IN_FILE'),
  reason: `The key "${shortened(displayKey(parts))}" is already ${first} of this file`,
  fix: 'Keep one of the two.',
});

/** The rule, location and value of a flaw of the key. The location is the column of the first key field. */
export const keyFlaw = (
  plan: ImportPlan,
  parts: readonly CellValue[],
  rule: ProblemRule,
): Pick<Flaw, 'rule' | 'column' | 'value'> => ({
  rule,
  column: plan.mapped[plan.keyAt[0] as number]?.name ?? null,
  value: shortened(displayKey(parts)),
});

function missingKey(plan: ImportPlan, at: number): Flaw {
  const column = plan.mapped[at]?.name ?? null;
  return {
    rule: 'MISSING_KEY',
    column,
    value: '',
    reason: `The key field "${column}" is empty`,
    fix: 'Fill it: a row without its key cannot be found again.',
  };
}

function rejectRecord(plan: ImportPlan, record: SourceRecord, flaws: RejectedRow['flaws']): RejectedRow {
  const data: Record<string, string> = {};
  for (const [index, field] of record.fields.slice(0, plan.columns.length).entries()) {
    data[plan.columns[index] as string] = shortened(withoutApostrophe(showBytes(field)));
  }
  // Show all fields beyond the last column as one text.
  if (record.fields.length > plan.columns.length) {
    data['(beyond the last column)'] = shortened(record.fields.slice(plan.columns.length).map(showBytes).join(' | '));
  }
  return { line: record.line, data, flaws };
}

/** Rejects a row whose cells are valid, for a flaw that was found by comparing rows. */
export function rejectedLater(plan: ImportPlan, row: StagedRow, flaw: Flaw): RejectedRow {
  const data: Record<string, string> = {};
  const cells = cellsOf(row);
  for (const [index, { name }] of plan.mapped.entries()) {
    const cell = cells[index] ?? null;
    data[name] = cell === null ? '' : shortened(String(cell));
  }
  return { line: row.line, data, flaws: [flaw] };
}

/** Describes the first flaw of a rejected row, and counts the other flaws, in one line. */
export function describeFlaws({ line, flaws: [first, ...others] }: RejectedRow): string {
  const where = first.column === null ? `Line ${line}` : `Line ${line}, column "${first.column}"`;
  const more =
    others.length === 0 ? '' : ` The row has ${others.length} more ${others.length === 1 ? 'problem' : 'problems'}.`;
  return `${where}: ${first.reason}. ${first.fix}${more}`;
}
