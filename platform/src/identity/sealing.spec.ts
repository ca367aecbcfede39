/** Specifies that a sealed text can only be unsealed with the same secret and the same purpose. */
import { describe, expect, it } from 'vitest';
import { seal, unseal } from './sealing.ts';

const SECRET = 'a secret of thirty-two characters';

describe('a sealed text', () => {
  it('is unsealed with the same secret and purpose', () => {
    expect(unseal(SECRET, 'mail', seal(SECRET, 'mail', 'héllo\nthere'))).toBe('héllo\nthere');
  });
  it('does not contain the text, and is different each time', () => {
    const [first, second] = [seal(SECRET, 'mail', 'token=abc'), seal(SECRET, 'mail', 'token=abc')];
    expect(first.includes('token')).toBe(false);
    expect(first.equals(second)).toBe(false);
  });
  it.each([
    ['another secret', 'another secret of 32 characters..', 'mail'],
    ['another purpose', SECRET, 'cookies'],
  ])('is not unsealed with %s', (_what, secret, purpose) => {
    expect(unseal(secret, purpose, seal(SECRET, 'mail', 'text'))).toBeUndefined();
  });
  it('is not unsealed if it was changed or shortened', () => {
    const sealed = seal(SECRET, 'mail', 'text');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(unseal(SECRET, 'mail', changed)).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(unseal(SECRET, 'mail', sealed.subarray(0, length))).toBeUndefined();
    }
  });
});
