/** The fields of an export, in the order of the columns on the page. */
import { keyFirst, type RowField } from './instance-columns.tsx';

/** Returns undefined if the page shows all fields in the order of the type, which is the default of the server. */
export function exportedFields(
  fields: readonly RowField[],
  columns: readonly string[] | undefined,
): string[] | undefined {
  const names = keyFirst(fields).map(({ name }) => name);
  // Key columns cannot be hidden: the page begins with the key columns that are missing from `columns`.
  const omittedKeyNames = fields
    .filter(({ name, isPrimaryKey }) => isPrimaryKey && !columns?.includes(name))
    .map(({ name }) => name);
  const exported =
    columns === undefined ? names : [...omittedKeyNames, ...columns.filter((name) => names.includes(name))];
  const typeFields = fields.map(({ name }) => name);
  const isDefault =
    exported.length === typeFields.length && exported.every((name, index) => name === typeFields[index]);
  return isDefault ? undefined : exported;
}
