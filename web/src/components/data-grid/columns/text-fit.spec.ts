/** Tests the estimate whether a text fits its cell. In case of doubt, the estimate is false. */
import { describe, expect, it } from 'vitest';
import { textFits } from './text-fit.ts';

describe('a text in a cell', () => {
  it('fits if the maximum widths of its letters have enough space', () => {
    expect(textFits('Name of 12345', 180)).toBe(true);
    expect(textFits('', 48)).toBe(true);
    expect(textFits('2024-02-29', 128)).toBe(true);
  });

  it('does not fit if it may be too long', () => {
    expect(textFits('Name of 12345', 100)).toBe(false);
    expect(textFits('x'.repeat(1_000), 180)).toBe(false);
  });

  it('needs more width if its letters are wide', () => {
    expect(textFits('iiiiiiiiiiii', 120)).toBe(true);
    expect(textFits('WWWWWWWWWWWW', 120)).toBe(false);
  });

  it('does not fit if it has control characters or characters outside ASCII', () => {
    expect(textFits('東京', 180)).toBe(false);
    expect(textFits('a\tb', 180)).toBe(false);
  });
});
