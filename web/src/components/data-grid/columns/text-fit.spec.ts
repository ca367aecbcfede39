/** Tests the estimate whether a text fits its cell: in doubt it returns false. */
import { describe, expect, it } from 'vitest';
import { fits } from './text-fit.ts';

describe('a text in a cell', () => {
  it('fits if even wide letters have enough space', () => {
    expect(fits('Name of 12345', 180)).toBe(true);
    expect(fits('', 48)).toBe(true);
    expect(fits('2024-02-29', 128)).toBe(true);
  });

  it('does not fit if it may be too long', () => {
    expect(fits('Name of 12345', 100)).toBe(false);
    expect(fits('x'.repeat(1_000), 180)).toBe(false);
  });

  it('is estimated with the width of wide letters', () => {
    expect(fits('iiiiiiiiiiii', 120)).toBe(true);
    expect(fits('WWWWWWWWWWWW', 120)).toBe(false);
  });

  it('is not estimated in other scripts and for other characters', () => {
    expect(fits('東京', 180)).toBe(false);
    expect(fits('a\tb', 180)).toBe(false);
  });
});
