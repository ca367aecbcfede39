/** Tests the validation of a column mapping before an import starts. */
import { describe, expect, it } from 'vitest';
import { isComplete, type MappedField, mappingProblems, samplesOf, withColumn } from './mapping.ts';

const FIELDS: MappedField[] = [
  { fieldId: 1, name: 'code', isPrimaryKey: true },
  { fieldId: 2, name: 'name', isPrimaryKey: false },
];

describe('a column mapping', () => {
  it('is complete once each key field is filled; other fields may be empty', () => {
    expect(isComplete(mappingProblems({ Code: 1 }, FIELDS))).toBe(true);
  });

  it('returns the key fields without a column', () => {
    expect(mappingProblems({ Name: 2 }, FIELDS)).toEqual({ missingKeys: ['code'], repeated: [] });
  });

  it('returns the columns that fill the same field', () => {
    expect(mappingProblems({ A: 1, B: 2, C: 2 }, FIELDS).repeated).toEqual([{ field: 'name', columns: ['B', 'C'] }]);
  });

  it('changes one column at a time', () => {
    expect(withColumn({ A: 1 }, 'B', 2)).toEqual({ A: 1, B: 2 });
    expect(withColumn({ A: 1, B: 2 }, 'A', undefined)).toEqual({ B: 2 });
  });
});

it('samples distinct values of a column, without empty cells', () => {
  expect(samplesOf([['004'], [''], ['004'], ['008'], []], 0)).toEqual(['004', '008']);
  expect(samplesOf([['a'], ['b'], ['c'], ['d']], 0)).toEqual(['a', 'b', 'c']);
});
