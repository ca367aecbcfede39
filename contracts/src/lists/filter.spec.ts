import { describe, expect, it } from 'vitest';
import { Filter, ListQuery } from './filter.ts';

const nestedFilter = (depth: number): unknown => JSON.parse(`${'{"conditions":['.repeat(depth)}${']}'.repeat(depth)}`);

describe('a filter', () => {
  it('has the logic AND by default', () =>
    expect(Filter.parse({ conditions: [{ field: 'code', operator: 'equals', value: 'DE' }] })).toEqual({
      logic: 'AND',
      conditions: [{ field: 'code', operator: 'equals', value: 'DE' }],
    }));
  it('accepts nested groups, but refuses a depth that could exhaust the stack', () => {
    expect(Filter.safeParse(nestedFilter(10)).success).toBe(true);
    expect(Filter.safeParse(nestedFilter(3_000)).error?.issues[0]?.message).toBe('The filter is nested too deeply');
    const needle = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    expect(Filter.safeParse({ conditions: [{ field: 'x', operator: 'equals', value: needle }] }).success).toBe(false);
  });
  // If the unknown property were ignored, the filter would match other rows.
  it('is refused if it has an unknown property', () => {
    const code = { field: 'code', operator: 'equals', value: 'DE' };
    expect(Filter.safeParse({ conditions: [], groups: [{ conditions: [code] }] }).success).toBe(false);
    expect(Filter.safeParse({ conditions: [{ conditions: [code], rules: [] }] }).success).toBe(false);
    expect(Filter.safeParse({ conditions: [{ ...code, negated: true }] }).success).toBe(false);
  });
  it('is refused if it has characters that cannot be stored', () => {
    for (const value of ['a\0', ['\ud800'], { x: '\udfff' }]) {
      expect(Filter.safeParse({ conditions: [{ field: 'code', operator: 'in', value }] }).success).toBe(false);
    }
  });
});

describe('the query of a list', () => {
  it('requests the first page of 50 rows in ascending order by default', () =>
    expect(ListQuery.parse({})).toEqual({ page: 1, pageSize: 50, order: 'ASC' }));
  it('accepts pages from 1, and 1 to 1,000 rows per page', () => {
    const accepts = (query: object) => ListQuery.safeParse(query).success;
    expect([1, 1_000].map((pageSize) => accepts({ pageSize }))).toEqual([true, true]);
    expect([0, 1_001].map((pageSize) => accepts({ pageSize }))).toEqual([false, false]);
    expect([0, -1].map((page) => accepts({ page }))).toEqual([false, false]);
  });
});
