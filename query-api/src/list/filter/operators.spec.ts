/** Tests that lists accept exactly the operators that OPERATORS_OF lists for the type of a field. */
import { FILTER_DATA_TYPES, FILTER_OPERATORS, type FilterDataType, OPERATORS_OF, Refusal } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { sql } from '../../read-models/sql.ts';
import { compileFilter } from './compile.ts';

const NEEDLE: Record<FilterDataType, unknown> = {
  string: 'a',
  number: 1,
  boolean: true,
  date: '2026-01-31',
  datetime: '2026-01-31T12:00:00Z',
  json: { a: 1 },
  array: ['a'],
};

const needleOf = (operator: string, dataType: FilterDataType): unknown => {
  if (operator === 'between') return [NEEDLE[dataType], NEEDLE[dataType]];
  if (operator === 'in' || operator === 'not_in') return [NEEDLE[dataType]];
  return operator === 'regex' || /_with$/.test(operator) ? 'a' : NEEDLE[dataType];
};

describe.each(FILTER_DATA_TYPES)('fields of type %s', (dataType) => {
  const fields = new Map([['it', { sql: sql`it`, dataType }]]);

  it.each(FILTER_OPERATORS)('accept the operator %s only if OPERATORS_OF lists it for the type', (operator) => {
    const value =
      operator === 'contains' && dataType !== 'json' && dataType !== 'array' ? 'a' : needleOf(operator, dataType);
    const compile = () => compileFilter({ logic: 'AND', conditions: [{ field: 'it', operator, value }] }, fields);
    if (OPERATORS_OF[dataType].includes(operator)) expect(compile().texts.join('')).toContain('it');
    else expect(compile).toThrow(Refusal);
  });
});
