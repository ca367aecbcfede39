/** Tests that errors of a filter in a query string name the place in the parameter. */
import { describe, expect, it } from 'vitest';
import { parseFilter } from './list-statement.ts';

describe('parseFilter', () => {
  it.each([
    ['[]', ['filter']],
    ['{}', ['filter', 'conditions']],
  ])('refuses %s with the path in the parameter', (text, path) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }));
  });
});
