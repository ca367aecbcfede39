/** Tests how files of relationship values are read: the header, the columns, the rows and the cells. */
import { describe, expect, it } from 'vitest';
import type { ImportRelationshipValues } from './relationship-value-exchange.ts';
import {
  type KnownNames,
  layoutOf,
  layoutRemarks,
  readCell,
  readValue,
  usesOf,
  valueReader,
} from './relationship-value-files.ts';

const knownNames: KnownNames = {
  source: { name: 'Cities', field: 'code' },
  target: { name: 'Countries', field: 'iso' },
  attributes: [
    { attributeId: 1, name: 'Valid from' },
    { attributeId: 2, name: 'share' },
  ],
};

/** Reads a text in pieces of a few characters, like an upload. */
function read(text: string, settings: Pick<ImportRelationshipValues, 'isNamed' | 'columns'> = {}, names = knownNames) {
  const reader = valueReader();
  const rows = [];
  for (let at = 0; at < text.length; at += 7) rows.push(...reader.push(text.slice(at, at + 7), at + 7 >= text.length));
  const layout = layoutOf(reader, rows[0], settings, names);
  const data = layout.isNamed && reader.format() === 'csv' ? rows.slice(1) : rows;
  return { layout, format: reader.format(), values: data.map((row) => readValue(layout, reader.format(), row)) };
}

describe('the first row', () => {
  it.each([
    ['City,countries key\nVIE,AT', true],
    ['VIE,AT,valid_from\nVIE,AT,2020-01-01', true],
    ['VIE,AT,2020-01-01', false],
  ])('is the header if it names an end or an attribute: %j', (text, isNamed) => {
    expect(read(text).layout.isNamed).toBe(isNamed);
  });

  it('is read as the settings declare, regardless of the cells', () => {
    const { layout, values } = read('a,b\nVIE,AT', { isNamed: true });
    expect([layout.columns, values.map(({ sourceKey }) => sourceKey)]).toEqual([['a', 'b'], ['VIE']]);
    expect(read('source,target\nVIE,AT', { isNamed: false }).values).toHaveLength(2);
  });
});

describe('columns', () => {
  it('are recognised by their names in any order', () => {
    const { layout } = read('SHARE;Target;valid-from;Source key;note\n1;AT;;VIE;x');
    expect(usesOf(layout)).toEqual({
      source: 'Source key',
      target: 'Target',
      attributes: { 'Valid from': 'valid-from', share: 'SHARE' },
    });
    expect(layoutRemarks(layout)).toEqual(['Columns that are not read: note']);
  });

  it('are recognised by their positions if they have no names', () => {
    const { layout } = read('VIE,AT,2020-01-01,1,x');
    expect(usesOf(layout)).toEqual({
      source: 'Column 1',
      target: 'Column 2',
      attributes: { 'Valid from': 'Column 3', share: 'Column 4' },
    });
  });

  it('are matched by position if their names do not match the ends', () => {
    expect(usesOf(read('city,country,share\nVIE,AT,1').layout)).toMatchObject({ source: 'city', target: 'country' });
  });

  it('with equal names get unique names, and only the first column is read', () => {
    const { layout } = read('source,source,target\nVIE,GRZ,AT');
    expect(layout.columns).toEqual(['source', 'source (2)', 'target']);
    expect(usesOf(layout)).toMatchObject({ source: 'source', target: 'target' });
  });

  it('have the meaning that the settings declare', () => {
    const columns = { source: 'to', target: 'from', attributes: { share: 'from' } };
    const { values } = read('from,to\nAT,VIE', { isNamed: true, columns });
    expect(values[0]).toMatchObject({ sourceKey: 'VIE', targetKey: 'AT', cells: { 2: 'AT' } });
  });

  it.each([
    [{ source: 'x', target: 'from', attributes: {} }, 'The file has no column “x”'],
    [{ source: 'to', target: 'from', attributes: { colour: 'to' } }, 'This relationship has no attribute "colour"'],
  ])('are refused if the settings name a column or attribute that does not exist: %j', (columns, words) => {
    expect(() => read('from,to\nAT,VIE', { isNamed: true, columns })).toThrow(words);
  });

  it('are refused if there are fewer than two', () => {
    expect(() => read('VIE\nGRZ')).toThrow(/^A row needs at least two columns/);
    expect(() => read(' \n')).toThrow('The file has no rows');
  });
});

