import { describe, expect, it } from 'vitest';
import { Filter } from './filter.ts';

const nested = (depth: number): unknown => JSON.parse(`${'{"conditions":['.repeat(depth)}${']}'.repeat(depth)}`);

describe('a filter', () => {
  it('has logic AND unless it says otherwise', () =>
    expect(Filter.parse({ conditions: [{ field: 'code', operator: 'equals', value: 'DE' }] })).toEqual({
      logic: 'AND',
      conditions: [{ field: 'code', operator: 'equals', value: 'DE' }],
    }));
  it('nests groups in groups, but never as deep as the stack', () => {
    expect(Filter.safeParse(nested(10)).success).toBe(true);
    expect(Filter.safeParse(nested(3_000)).error?.issues[0]?.message).toBe('The filter nests too deep');
    const needle = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    expect(Filter.safeParse({ conditions: [{ field: 'x', operator: 'equals', value: needle }] }).success).toBe(false);
  });
  it('is refused where a part of it is not understood: it would find everything', () => {
    const code = { field: 'code', operator: 'equals', value: 'DE' };
    expect(Filter.safeParse({ conditions: [], groups: [{ conditions: [code] }] }).success).toBe(false);
    expect(Filter.safeParse({ conditions: [{ conditions: [code], rules: [] }] }).success).toBe(false);
    expect(Filter.safeParse({ conditions: [{ ...code, negated: true }] }).success).toBe(false);
  });
  it('looks for nothing that no text can hold', () => {
    for (const value of ['a\0', ['\ud800'], { x: '\udfff' }]) {
      expect(Filter.safeParse({ conditions: [{ field: 'code', operator: 'in', value }] }).success).toBe(false);
    }
  });
});
