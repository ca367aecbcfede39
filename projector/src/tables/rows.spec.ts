/** JSON on its way to PostgreSQL: what it cannot hold is replaced, all else is left to the letter. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanJson } from './rows.ts';

/** The same, said by Node's own encoder: it writes half a pair as U+FFFD. */
const held = (text: string): string => Buffer.from(text).toString().replaceAll('\0', '\uFFFD');

describe('clean JSON', () => {
  it('replaces NUL and halves of surrogate pairs, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '\0', '\ud83d', '\udc00', '\\u0000', '\\', '😀'),
        (text, odd) => {
          const value = `${text}${odd}${text}`;
          expect(JSON.parse(cleanJson({ value: [value] }))).toEqual({ value: [held(value)] });
        },
      ),
    );
  });
});
