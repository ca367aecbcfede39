/** Compares the current view of a list with a saved view. */
import type { ListView } from '@rdm/contracts/filters/saved-filters';

/** JSON with sorted keys, because the database does not preserve the order of keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** The view without an empty search, without the default order, and without an order if it has no sort column. */
const normalised = ({ filter, q, sort, order, columns }: ListView) => ({
  filter,
  q: q === '' ? null : q,
  sort,
  order: sort === null || order === 'ASC' ? null : order,
  columns,
});

export const isSameView = (a: ListView, b: ListView): boolean => canonical(normalised(a)) === canonical(normalised(b));
