/** Determines the fields that a page offers in filters, from the declared fields of its list. */
import type { FilterField } from '@rdm/contracts/lists/filter';
import type { ListFields } from '@rdm/contracts/lists/list-field';

/** Returns the fields that are not API-only, in the declared order after the fields in `first`. */
export function filterFields<Fields extends ListFields>(
  fields: Fields,
  first: readonly (keyof Fields & string)[] = [],
): readonly FilterField[] {
  const names: readonly string[] = [...new Set<string>([...first, ...Object.keys(fields)])];
  return names.flatMap((name) => {
    const field = fields[name];
    return field === undefined || field.isApiOnly ? [] : [{ name, label: field.pageLabel, dataType: field.dataType }];
  });
}
