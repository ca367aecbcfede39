import { describe, expect, it } from 'vitest';
import { previewOf, type StoredMapping, valueIn } from './mapping-import.ts';

const stored = (
  id: number,
  sourceValue: string,
  targetValue: string,
  more: Partial<StoredMapping> = {},
): StoredMapping => ({
  id,
  revision: 1,
  sourceValue,
  targetValue,
  confidence: 100,
  status: 'DRAFT',
  servedTarget: null,
  ...more,
});
const wanted = (row: number, sourceValue: string, targetValue: string, confidence = 100) => ({
  row,
  sourceValue,
  targetValue,
  confidence,
  problems: [],
  remarks: [],
});
const outcomes = (
  rows: Parameters<typeof previewOf>[0],
  held: readonly StoredMapping[],
  existing: 'change' | 'add' = 'change',
) => previewOf(rows, held, existing).map(({ outcome, id }) => [outcome, id]);

describe('an import of mappings', () => {
  it('tells new pairs from those that are there', () => {
    expect(outcomes([wanted(1, 'DE', 'DEU'), wanted(2, 'FR', 'FRA')], [stored(7, 'DE', 'DEU')])).toEqual([
      ['unchanged', 7],
      ['new', null],
    ]);
  });
  it('changes a confidence, and the only target of a value that the file has once', () => {
    const held = [stored(7, 'DE', 'DEU'), stored(8, 'FR', 'FRX')];
    const rows = previewOf([wanted(1, 'DE', 'DEU', 90), wanted(2, 'FR', 'FRA')], held, 'change');
    expect(rows.map(({ outcome, id, before }) => [outcome, id, before])).toEqual([
      ['changed', 7, { targetValue: 'DEU', confidence: 100 }],
      ['changed', 8, { targetValue: 'FRX', confidence: 100 }],
    ]);
  });
  it('adds a target where it is told to, or where either side has several', () => {
    expect(outcomes([wanted(1, 'FR', 'FRA')], [stored(8, 'FR', 'FRX')], 'add')).toEqual([['new', null]]);
    expect(outcomes([wanted(1, 'FR', 'FRA')], [stored(8, 'FR', 'FRX'), stored(9, 'FR', 'FXX')])).toEqual([
      ['new', null],
    ]);
    expect(outcomes([wanted(1, 'FR', 'FRA'), wanted(2, 'FR', 'FXX')], [stored(8, 'FR', 'FRX')])).toEqual([
      ['new', null],
      ['new', null],
    ]);
  });
  it('leaves alone what serves already while another target is drafted', () => {
    const held = [stored(8, 'FR', 'FRX', { servedTarget: 'FRA' })];
    expect(outcomes([wanted(1, 'FR', 'FRA')], held)).toEqual([['unchanged', 8]]);
  });
  it('does not touch what is under review', () => {
    const [row] = previewOf([wanted(1, 'FR', 'FRA')], [stored(8, 'FR', 'FRX', { status: 'PENDING' })], 'change');
    expect(row).toMatchObject({
      outcome: 'invalid',
      problems: [{ rule: 'This row is under review: recall it first' }],
    });
  });
  it('takes a pair once', () => {
    const rows = previewOf([wanted(2, 'DE', 'DEU'), wanted(3, 'DE', 'DEU', 5)], [], 'change');
    expect(rows.map(({ outcome, problems }) => [outcome, problems[0]?.rule])).toEqual([
      ['new', undefined],
      ['invalid', 'This pair is in row 2 already'],
    ]);
  });
});

describe('an identifier with a prefix', () => {
  const value = { value: 'HP:1', local: '1' };
  it('is the value that the data set has', () => {
    expect(valueIn(new Map([['HP:1', null]]), value)).toBe('HP:1');
    expect(valueIn(new Map([['1', null]]), value)).toBe('1');
    expect(
      valueIn(
        new Map([
          ['1', null],
          ['HP:1', null],
        ]),
        value,
      ),
    ).toBe('HP:1');
  });
  it('stays whole where no row has either', () => {
    expect(valueIn(new Map(), value)).toBe('HP:1');
  });
});
