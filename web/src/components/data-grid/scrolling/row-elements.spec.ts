/** Tests the reuse of row elements while a list is scrolled. */
import { describe, expect, it } from 'vitest';
import { assignElements } from './row-elements.ts';

const initialElements = (rows: readonly number[]) => assignElements(new Map(), rows);

describe('the elements of rows', () => {
  it('are reused for rows added below when rows above are removed', () => {
    const before = initialElements([0, 1, 2, 3]);
    const after = assignElements(before, [1, 2, 3, 4]);
    expect([1, 2, 3].map((row) => after.get(row))).toEqual([1, 2, 3].map((row) => before.get(row)));
    expect(after.get(4)).toBe(before.get(0));
  });

  it('keep their order if most rows are new', () => {
    const before = initialElements([0, 1, 2, 3]);
    expect([...assignElements(before, [70, 71, 72, 73]).values()]).toEqual([...before.values()]);
    expect([...assignElements(before, [3, 4, 5, 6]).values()]).toEqual([...before.values()]);
  });

  // Reuse would move all other elements.
  it('are new for rows added above', () => {
    const before = initialElements([4, 5, 6, 7]);
    const after = assignElements(before, [3, 4, 5, 6]);
    expect([4, 5, 6].map((row) => after.get(row))).toEqual([4, 5, 6].map((row) => before.get(row)));
    expect([...before.values()]).not.toContain(after.get(3));
  });

  it('are not reused while their row has the focus', () => {
    const before = initialElements([0, 1, 2, 3]);
    const after = assignElements(before, [2, 900, 901, 902, 903], 2);
    expect(after.get(2)).toBe(before.get(2));
    expect(new Set(after.values()).size).toBe(5);
  });
});
