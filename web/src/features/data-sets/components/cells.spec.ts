/** Tests the parser of entered cells. */
import { describe, expect, it } from 'vitest';
import { type CellField, cellText, changedCells, checkRow, draftOf } from './cells.ts';

const FIELDS: CellField[] = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'weight', dataType: 'number', isPrimaryKey: false },
  { name: 'active', dataType: 'boolean', isPrimaryKey: false },
  { name: 'since', dataType: 'date', isPrimaryKey: false },
];

describe('an entered row', () => {
  it('with a text that is too long for the server is reported with the length of the text', () => {
    const long = 'L'.repeat(100_001);
    expect(checkRow(FIELDS, { code: long, weight: '', active: '', since: '' }).problems).toEqual({
      code: 'This has 100,001 characters: use at most 100,000',
    });
    expect(checkRow(FIELDS, { code: long.slice(1), weight: '', active: '', since: '' }).problems).toEqual({});
  });

  it('keeps the leading zeros of texts', () => {
    expect(checkRow(FIELDS, { code: '004', weight: '', active: '', since: '' }).data['code']).toBe('004');
  });

  it('is parsed cell by cell by the type of the field; an empty cell is no value', () => {
    expect(checkRow(FIELDS, { code: 'A', weight: '1.50', active: 'true', since: '' })).toEqual({
      data: { code: 'A', weight: 1.5, active: true, since: null },
      problems: {},
    });
  });

  it('is reported with the problem of each cell', () => {
    const { problems } = checkRow(FIELDS, { code: '', weight: '1,5', active: 'maybe', since: '2024-02-30' });
    expect(Object.keys(problems)).toEqual(['code', 'weight', 'active', 'since']);
    expect(problems['code']).toBe('code is part of the key: fill it in');
    expect(problems['weight']).toBe('"1,5" is not a number: write 1.5');
  });

  it('starts with the stored values in the form in which users enter them', () => {
    const draft = draftOf(FIELDS, { code: '004', weight: 0, active: false, since: null });
    expect(draft).toEqual({ code: '004', weight: '0', active: 'false', since: '' });
    expect(cellText(undefined)).toBe('');
  });
});

describe('the changes to send', () => {
  it('are the cells that differ; an empty cell is the same as no value', () => {
    expect(changedCells({ code: 'A', weight: 1 }, { code: 'A', weight: 2, active: null })).toEqual({ weight: 2 });
    expect(changedCells({ code: 'A', weight: 1 }, { code: 'A', weight: null })).toEqual({ weight: null });
  });
});
