/** Tests that the stanzas of an encrypted backup are checked before a key is derived from the passphrase. */
import { Stanza } from 'age-encryption';
import { describe, expect, it, vi } from 'vitest';

const PASSPHRASE = 'correct hörse battery 馬';
const fileKey = Uint8Array.from({ length: 16 }, (_, at) => at);

describe('the identity of a passphrase', () => {
  it('refuses an invalid or a second stanza before it derives a key', async () => {
    const crypto = await vi.importActual<typeof import('node:crypto')>('node:crypto');
    const scrypt = vi.fn(crypto.scrypt);
    vi.resetModules();
    vi.doMock('node:crypto', () => ({ ...crypto, scrypt }));
    const { identityOf, recipientOf } = await import('./passphrase.ts');
    vi.doUnmock('node:crypto');
    const [stanza] = await recipientOf(PASSPHRASE).wrapFileKey(fileKey);
    const { args, body } = stanza as Stanza;
    const [, salt = '', factor = ''] = args;
    const stanzaWith = (...stanzaArgs: string[]) => new Stanza(['scrypt', ...stanzaArgs], body);
    expect(scrypt).toHaveBeenCalledOnce();
    scrypt.mockClear();
    for (const stanzas of [
      [stanza as Stanza, stanza as Stanza],
      [stanzaWith(salt)],
      [stanzaWith(salt, factor, factor)],
      [stanzaWith(salt, '21')],
      [stanzaWith(salt, '017')],
      [stanzaWith(salt, '-1')],
      [stanzaWith(`${salt}==`, factor)],
      [stanzaWith(salt.slice(0, -4), factor)],
      [new Stanza(args, body.subarray(1))],
    ]) {
      await expect(identityOf(PASSPHRASE).unwrapFileKey(stanzas)).rejects.toThrow('invalid scrypt stanza');
    }
    expect(scrypt).not.toHaveBeenCalled();
  });
});
