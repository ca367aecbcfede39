/** Specifies how filter configurations restrict filters, and how the key of a list is parsed. */
import { describe, expect, it } from 'vitest';
import type { FilterCondition, FilterField, FilterGroup } from '../lists/filter.ts';
import { listSubject } from '../lists/lists.ts';
import { configuredFields, filterRefusal } from './configured-filter.ts';

const code = {
  fieldName: 'code',
  displayName: '',
  allowedOperators: ['equals', 'starts_with'] as const,
  defaultOperator: 'starts_with' as const,
  validation: { minLength: 2, maxLength: 4, min: null, max: null },
  isActive: true,
};
const rank = {
  ...code,
  fieldName: 'rank',
  displayName: 'Rank',
  allowedOperators: ['between', 'equals'] as const,
  defaultOperator: null,
  validation: { minLength: null, maxLength: null, min: 0, max: 9 },
};
const secret = { ...code, fieldName: 'secret', isActive: false };
const configurations = [code, rank, secret].map((each) => ({ ...each, allowedOperators: [...each.allowedOperators] }));

const filterOf = (...conditions: (FilterCondition | FilterGroup)[]): FilterGroup => ({ logic: 'AND', conditions });
const refusalOf = (condition: FilterCondition) => filterRefusal(filterOf(condition), configurations);

describe('a configured filter', () => {
  it('accepts allowed operators, and any operator for fields without a configuration', () => {
    expect(refusalOf({ field: 'code', operator: 'equals', value: '007' })).toBeUndefined();
    expect(refusalOf({ field: 'name', operator: 'regex', value: '^a' })).toBeUndefined();
    expect(refusalOf({ field: 'rank', operator: 'between', value: [0, 9] })).toBeUndefined();
  });

  it('names the refused field or operator, at any depth', () => {
    expect(refusalOf({ field: 'code', operator: 'regex', value: 'ab' })).toBe(
      '“regex” is not offered for “code” in this list: use equals, starts_with',
    );
    const nested = filterOf(filterOf(filterOf({ field: 'secret', operator: 'is_null' })));
    expect(filterRefusal(nested, configurations)).toBe(
      'This list cannot be filtered by “secret”: the filter of this field is switched off',
    );
  });

  it('checks the bounds of values', () => {
    expect(refusalOf({ field: 'code', operator: 'equals', value: '0' })).toBe('“code” needs at least 2 characters');
    expect(refusalOf({ field: 'code', operator: 'equals', value: '00000' })).toBe('“code” takes at most 4 characters');
    expect(refusalOf({ field: 'rank', operator: 'equals', value: -1 })).toBe('“Rank” takes no number below 0');
    expect(refusalOf({ field: 'rank', operator: 'between', value: [1, 10] })).toBe('“Rank” takes no number above 9');
    expect(refusalOf({ field: 'rank', operator: 'equals', value: '10' })).toBe('“Rank” takes no number above 9');
  });

  it('lists the default operator first, and no inactive field', () => {
    const fields: FilterField[] = ['code', 'name', 'secret'].map((name) => ({ name, label: name, dataType: 'string' }));
    expect(configuredFields(fields, configurations)).toEqual([
      { name: 'code', label: 'code', dataType: 'string', operators: ['starts_with', 'equals'] },
      { name: 'name', label: 'name', dataType: 'string' },
    ]);
  });
});

describe('the key of a list', () => {
  it.each([
    ['audit', { list: 'audit', subjectId: null }],
    ['data-set:12', { list: 'data-set', subjectId: 12 }],
    ['data-set', undefined],
    ['audit:3', undefined],
    ['data-set:0', undefined],
    ['data-set:1e3', undefined],
    ['toString', undefined],
    ['', undefined],
  ])('%j is parsed as %j', (key, expected) => expect(listSubject(key)).toEqual(expected));
});
