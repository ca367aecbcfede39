/** Tests the label of a row beside its key or a mapped value. */
import { describe, expect, it } from 'vitest';
import { cellLabel, namedValue } from './index.ts';

const data = { code: 'VIE', inhabitants: 2, name: 'Vienna', local: '' };

describe('a row', () => {
  it('has the value of the label field as its label', () => {
    expect(cellLabel(data, 'name')).toBe('Vienna');
    expect(cellLabel(data, 'inhabitants')).toBe('2');
  });
  it('has no label if its label field is empty or there is no label field', () => {
    expect(cellLabel(data, 'local')).toBeNull();
    expect(cellLabel(data, null)).toBeNull();
  });
  it('can be chosen by the value of the mapped attribute, and cannot be chosen if that value is empty', () => {
    expect(namedValue({ data }, 'code', 'name')).toEqual({ value: 'VIE', label: 'Vienna' });
    expect(namedValue({ data }, 'local', 'name')).toBeUndefined();
  });
});
