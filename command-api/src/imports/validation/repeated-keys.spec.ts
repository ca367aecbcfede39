import { describe, expect, it } from 'vitest';
import { repeatedLines } from './repeated-keys.ts';

const PIECES = [
  { number: 0, lines: [2, 3, 5], keys: ['["a"]', '["b"]', '["a"]'] },
  { number: 1, lines: [7, 8], keys: ['["a"]', '["c"]'] },
];

describe('repeatedLines', () => {
  it('returns all lines of a key except the first, with that line', () => {
    expect(repeatedLines(PIECES, 'first')).toEqual(new Map().set(0, new Map().set(5, 2)).set(1, new Map().set(7, 2)));
  });

  it('returns all lines of a key except the last, with that line', () => {
    expect(repeatedLines(PIECES, 'last')).toEqual(new Map().set(0, new Map().set(2, 7).set(5, 7)));
  });

  it('returns no line if all keys differ', () => {
    expect(repeatedLines([{ number: 0, lines: [2, 3], keys: ['["a"]', '["b"]'] }], 'first')).toEqual(new Map());
  });
});
