/** Tests the limit of the texts of a workbook. */
import { describe, expect, it } from 'vitest';
import { SharedStrings } from '../shared-strings.ts';

describe('shared texts', () => {
  it('are refused beyond 128 MiB', () => {
    const strings = new SharedStrings();
    const text = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 128; count++) strings.add(text);
    expect(() => strings.add('x')).toThrow('The texts of the workbook unpack to more than 128 MiB.');
  });
});
