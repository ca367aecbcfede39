/** Tests the parser of entered cells, and which cells have changed. */
import { describe, expect, it } from 'vitest';
import { type CellField, cellText, changedCells, checkRow, draftOf } from './cells.ts';

const FIELDS: CellField[] = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'weight', dataType: 'number', isPrimaryKey: false },
  { name: 'active', dataType: 'boolean', isPrimaryKey: false },
  { name: 'since', dataType: 'date', isPrimaryKey: false },
];

describe('an entered row', () => {
  it('reports the length of a text that is too long for the server', () => {
    const long = 'L'.repeat(100_001);
    expect(checkRow(FIELDS, { code: long, weight: '', active: '', since: '' }).problems).toEqual({
      code: 'The text has 100,001 characters: use at most 100,000',
    });
    expect(checkRow(FIELDS, { code: long.slice(1), weight: '', active: '', since: '' }).problems).toEqual({});
  });

  it('keeps leading zeros of texts', () => {
    expect(checkRow(FIELDS, { code: '004', weight: '', active: '', since: '' }).data['code']).toBe('004');
  });

  it('has values of the types of its fields, and null for empty cells', () => {
    expect(checkRow(FIELDS, { code: 'A', weight: '1.50', active: 'true', since: '' })).toEqual({
      data: { code: 'A', weight: 1.5, active: true, since: null },
      problems: {},
    });
  });

  it('reports the problem of each cell', () => {
    const { problems } = checkRow(FIELDS, { code: '', weight: '1,5', active: 'maybe', since: '2024-02-30' });
    expect(Object.keys(problems)).toEqual(['code', 'weight', 'active', 'since']);
    expect(problems['code']).toBe('code is part of the key: fill it in');
    expect(problems['weight']).toBe('"1,5" is not a number: write 1.5');
  });

  it('starts with the stored values, formatted as users type them', () => {
    const draft = draftOf(FIELDS, { code: '004', weight: 0, active: false, since: null });
    expect(draft).toEqual({ code: '004', weight: '0', active: 'false', since: '' });
    expect(cellText(undefined)).toBe('');
  });
});

describe('the changed cells', () => {
  it('are the cells with a different value, where a missing value equals null', () => {
    expect(changedCells({ code: 'A', weight: 1 }, { code: 'A', weight: 2, active: null })).toEqual({ weight: 2 });
    expect(changedCells({ code: 'A', weight: 1 }, { code: 'A', weight: null })).toEqual({ weight: null });
  });
});
