/** The fields of an export, in the order of the columns on the page. */
import { keyFirst, type RowField } from './instance-columns.tsx';

/** Returns undefined if the page shows all fields in the order of the type, which is the default of the server. */
export function exportedFields(
  fields: readonly RowField[],
  columns: readonly string[] | undefined,
): string[] | undefined {
  const names = keyFirst(fields).map(({ name }) => name);
  // The page always shows the key, before all other columns.
  const keys = fields
    .filter(({ name, isPrimaryKey }) => isPrimaryKey && !columns?.includes(name))
    .map(({ name }) => name);
  const exported = columns === undefined ? names : [...keys, ...columns.filter((name) => names.includes(name))];
  const typeFields = fields.map(({ name }) => name);
  const isDefault =
    exported.length === typeFields.length && exported.every((name, index) => name === typeFields[index]);
  return isDefault ? undefined : exported;
}
