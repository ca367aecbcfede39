/** Tests the texts of the result of a validation test. */

import type { BrokenRule, ValidationTestView } from '@rdm/contracts/imports/validation-test';
import { describe, expect, it } from 'vitest';
import { countText, exampleText, verdict } from './words.ts';

const unknownColumn: BrokenRule = {
  rule: 'UNKNOWN_COLUMN',
  name: 'Unknown column',
  rows: 0,
  problems: 1,
  examples: [],
};
const view = (rows: number, invalidRows: number, rules: ValidationTestView['rules'] = []): ValidationTestView => ({
  format: 'csv',
  rows,
  validRows: rows - invalidRows,
  invalidRows,
  rules,
  problems: [],
  moreProblems: 0,
});

describe('the verdict', () => {
  it.each([
    ['one valid row', view(1, 0), 'The row is valid', 'No problems found.'],
    ['valid rows', view(1_200, 0), 'All 1,200 rows are valid', 'No problems found.'],
    [
      'valid rows with an unknown column',
      view(2, 0, [unknownColumn]),
      'All 2 rows are valid',
      'An import omits the columns that match no field.',
    ],
  ])('reports %s as valid', (_, result, title, text) => {
    expect(verdict(result)).toEqual({ tone: 'success', title, text });
  });

  it.each([
    ['an invalid row', view(3, 1), '1 of 3 rows is invalid'],
    ['invalid rows', view(1_200, 1_100), '1,100 of 1,200 rows are invalid'],
    ['no rows', view(0, 0), 'There are no rows'],
  ])('warns about %s', (_, result, title) => {
    expect(verdict(result)).toMatchObject({ tone: 'warning', title });
  });
});

it('the count of a rule is in rows, or in columns for a rule about column names', () => {
  expect([countText({ rows: 1, problems: 2 }), countText({ rows: 2_000, problems: 2_000 })]).toEqual([
    '1 row',
    '2,000 rows',
  ]);
  expect([countText(unknownColumn), countText({ rows: 0, problems: 2 })]).toEqual(['1 column', '2 columns']);
});

it('an example is described by its line or row, its column and its value', () => {
  const problem = { rule: 'WRONG_TYPE', reason: '', fix: '' } as const;
  expect(exampleText({ ...problem, line: 3, column: 'size', value: 'many' }, 'csv')).toBe('Line 3, size: many');
  expect(exampleText({ ...problem, line: 3, column: 'code', value: '' }, 'json')).toBe('Row 3, code');
  expect(exampleText({ ...problem, line: 4, column: null, value: null }, 'csv')).toBe('Line 4');
  expect(exampleText({ ...problem, line: null, column: 'colour', value: null }, 'json')).toBe('colour');
});
