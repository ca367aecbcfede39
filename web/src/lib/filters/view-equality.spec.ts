/** Tests the comparison of two views of a list. */
import type { ListView } from '@rdm/contracts/filters/saved-filters';
import { describe, expect, it } from 'vitest';
import { isSameView } from './view-equality.ts';

const plain: ListView = { filter: null, q: null, sort: null, order: null, columns: null };
const code = { field: 'code', operator: 'equals', value: '7' } as const;

describe('a view', () => {
  it('is the same if only the order of object keys differs', () =>
    expect(
      isSameView(
        { ...plain, filter: { logic: 'AND', conditions: [code] } },
        {
          ...plain,
          filter: { conditions: [{ value: '7', operator: 'equals', field: 'code' }], logic: 'AND' },
        },
      ),
    ).toBe(true));

  it('is the same with an explicit default sort order as without one', () => {
    expect(isSameView({ ...plain, sort: 'code', order: 'ASC' }, { ...plain, sort: 'code' })).toBe(true);
    expect(isSameView({ ...plain, sort: 'code', order: 'DESC' }, { ...plain, sort: 'code' })).toBe(false);
  });

  it('differs if the filter, the search, the sort or the columns differ', () => {
    expect(isSameView(plain, { ...plain, filter: { logic: 'AND', conditions: [code] } })).toBe(false);
    expect(isSameView(plain, { ...plain, q: 'a' })).toBe(false);
    expect(isSameView(plain, { ...plain, sort: 'code' })).toBe(false);
    expect(isSameView(plain, { ...plain, columns: ['code'] })).toBe(false);
  });
});
