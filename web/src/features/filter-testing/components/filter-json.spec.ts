/** Tests the parser for the JSON of a filter. */
import { describe, expect, it } from 'vitest';
import { jsonOf, readFilter } from './filter-json.ts';

const filter = {
  logic: 'AND' as const,
  conditions: [
    { field: 'code', operator: 'starts_with' as const, value: '00' },
    { logic: 'OR' as const, conditions: [{ field: 'rank', operator: 'is_null' as const }] },
  ],
};

describe('the JSON of a filter', () => {
  it('is parsed back to the same filter', () => expect(readFilter(jsonOf(filter))).toEqual({ filter }));

  it('is parsed with AND if it contains no logic', () =>
    expect(readFilter('{"conditions": []}')).toEqual({ filter: { logic: 'AND', conditions: [] } }));

  it.each([
    ['{', /^This is not JSON: /],
    ['[]', /^The filter is invalid/],
    ['{"conditions": [{"field": "a", "operator": "like"}]}', /^The filter is invalid at conditions\.0/],
  ])('is refused with a reason: %s', (text, problem) =>
    expect(readFilter(text)).toEqual({ problem: expect.stringMatching(problem) }),
  );
});
