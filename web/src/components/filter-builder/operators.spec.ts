/** Tests the filter that the builder sends (specification §5), and the messages for an incomplete filter. */

import type { FilterField } from '@rdm/contracts/lists/filter';
import { FILTER_DATA_TYPES, FILTER_OPERATORS } from '@rdm/contracts/lists/filter-operators';
import { describe, expect, it } from 'vitest';
import {
  countConditions,
  countIncomplete,
  filterConditions,
  missingFields,
  OPERATOR_WORDS,
  operatorsFor,
  problemOf,
} from './operators.ts';

const field = { name: 'it', label: 'It' };
const FIELDS: readonly FilterField[] = [
  { name: 'code', label: 'Code', dataType: 'string' },
  { name: 'rank', label: 'Rank', dataType: 'number' },
  { name: 'open', label: 'Open', dataType: 'boolean' },
  { name: 'tags', label: 'Tags', dataType: 'array' },
];

describe('operators', () => {
  it('all have a label and suit at least one type', () => {
    expect(Object.keys(OPERATOR_WORDS).sort()).toEqual([...FILTER_OPERATORS].sort());
    const offered = new Set(FILTER_DATA_TYPES.flatMap((dataType) => [...operatorsFor({ ...field, dataType })]));
    expect([...offered].sort()).toEqual([...FILTER_OPERATORS].sort());
  });

  it('are limited to the operators that the field declares', () =>
    expect(operatorsFor({ ...field, dataType: 'string', operators: ['in', 'equals'] })).toEqual(['in', 'equals']));
});

describe('a condition', () => {
  it.each([
    [{ field: 'code', operator: 'equals' }, 'Enter a value'],
    [{ field: 'code', operator: 'equals', value: '' }, 'Enter a value'],
    [{ field: 'open', operator: 'equals' }, 'Choose true or false'],
    [{ field: 'rank', operator: 'between' }, 'Enter the start and the end'],
    [{ field: 'rank', operator: 'between', value: [1, undefined] }, 'Enter the end'],
    [{ field: 'rank', operator: 'between', value: [undefined, 1] }, 'Enter the start'],
    [{ field: 'code', operator: 'in', value: [] }, 'Enter at least one value'],
    [{ field: 'tags', operator: 'equals' }, 'Enter at least one value'],
    [{ field: 'gone', operator: 'is_null' }, '“gone” is not a filter field of this list: remove this condition'],
  ] as const)('%o is incomplete: %s', (condition, problem) =>
    expect(problemOf(condition as never, FIELDS)).toBe(problem),
  );

  it.each([
    { field: 'code', operator: 'equals', value: '007' },
    { field: 'code', operator: 'is_null' },
    { field: 'open', operator: 'equals', value: false },
    { field: 'rank', operator: 'between', value: [0, 0] },
  ] as const)('%o is complete', (condition) => expect(problemOf(condition as never, FIELDS)).toBeUndefined());
});

describe('a filter', () => {
  const leaf = { field: 'code', operator: 'is_null' } as const;
  const gone = { field: 'gone', operator: 'is_null' } as const;
  const nested = { logic: 'AND' as const, conditions: [leaf, { logic: 'OR' as const, conditions: [gone, leaf] }] };

  it('counts the conditions and the incomplete conditions of all groups', () => {
    expect(countConditions(nested)).toBe(3);
    expect(countConditions(undefined)).toBe(0);
    expect(countIncomplete(nested, FIELDS)).toBe(1);
  });

  it('loses its empty groups, and becomes undefined if no condition remains', () => {
    const empty = { logic: 'OR' as const, conditions: [] };
    expect(filterConditions({ logic: 'AND', conditions: [leaf, empty] })).toEqual({ logic: 'AND', conditions: [leaf] });
    expect(filterConditions({ logic: 'AND', conditions: [empty] })).toBeUndefined();
  });

  it('can be reduced to the conditions on existing fields', () => {
    expect(missingFields(nested, FIELDS)).toEqual(['gone']);
    expect(filterConditions(nested, ({ field }) => field !== 'gone')).toEqual({
      logic: 'AND',
      conditions: [leaf, { logic: 'OR', conditions: [leaf] }],
    });
  });
});
