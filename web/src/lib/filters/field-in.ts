/** The filter for the rows with certain values in a field, as a query parameter. */
import type { FilterGroup } from '@rdm/contracts/lists/filter';

export const fieldIn = (field: string, value: readonly (string | number)[]): string =>
  JSON.stringify({ logic: 'AND', conditions: [{ field, operator: 'in', value }] } satisfies FilterGroup);
