/** Tests whether a list shows the view of a saved filter. */
import type { ListView } from '@rdm/contracts/filters/saved-filters';
import { describe, expect, it } from 'vitest';
import { sameView } from './view-equality.ts';

const plain: ListView = { filter: null, q: null, sort: null, order: null, columns: null };
const code = { field: 'code', operator: 'equals', value: '7' } as const;

describe('a view', () => {
  it('ignores the order of object keys', () =>
    expect(
      sameView(
        { ...plain, filter: { logic: 'AND', conditions: [code] } },
        {
          ...plain,
          filter: { conditions: [{ value: '7', operator: 'equals', field: 'code' }], logic: 'AND' },
        },
      ),
    ).toBe(true));

  it('treats an explicit default sort order as no sort order', () => {
    expect(sameView({ ...plain, sort: 'code', order: 'ASC' }, { ...plain, sort: 'code' })).toBe(true);
    expect(sameView({ ...plain, sort: 'code', order: 'DESC' }, { ...plain, sort: 'code' })).toBe(false);
  });

  it('differs with another filter, search, sort or columns', () => {
    expect(sameView(plain, { ...plain, filter: { logic: 'AND', conditions: [code] } })).toBe(false);
    expect(sameView(plain, { ...plain, q: 'a' })).toBe(false);
    expect(sameView(plain, { ...plain, sort: 'code' })).toBe(false);
    expect(sameView(plain, { ...plain, columns: ['code'] })).toBe(false);
  });
});
