/** Parses entered texts as values of the data type of a field, and formats values as text. */
import { CELL_CHARACTERS_MAX } from '@rdm/contracts/constants';
import { type CellValue, type DataType, type ParsedCell, parseCell } from '@rdm/contracts/text/rows';
import { formatNumber } from '../../../lib/number-format.ts';
import type { RowData } from '../api/instances.ts';

export interface CellField {
  name: string;
  dataType: DataType;
  isPrimaryKey: boolean;
}

/** Cell texts by field name. */
export type RowDraft = Record<string, string>;

export const cellText = (value: CellValue | undefined): string =>
  value === null || value === undefined ? '' : String(value);

/** Parses the text of a cell. Reports values that the server would refuse, so that other cells can be saved. */
export function parseCellText(text: string, dataType: DataType): ParsedCell {
  if (text.length <= CELL_CHARACTERS_MAX) return parseCell(text, dataType);
  const maximum = formatNumber(CELL_CHARACTERS_MAX);
  return { ok: false, reason: `The text has ${formatNumber(text.length)} characters: use at most ${maximum}` };
}

export const draftOf = (fields: readonly CellField[], data: RowData = {}): RowDraft =>
  Object.fromEntries(fields.map(({ name }) => [name, cellText(data[name])]));

export interface CheckedRow {
  data: RowData;
  /** The problems by field name. */
  problems: Record<string, string>;
}

/** Parses the cells that a user entered. A key field must not be empty, because a row is found by its key. */
export function checkRow(fields: readonly CellField[], draft: RowDraft): CheckedRow {
  const data: RowData = {};
  const problems: Record<string, string> = {};
  for (const { name, dataType, isPrimaryKey } of fields) {
    const cell = parseCellText(draft[name] ?? '', dataType);
    if (!cell.ok) problems[name] = cell.reason;
    else if (isPrimaryKey && cell.value === null) problems[name] = `${name} is part of the key: fill it in`;
    else data[name] = cell.value;
  }
  return { data, problems };
}

/** Returns a warning if a key has surrounding blanks. The blanks are stored: values are never changed silently. */
export const blanksWarning = (key: CellValue | undefined): string | undefined =>
  typeof key === 'string' && key !== key.trim()
    ? `“${key}” has blanks around it: it is a different key from “${key.trim()}”`
    : undefined;

/** Returns the warning about the first key field with surrounding blanks. */
export const keyWarning = (fields: readonly CellField[], data: RowData): string | undefined =>
  fields.flatMap(({ name, isPrimaryKey }) => (isPrimaryKey ? (blanksWarning(data[name]) ?? []) : []))[0];

/** The cells that differ from the version that the user edited: only these are sent. */
export const changedCells = (before: RowData, after: RowData): RowData =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => (before[name] ?? null) !== value));
