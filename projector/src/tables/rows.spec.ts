/** Tests the JSON for PostgreSQL: characters that PostgreSQL cannot store are replaced, everything else is unchanged. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanJson } from './rows.ts';

/** Returns the expected text: Node's UTF-8 encoder replaces unpaired surrogates by U+FFFD. */
const replaced = (text: string): string => Buffer.from(text).toString().replaceAll('\0', '\uFFFD');

describe('cleanJson', () => {
  it('replaces NUL and unpaired surrogates, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '\0', '\ud83d', '\udc00', '\\u0000', '\\', '😀'),
        (text, odd) => {
          const value = `${text}${odd}${text}`;
          expect(JSON.parse(cleanJson({ value: [value] }))).toEqual({ value: [replaced(value)] });
        },
      ),
    );
  });
});
