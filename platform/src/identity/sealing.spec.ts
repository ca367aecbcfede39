/** A sealed text opens with the same secret for the same purpose, and with nothing else. */
import { describe, expect, it } from 'vitest';
import { seal, unseal } from './sealing.ts';

const SECRET = 'a secret of thirty-two characters';

describe('a sealed text', () => {
  it('opens with the secret and purpose it was sealed for', () => {
    expect(unseal(SECRET, 'mail', seal(SECRET, 'mail', 'héllo\nthere'))).toBe('héllo\nthere');
  });
  it('shows nothing of the text, and is never the same twice', () => {
    const [one, other] = [seal(SECRET, 'mail', 'token=abc'), seal(SECRET, 'mail', 'token=abc')];
    expect(one.includes('token')).toBe(false);
    expect(one.equals(other)).toBe(false);
  });
  it.each([
    ['another secret', 'another secret of 32 characters..', 'mail'],
    ['another purpose', SECRET, 'cookies'],
  ])('stays shut for %s', (_what, secret, purpose) => {
    expect(unseal(secret, purpose, seal(SECRET, 'mail', 'text'))).toBeUndefined();
  });
  it('does not open once a bit was changed or it was cut', () => {
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
