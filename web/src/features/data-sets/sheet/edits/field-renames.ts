/** Handles fields that are renamed or removed while the user types: edits get the new name of their field, or are kept as text. */

import type { RowData } from '../../api/instances.ts';
import { cellText } from '../../components/cells.ts';
import type { RowEdit, StoredEdits, Unreadable } from './edits.ts';

/** Field ids by name. */
export type FieldNames = Readonly<Record<string, number>>;

interface NamedField {
  fieldId: number;
  name: string;
}

export const namesOf = (fields: readonly NamedField[]): FieldNames =>
  Object.fromEntries(fields.map(({ fieldId, name }) => [name, fieldId]));

export interface Renames {
  renamed: { from: string; to: string }[];
  removed: string[];
}

/** The renamed and removed fields; undefined if there are none. */
export function renamesOf(before: readonly NamedField[], now: readonly NamedField[]): Renames | undefined {
  const nameNow = new Map(now.map(({ fieldId, name }) => [fieldId, name]));
  const renamed: Renames['renamed'] = [];
  const removed: string[] = [];
  for (const { fieldId, name } of before) {
    const to = nameNow.get(fieldId);
    if (to === undefined) removed.push(name);
    else if (to !== name) renamed.push({ from: name, to });
  }
  return renamed.length + removed.length === 0 ? undefined : { renamed, removed };
}

export function renamesText({ renamed, removed }: Renames): string {
  const parts = [
    ...renamed.map(({ from, to }) => `“${from}” is called “${to}” now`),
    ...removed.map((name) => `“${name}” was removed`),
  ];
  return `${parts.join(', ')}.`;
}

const REMOVED = 'This field was removed in the meantime';

/** Converts stored edits from old field names to the current names. */
export function withFieldNames(stored: StoredEdits, names: FieldNames): StoredEdits {
  const nameOf = new Map(Object.entries(names).map(([name, fieldId]) => [fieldId, name]));
  /** The current name of a field; undefined if the field was removed. */
  const now = (name: string): string | undefined => nameOf.get(stored.names[name] ?? -1);
  const cellsNow = (cells: RowData): RowData =>
    Object.fromEntries(
      Object.entries(cells).flatMap(([name, value]) => {
        const to = now(name);
        return to === undefined ? [] : [[to, value]];
      }),
    );
  const cellsOfRemovedFields = ({ id, key, revision, waiting }: StoredEdits['rows'][number]): Unreadable[] =>
    Object.entries(waiting)
      .filter(([name]) => now(name) === undefined)
      .map(([name, value]) => ({
        row: { id, key, revision, data: {} },
        field: `${name} (removed)`,
        text: cellText(value),
        reason: REMOVED,
      }));
  const unreadable = stored.unreadable.map((cell): Unreadable => {
    const to = now(cell.field);
    const row = { ...cell.row, data: cellsNow(cell.row.data) };
    // The text of a field that was removed earlier already has its message.
    if (to === undefined && !(cell.field in stored.names)) return { ...cell, row };
    return to === undefined
      ? { ...cell, row, field: `${cell.field} (removed)`, reason: REMOVED }
      : { ...cell, row, field: to };
  });
  return {
    names,
    rows: stored.rows
      .map((row) => ({ ...row, base: cellsNow(row.base), waiting: cellsNow(row.waiting) }))
      .filter(({ waiting }: Pick<RowEdit, 'waiting'>) => Object.keys(waiting).length > 0),
    unreadable: [...unreadable, ...stored.rows.flatMap(cellsOfRemovedFields)],
  };
}
