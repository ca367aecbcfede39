/** Keys that were seen: every repetition is noticed, whatever the keys and however many. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenKeys } from './duplicate-keys.ts';

describe('keys that were seen', () => {
  it('are noticed whenever they come again', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), (keys) => {
        const seen = new SeenKeys();
        const before = new Set<string>();
        for (const key of keys) {
          if (before.has(key)) expect(seen.add(key)).toBe(true);
          else seen.add(key);
          before.add(key);
        }
      }),
    );
  });

  it('are told apart by the hundred thousand', () => {
    const seen = new SeenKeys();
    const keys = Array.from({ length: 100_000 }, (_, number) => `["C${String(number).padStart(7, '0')}"]`);
    expect(keys.filter((key) => seen.add(key))).toEqual([]);
    expect(keys.filter((key) => !seen.add(key))).toEqual([]);
  });
});
