/** Specifies how pasted rows become values: columns by name or by place, keys to the letter, what is wrong said by row. */
import { describe, expect, it } from 'vitest';
import { hasHeader, parseValues, proposedUses } from './parse-values.ts';

const ends = { source: { name: 'Cities', field: 'code' }, target: { name: 'Countries', field: 'iso' } };
const definitions = [
  { name: 'Valid from', dataType: 'date' as const, isRequired: true },
  { name: 'share', dataType: 'number' as const, isRequired: false },
];

describe('the first row', () => {
  it('names columns when it names an end or an attribute', () => {
    expect(hasHeader(['City', 'countries key'], ends, definitions)).toBe(true);
    expect(hasHeader(['VIE', 'AT', 'valid_from'], ends, definitions)).toBe(true);
    expect(hasHeader(['VIE', 'AT', '2020-01-01'], ends, definitions)).toBe(false);
  });
});

describe('columns', () => {
  it('are told by their names, in whatever order', () => {
    expect(proposedUses(['SHARE', 'Target', 'valid-from', 'Source key', 'note'], true, ends, definitions)).toEqual([
      'attribute:share',
      'target',
      'attribute:Valid from',
      'source',
      'ignore',
    ]);
  });

  it('are told by their place where nothing names them', () => {
    expect(proposedUses(['VIE', 'AT', '2020-01-01', '1', 'x'], false, ends, definitions)).toEqual([
      'source',
      'target',
      'attribute:Valid from',
      'attribute:share',
      'ignore',
    ]);
  });

  it('fill what the names leave open', () => {
    expect(proposedUses(['city', 'country', 'share'], true, ends, definitions)).toEqual([
      'source',
      'target',
      'attribute:share',
    ]);
  });

  it('hold one thing once', () => {
    expect(proposedUses(['source', 'source', 'target'], true, ends, [])).toEqual(['source', 'ignore', 'target']);
  });
});

describe('rows', () => {
  it('take exported texts back as they were: what looked like a formula had an apostrophe put before it', () => {
    const note = [{ name: 'note', dataType: 'string' as const, isRequired: false }];
    const rows = [
      ["'=1+1", 'AT', "'@x"],
      ['+43', "''=A", "'quoted'"],
    ];
    const read = parseValues(rows, false, ['source', 'target', 'attribute:note'], note);
    expect(read.map(({ value }) => value)).toEqual([
      { sourceKey: '=1+1', targetKey: 'AT', attributes: { note: '@x' } },
      { sourceKey: '+43', targetKey: "'=A", attributes: { note: "'quoted'" } },
    ]);
  });

  const uses = ['source', 'target', 'attribute:Valid from', 'attribute:share'] as const;
  const parsed = (...rows: string[][]) => parseValues(rows, false, uses, definitions);

  it('become values with typed attributes, keys to the letter', () => {
    expect(parsed(['007', ' AT ', '2020-01-31', '0.5'])[0]).toMatchObject({
      row: 1,
      problem: undefined,
      value: { sourceKey: '007', targetKey: 'AT', attributes: { 'Valid from': '2020-01-31', share: 0.5 } },
    });
  });

  it('leave out the names and what holds nothing', () => {
    const rows = parseValues(
      [
        ['a', 'b'],
        ['', ' '],
        ['VIE', 'AT', '2020-01-01'],
      ],
      true,
      uses,
      definitions,
    );
    expect(rows.map(({ row }) => row)).toEqual([3]);
  });

  it.each([
    [['', 'AT', '2020-01-01'], 'The source key is missing'],
    [['VIE', '', '2020-01-01'], 'The target key is missing'],
    [['VIE', 'AT', ''], 'Valid from is required'],
    [['VIE', 'AT', '31.1.2020'], 'Valid from: "31.1.2020" is not a date: use YYYY-MM-DD'],
    [['VIE', 'AT', '2020-01-01', 'half'], 'share: "half" is not a number'],
  ])('say what is wrong: %#', (row, problem) => {
    expect(parsed(row)[0]?.problem).toBe(problem);
  });
});
