/** Specifies which numbers of a JSON text are refused and which are accepted. */
import { describe, expect, it } from 'vitest';
import { inexactNumber } from './exact-numbers.ts';

const inexactIn = (json: string) => inexactNumber(Buffer.from(json));

describe('the check of numbers in a JSON text', () => {
  it.each(['9007199254740993', '-12345678901234567', '0.1234567890123456789', '1e400', '-1e400', '1e-400'])(
    'finds %s, which parsing would change',
    (number) => {
      expect(inexactIn(`{"rows":[{"data":{"code":"a","level":${number}}}]}`)).toBe(number);
      expect(inexactIn(number)).toBe(number);
    },
  );

  it.each([
    '0',
    '-0',
    '1e2',
    '1E+21',
    '12.50000000000000000000',
    '9007199254740992',
    '0.1',
    '5e-324',
    '123456789012345680000',
  ])('accepts %s, which keeps its value', (number) => {
    expect(inexactIn(`[1,${number},"x"]`)).toBeUndefined();
  });

  it('accepts numbers with the seventeen digits that many systems write', () => {
    expect(inexactIn('[0.10000000000000001,3.1400000000000001]')).toBeUndefined();
  });

  it('ignores digits in strings', () => {
    expect(inexactIn(String.raw`{"9007199254740993":"9007199254740993","a\\":"\"9007199254740993\\\" 1e400"}`)).toBe(
      undefined,
    );
    expect(inexactIn(String.raw`{"a":"\\","level":9007199254740993}`)).toBe('9007199254740993');
  });

  it('leaves invalid JSON to the parser', () => {
    expect(inexactIn('{"a":"9007199254740993')).toBeUndefined();
    expect(inexactIn('[1-2, 1.2.3, --, e]')).toBeUndefined();
  });
});
