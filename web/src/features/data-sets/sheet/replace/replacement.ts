/** Find and replace: finds the matching cells of rows, and computes their new values. */
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { type CellValue, parseCell } from '@rdm/contracts/text/rows';
import type { RowData } from '../../api/instances.ts';
import { type CellField, cellText } from '../../components/cells.ts';

export interface Search {
  find: string;
  replace: string;
  /** The name of the searched field; undefined for all fields. */
  field: string | undefined;
  matchCase: boolean;
  /** Whether the text must match the whole cell. */
  wholeCell: boolean;
}

export interface RowReplacement {
  /** The new values of the cells that would change. */
  data: RowData;
  /** The current values of the same cells. */
  before: RowData;
  /** Why cells cannot get their new values, by field name. */
  problems: Record<string, string>;
}

/** Replaces all matches; returns the same text if there are none. */
export function replacedText(text: string, { find, replace, matchCase, wholeCell }: Search): string {
  if (find === '') return text;
  const escaped = find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(wholeCell ? `^(?:${escaped})$` : escaped, matchCase ? 'gu' : 'giu');
  return text.replace(pattern, () => replace);
}

/** The searched fields without the key fields, because keys cannot be replaced. */
export const replaceableFields = <Field extends CellField>(
  fields: readonly Field[],
  search: Pick<Search, 'field'>,
): Field[] =>
  fields.filter(({ name, isPrimaryKey }) => !isPrimaryKey && (search.field === undefined || name === search.field));

/** The replacement for a row; undefined if the row has neither a change nor a problem. */
export function replacedRow(fields: readonly CellField[], row: RowData, search: Search): RowReplacement | undefined {
  const data: RowData = {};
  const before: RowData = {};
  const problems: Record<string, string> = {};
  for (const { name, dataType } of replaceableFields(fields, search)) {
    const currentValue: CellValue = row[name] ?? null;
    const text = cellText(currentValue);
    const newText = replacedText(text, search);
    if (newText === text) continue;
    const cell = parseCell(newText, dataType);
    if (!cell.ok) problems[name] = cell.reason;
    else if (cell.value !== currentValue) {
      data[name] = cell.value;
      before[name] = currentValue;
    }
  }
  return Object.keys(data).length + Object.keys(problems).length === 0 ? undefined : { data, before, problems };
}

/** The filter of the list, limited to rows that may contain the text; `replacedRow` then finds the exact matches. */
export function searchFilter(
  fields: readonly CellField[],
  search: Pick<Search, 'find' | 'field'>,
  filter: FilterGroup | undefined,
): FilterGroup {
  const fieldConditions = replaceableFields(fields, search).map(({ name, dataType }) =>
    // The filter cannot search booleans as text.
    dataType === 'boolean'
      ? { field: name, operator: 'is_not_null' as const }
      : { field: name, operator: 'contains' as const, value: search.find },
  );
  const textFilter: FilterGroup = { logic: 'OR', conditions: fieldConditions };
  return { logic: 'AND', conditions: filter === undefined ? [textFilter] : [filter, textFilter] };
}
