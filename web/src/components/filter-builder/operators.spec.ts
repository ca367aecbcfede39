/** Specifies the filter that the builder sends (specification §5). */
import { FILTER_DATA_TYPES, FILTER_OPERATORS } from '@rdm/contracts/filter';
import { describe, expect, it } from 'vitest';
import { completed, countConditions, OPERATOR_WORDS, operatorsFor, typed } from './operators.ts';

const field = { name: 'it', label: 'It' };

describe('operators', () => {
  it('each have words, and each suit some type', () => {
    expect(Object.keys(OPERATOR_WORDS).sort()).toEqual([...FILTER_OPERATORS].sort());
    const offered = new Set(FILTER_DATA_TYPES.flatMap((dataType) => [...operatorsFor({ ...field, dataType })]));
    expect([...offered].sort()).toEqual([...FILTER_OPERATORS].sort());
  });

  it('are those that a configuration offers, where there is one', () =>
    expect(operatorsFor({ ...field, dataType: 'string', operators: ['in', 'equals'] })).toEqual(['in', 'equals']));
});

describe('values', () => {
  it.each([
    ['007', 'string', '007'],
    ['7', 'number', 7],
    ['x', 'number', undefined],
    ['true', 'boolean', true],
    ['2024-01-31', 'date', '2024-01-31'],
    ['', 'string', undefined],
  ] as const)('%s as %s is %s', (text, dataType, expected) => expect(typed(text, dataType)).toBe(expected));
});

describe('what is sent', () => {
  it('leaves out what is not finished, down to nothing', () => {
    expect(
      completed({
        logic: 'AND',
        conditions: [
          { field: 'code', operator: 'equals', value: '007' },
          { field: 'code', operator: 'equals' },
          { field: 'code', operator: 'is_null' },
          { field: 'rank', operator: 'between', value: [1, undefined] },
          { field: 'rank', operator: 'in', value: [] },
          { logic: 'OR', conditions: [{ field: 'code', operator: 'contains', value: '' }] },
        ],
      }),
    ).toEqual({
      logic: 'AND',
      conditions: [
        { field: 'code', operator: 'equals', value: '007' },
        { field: 'code', operator: 'is_null' },
      ],
    });
    expect(completed({ logic: 'OR', conditions: [{ field: 'code', operator: 'equals' }] })).toBeUndefined();
  });

  it('counts conditions through groups', () => {
    const leaf = { field: 'code', operator: 'is_null' } as const;
    expect(countConditions({ logic: 'AND', conditions: [leaf, { logic: 'OR', conditions: [leaf, leaf] }] })).toBe(3);
    expect(countConditions(undefined)).toBe(0);
  });
});
