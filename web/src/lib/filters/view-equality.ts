/** Whether a list is looked at as a saved filter has it. */
import type { ListView } from '@rdm/contracts/filters/saved-filters';

/** JSON whose objects have their keys in order: a database keeps no other. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** An order where nothing is sorted says nothing. */
const plain = ({ filter, q, sort, order, columns }: ListView) => ({
  filter,
  q: q === '' ? null : q,
  sort,
  order: sort === null || order === 'ASC' ? null : order,
  columns,
});

export const sameView = (a: ListView, b: ListView): boolean => canonical(plain(a)) === canonical(plain(b));
