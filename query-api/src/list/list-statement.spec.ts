/** Tests that errors of the parameter `filter` name their place, beginning with the name of the parameter. */
import { describe, expect, it } from 'vitest';
import { parseFilter } from './list-statement.ts';

describe('parseFilter', () => {
  it.each([
    ['[]', ['filter']],
    ['{}', ['filter', 'conditions']],
  ])('refuses %s and names the place of the error', (text, path) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }));
  });
});
