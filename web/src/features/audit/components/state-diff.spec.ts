/** Tests the comparison of the states of an entity after two steps. */
import { describe, expect, it } from 'vitest';
import { compareStates, isChanged } from './state-diff.ts';

describe('the comparison of two states', () => {
  it('lists every path with its old and new value, and finds the changed paths', () => {
    const paths = compareStates({ a: 1, b: 2, gone: 3 }, { a: 1, b: 4, c: 5 });
    expect(paths).toEqual([
      { path: 'a', before: '1', after: '1' },
      { path: 'b', before: '2', after: '4' },
      { path: 'c', before: undefined, after: '5' },
      { path: 'gone', before: '3', after: undefined },
    ]);
    expect(paths.filter(isChanged).map(({ path }) => path)).toEqual(['b', 'c', 'gone']);
  });
});
