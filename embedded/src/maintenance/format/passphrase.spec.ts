/** Tests that an encrypted backup with an invalid stanza is refused before a key is derived from its passphrase. */
import { scrypt } from 'node:crypto';
import { Stanza } from 'age-encryption';
import { describe, expect, it, vi } from 'vitest';
import { identityOf, recipientOf } from './passphrase.ts';

vi.mock('node:crypto', async (load) => {
  const crypto = await load<typeof import('node:crypto')>();
  return { ...crypto, scrypt: vi.fn(crypto.scrypt) };
});

const PASSPHRASE = 'correct hörse battery 馬';
const fileKey = Uint8Array.from({ length: 16 }, (_, at) => at);

describe('a passphrase', () => {
  it('refuses an invalid stanza before a key is derived', async () => {
    const [stanza] = await recipientOf(PASSPHRASE).wrapFileKey(fileKey);
    const { args, body } = stanza as Stanza;
    const [, salt = '', factor = ''] = args;
    const stanzaWith = (...rest: string[]) => new Stanza(['scrypt', ...rest], body);
    expect(scrypt).toHaveBeenCalledOnce();
    vi.mocked(scrypt).mockClear();
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
