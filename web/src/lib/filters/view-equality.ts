/** Compares the current view of a list with a saved view. */
import type { ListView } from '@rdm/contracts/filters/saved-filters';

/** JSON with sorted keys, because the database does not preserve the order of keys. */
const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** Removes an empty search, the default order, and an order without a sort column. */
const normalise = ({ filter, q, sort, order, columns }: ListView) => ({
  filter,
  q: q === '' ? null : q,
  sort,
  order: sort === null || order === 'ASC' ? null : order,
  columns,
});

export const isSameView = (a: ListView, b: ListView): boolean =>
  toCanonicalJson(normalise(a)) === toCanonicalJson(normalise(b));
