/** Converts unsaved edits when fields are renamed or removed. An edit of a removed field becomes an invalid text. */

import type { RowData } from '../../api/instances.ts';
import { cellText } from '../../components/cells.ts';
import type { InvalidText, RowEdit, StoredEdits } from './edits.ts';

/** Field ids by name. */
export type FieldIds = Readonly<Record<string, number>>;

interface NamedField {
  fieldId: number;
  name: string;
}

export const fieldIdsOf = (fields: readonly NamedField[]): FieldIds =>
  Object.fromEntries(fields.map(({ fieldId, name }) => [name, fieldId]));

export interface Renames {
  renamed: { from: string; to: string }[];
  removed: string[];
}

/** The renamed and removed fields; undefined if there are none. */
export function renamesOf(before: readonly NamedField[], after: readonly NamedField[]): Renames | undefined {
  const newNames = new Map(after.map(({ fieldId, name }) => [fieldId, name]));
  const renamed: Renames['renamed'] = [];
  const removed: string[] = [];
  for (const { fieldId, name } of before) {
    const to = newNames.get(fieldId);
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

const REMOVED_REASON = 'This field was removed in the meantime';

/** Converts stored edits from old field names to the current names. */
export function withFieldNames(stored: StoredEdits, fieldIds: FieldIds): StoredEdits {
  const nameOf = new Map(Object.entries(fieldIds).map(([name, fieldId]) => [fieldId, name]));
  /** The current name of a field; undefined if the field was removed. */
  const currentName = (name: string): string | undefined => nameOf.get(stored.names[name] ?? -1);
  const withCurrentNames = (cells: RowData): RowData =>
    Object.fromEntries(
      Object.entries(cells).flatMap(([name, value]) => {
        const to = currentName(name);
        return to === undefined ? [] : [[to, value]];
      }),
    );
  const cellsOfRemovedFields = ({ id, key, revision, waiting }: StoredEdits['rows'][number]): InvalidText[] =>
    Object.entries(waiting)
      .filter(([name]) => currentName(name) === undefined)
      .map(([name, value]) => ({
        row: { id, key, revision, data: {} },
        field: `${name} (removed)`,
        text: cellText(value),
        reason: REMOVED_REASON,
      }));
  const unreadable = stored.unreadable.map((cell): InvalidText => {
    const to = currentName(cell.field);
    const row = { ...cell.row, data: withCurrentNames(cell.row.data) };
    // The text of a field that was removed in an earlier change already has its reason.
    if (to === undefined && !(cell.field in stored.names)) return { ...cell, row };
    return to === undefined
      ? { ...cell, row, field: `${cell.field} (removed)`, reason: REMOVED_REASON }
      : { ...cell, row, field: to };
  });
  return {
    names: fieldIds,
    rows: stored.rows
      .map((row) => ({ ...row, base: withCurrentNames(row.base), waiting: withCurrentNames(row.waiting) }))
      .filter(({ waiting }: Pick<RowEdit, 'waiting'>) => Object.keys(waiting).length > 0),
    unreadable: [...unreadable, ...stored.rows.flatMap(cellsOfRemovedFields)],
  };
}
