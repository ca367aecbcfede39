/** What is said to fit into a cell is not cut there: in doubt a text does not. */
import { describe, expect, it } from 'vitest';
import { fits } from './text-fit.ts';

describe('a text and its cell', () => {
  it('fits where even broad letters have room', () => {
    expect(fits('Name of 12345', 180)).toBe(true);
    expect(fits('', 48)).toBe(true);
    expect(fits('2024-02-29', 128)).toBe(true);
  });

  it('does not where it may be too long', () => {
    expect(fits('Name of 12345', 100)).toBe(false);
    expect(fits('x'.repeat(1_000), 180)).toBe(false);
  });

  it('counts broad letters as broad', () => {
    expect(fits('iiiiiiiiiiii', 120)).toBe(true);
    expect(fits('WWWWWWWWWWWW', 120)).toBe(false);
  });

  it('says nothing of other writings and of what is no letter', () => {
    expect(fits('東京', 180)).toBe(false);
    expect(fits('a\tb', 180)).toBe(false);
  });
});