describe('rows of CSV', () => {
  it('lose the apostrophe that exports put before formulas', () => {
    const names = { ...knownNames, attributes: [{ attributeId: 1, name: 'note' }] };
    const { values } = read("'=1+1,AT,'@x\n+43,''=A,'quoted'", {}, names);
    expect(values).toMatchObject([
      { sourceKey: '=1+1', targetKey: 'AT', cells: { 1: '@x' } },
      { sourceKey: '+43', targetKey: "'=A", cells: { 1: "'quoted'" } },
    ]);
  });

  it('have line numbers and trimmed keys, and empty rows are skipped', () => {
    const { values } = read('source,target\n007, AT \n, \n"a\nb",AT\nVIE,AT');
    expect(values.map(({ line, sourceKey, targetKey }) => [line, sourceKey, targetKey])).toEqual([
      [2, '007', 'AT'],
      [4, 'a\nb', 'AT'],
      [6, 'VIE', 'AT'],
    ]);
  });

  it.each([
    [',AT', 'The source key is missing'],
    ['VIE,', 'The target key is missing'],
    ['VI\0E,AT', 'The source key has characters that cannot be stored'],
    ['"VIE"x,AT', 'In this row a quotation mark is closed before the end of its field'],
  ])('report the problem of the row %j', (line, rule) => {
    expect(read(`source,target\n${line}`).values[0]?.problems[0]?.rule).toBe(rule);
  });

  it('are refused if they have more filled cells than the file has columns', () => {
    const { values } = read('City,countries key\nVIE,AT\nA,B,C\nGRZ,AT,,\n');
    expect(values.map(({ line, problems }) => [line, problems.map(({ rule }) => rule)])).toEqual([
      [2, []],
      [3, ['This row has 3 fields where the file has 2 columns']],
      [4, []],
    ]);
  });
});

describe('rows of JSON', () => {
  it('are read from a list of objects or from a response of the API', () => {
    const rows = [
      { sourceKey: '007', targetKey: 'AT', attributes: { share: 0.5 }, status: 'DRAFT' },
      { sourceKey: 7, targetKey: ['AT', 1], attributes: { 'Valid from': null } },
    ];
    for (const document of [rows, { items: rows }]) {
      const { values, format, layout } = read(JSON.stringify(document));
      expect(format).toBe('json');
      expect(layoutRemarks(layout)).toEqual([]);
      expect(values).toMatchObject([
        { line: 1, sourceKey: '007', targetKey: 'AT', cells: { 2: 0.5 }, problems: [] },
        { line: 2, sourceKey: '7', targetKey: '["AT",1]', cells: { 1: null }, problems: [] },
      ]);
      // An attribute that the object leaves out stays unchanged.
      expect(values[0]?.cells).not.toHaveProperty('1');
    }
  });

  it.each([
    ['[1, {"sourceKey": "VIE", "targetKey": "AT"}]', 'This is not a relationship value'],
    ['[{"sourceKey": {}, "targetKey": "AT"}]', 'The source key is neither a text nor a list'],
    ['[{"sourceKey": "VIE", "targetKey": null}]', 'The target key is missing'],
  ])('report the problem of %s', (text, rule) => {
    expect(read(text).values[0]?.problems[0]?.rule).toBe(rule);
  });

  it('are refused if the file has no list of values, or is not valid JSON', () => {
    expect(() => read('{"a": 1}')).toThrow(/^The file has no list of values/);
    expect(() => read('[{]')).toThrow(/^The file is not valid JSON/);
  });
});

describe('a cell', () => {
  const share = { name: 'share', dataType: 'number' as const };
  it('is text in CSV and typed in JSON', () => {
    expect(readCell('0.5', share, 'csv')).toEqual({ ok: true, value: 0.5 });
    expect(readCell('', share, 'csv')).toEqual({ ok: true, value: null });
    expect(readCell(0.5, share, 'json')).toEqual({ ok: true, value: 0.5 });
    expect(readCell('0.5', share, 'json')).toMatchObject({ ok: false, problem: { column: 'share', value: '0.5' } });
  });

  it('is refused if it has characters that cannot be stored, or is too long', () => {
    const note = { name: 'note', dataType: 'string' as const };
    expect(readCell('a\0b', note, 'csv')).toMatchObject({ ok: false, problem: { value: 'ab' } });
    expect(readCell('x'.repeat(100_001), note, 'csv')).toMatchObject({
      ok: false,
      problem: { rule: 'It is longer than 100,000 characters' },
    });
  });
});
