/** The fields of an export, in the order of the columns on the page. */
import { keyFirst, type RowField } from './instance-columns.tsx';

/** Returns undefined if the export has the server's default: all fields in the order of the type. */
export function exportedFields(
  fields: readonly RowField[],
  columns: readonly string[] | undefined,
): string[] | undefined {
  const names = keyFirst(fields).map(({ name }) => name);
  // The page always shows the key, before all other columns.
  const keys = fields
    .filter(({ name, isPrimaryKey }) => isPrimaryKey && !columns?.includes(name))
    .map(({ name }) => name);
  const shown = columns === undefined ? names : [...keys, ...columns.filter((name) => names.includes(name))];
  const stored = fields.map(({ name }) => name);
  return shown.length === stored.length && shown.every((name, at) => name === stored[at]) ? undefined : shown;
}
