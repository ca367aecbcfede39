/** Tests the label and the mapped value of a row. */
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
  it('is offered with its mapped value and label, unless the mapped value is empty', () => {
    expect(namedValue({ data }, 'code', 'name')).toEqual({ value: 'VIE', label: 'Vienna' });
    expect(namedValue({ data }, 'local', 'name')).toBeUndefined();
  });
});
