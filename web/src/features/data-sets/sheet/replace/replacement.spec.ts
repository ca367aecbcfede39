/** Tests find and replace: literal matches, typed values, and no changes of keys. */
import { describe, expect, it } from 'vitest';
import type { CellField } from '../../components/cells.ts';
import { replacedRow, replacedText, type Search, searchFilter } from './replacement.ts';

const FIELDS: CellField[] = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'name', dataType: 'string', isPrimaryKey: false },
  { name: 'level', dataType: 'number', isPrimaryKey: false },
  { name: 'active', dataType: 'boolean', isPrimaryKey: false },
];
const search = (more: Partial<Search>): Search => ({
  find: '',
  replace: '',
  field: undefined,
  matchCase: false,
  wholeCell: false,
  ...more,
});

describe('replacing', () => {
  it.each<[string, Partial<Search>, string]>([
    ['a.b a.b', { find: 'a.b', replace: 'x' }, 'x x'],
    ['aXb', { find: 'a.b', replace: 'x' }, 'aXb'],
    ['Street STREET', { find: 'street', replace: 'Str.' }, 'Str. Str.'],
    ['Street STREET', { find: 'Street', replace: 'Str.', matchCase: true }, 'Str. STREET'],
    ['old older', { find: 'old', replace: 'new', wholeCell: true }, 'old older'],
    ['old', { find: 'OLD', replace: 'new', wholeCell: true }, 'new'],
    ['$1', { find: '$1', replace: '$& $$' }, '$& $$'],
    ['anything', { find: '', replace: 'x' }, 'anything'],
  ])('changes %j with %j to %j', (text, options, result) => {
    expect(replacedText(text, search(options))).toBe(result);
  });

  it('replaces typed values, but no keys, and reports invalid values', () => {
    const row = { code: '10', name: '10 pipes', level: 10, active: null };
    expect(replacedRow(FIELDS, row, search({ find: '10', replace: '20' }))).toEqual({
      data: { name: '20 pipes', level: 20 },
      before: { name: '10 pipes', level: 10 },
      problems: {},
    });
    expect(replacedRow(FIELDS, row, search({ find: '10', replace: 'x' }))?.problems).toEqual({
      level: '"x" is not a number',
    });
    expect(replacedRow(FIELDS, row, search({ find: '99' }))).toBeUndefined();
  });

  it('adds the searched text to the filter of the list', () => {
    const filter = { logic: 'AND' as const, conditions: [{ field: 'level', operator: 'is_null' as const }] };
    expect(searchFilter(FIELDS, search({ find: 'x' }), filter)).toEqual({
      logic: 'AND',
      conditions: [
        filter,
        {
          logic: 'OR',
          conditions: [
            { field: 'name', operator: 'contains', value: 'x' },
            { field: 'level', operator: 'contains', value: 'x' },
            { field: 'active', operator: 'is_not_null' },
          ],
        },
      ],
    });
  });
});
