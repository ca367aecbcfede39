/** Cells while they are typed: text to values of a field's type and back; nothing is coerced that was not typed so. */
import { CELL_CHARACTERS_MAX } from '@rdm/contracts/constants';
import { type CellValue, type DataType, type Parsed, parseCell } from '@rdm/contracts/text/rows';
import { grouped } from '../../../lib/number-format.ts';
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

/** Reads a cell as it was typed. What the server would not take is said here, before it holds up what was typed with it. */
export function typedCell(text: string, dataType: DataType): Parsed {
  if (text.length <= CELL_CHARACTERS_MAX) return parseCell(text, dataType);
  const most = grouped(CELL_CHARACTERS_MAX);
  return { ok: false, reason: `This has ${grouped(text.length)} characters: use at most ${most}` };
}

export const draftOf = (fields: readonly CellField[], data: RowData = {}): RowDraft =>
  Object.fromEntries(fields.map(({ name }) => [name, cellText(data[name])]));

export interface CheckedRow {
  data: RowData;
  /** What is wrong, by field name. */
  problems: Record<string, string>;
}

/** Reads what was typed. A key field must not be empty: a row without its key cannot be found again. */
export function checkRow(fields: readonly CellField[], draft: RowDraft): CheckedRow {
  const data: RowData = {};
  const problems: Record<string, string> = {};
  for (const { name, dataType, isPrimaryKey } of fields) {
    const cell = typedCell(draft[name] ?? '', dataType);
    if (!cell.ok) problems[name] = cell.reason;
    else if (isPrimaryKey && cell.value === null) problems[name] = `${name} is part of the key: fill it in`;
    else data[name] = cell.value;
  }
  return { data, problems };
}

/** What is said of a key with blanks around it. It is stored as it stands: nothing is changed unseen. */
export const blanksWarning = (key: CellValue | undefined): string | undefined =>
  typeof key === 'string' && key !== key.trim()
    ? `“${key}” has blanks around it: it is another key than “${key.trim()}”`
    : undefined;

/** The same of a row's whole key: of the first part that has them. */
export const keyWarning = (fields: readonly CellField[], data: RowData): string | undefined =>
  fields.flatMap(({ name, isPrimaryKey }) => (isPrimaryKey ? (blanksWarning(data[name]) ?? []) : []))[0];

/** The cells that differ from what was seen: only those are sent. */
export const changedCells = (before: RowData, after: RowData): RowData =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => (before[name] ?? null) !== value));
