/** Specifies the detection of repeated keys. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DuplicateKeyDetector } from './duplicate-keys.ts';

describe('keys of a file', () => {
  it('are detected when they repeat', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), (keys) => {
        const keysOfFile = new DuplicateKeyDetector();
        const earlierKeys = new Set<string>();
        for (const key of keys) {
          if (earlierKeys.has(key)) expect(keysOfFile.add(key)).toBe(true);
          else keysOfFile.add(key);
          earlierKeys.add(key);
        }
      }),
    );
  });

  it('are distinguished if there are a hundred thousand', () => {
    const keysOfFile = new DuplicateKeyDetector();
    const keys = Array.from({ length: 100_000 }, (_, number) => `["C${String(number).padStart(7, '0')}"]`);
    expect(keys.filter((key) => keysOfFile.add(key))).toEqual([]);
    expect(keys.filter((key) => !keysOfFile.add(key))).toEqual([]);
  });
});
