/** Tests the words for the paths of properties and for constants. */
import { describe, expect, it } from 'vitest';
import { constantWord, pathWords } from './property-words.ts';

describe('the words for the path', () => {
  it.each([
    ['approvalStatus', 'Status'],
    ['authors[0]', 'Author 1'],
    ['value.cardinality', 'Cardinality'],
    ['served.sourceSystemId', 'Served value › source'],
    ['value.unmapped.value', 'Unmapped values › value'],
    ['value.unmapped.yields', 'Unmapped values › result'],
    ['value.id', 'Value › id'],
    ['request.dataSetIds[1]', 'Request › data set 2'],
    ['columns.Unit.Price', 'Columns › Unit.Price'],
    ['values.7', 'Field 7'],
  ])('%s are “%s”', (path, words) => expect(pathWords(path, undefined)).toBe(words));

  it('of a field or a grant contain its name unchanged', () => {
    expect(pathWords('values.1', 'code')).toBe('code');
    expect(pathWords('rows[0].values.1', 'code')).toBe('Row 1 › code');
    expect(pathWords('grants.group:2', 'Editors')).toBe('Grants › Editors');
  });
});

it('words replace constants, but not the content of a row or file', () => {
  expect(constantWord('approvalStatus', 'PENDING')).toBe('Pending');
  expect(constantWord('status', 'PENDING')).toBe('Waiting');
  expect(constantWord('value.cardinality', 'ONE_TO_ONE')).toBe('One to one');
  expect(constantWord('value.unmapped.yields', 'SOURCE_VALUE')).toBe('The value itself');
  expect(constantWord('value.sourceValue', 'PENDING')).toBeUndefined();
  expect(constantWord('columns.status', 'PENDING')).toBeUndefined();
});
