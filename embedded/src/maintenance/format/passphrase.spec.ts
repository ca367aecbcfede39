/** Tests that an encrypted backup with an invalid stanza is refused before a key is derived from its passphrase. */
import { Stanza } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { identityOf, recipientOf } from './passphrase.ts';

const PASSPHRASE = 'correct hörse battery 馬';
const fileKey = Uint8Array.from({ length: 16 }, (_, at) => at);

describe('a passphrase', () => {
  it('refuses an invalid stanza before a key is derived', async () => {
    const [stanza] = await recipientOf(PASSPHRASE).wrapFileKey(fileKey);
    const { args, body } = stanza as Stanza;
    const [, salt = '', factor = ''] = args;
    const scrypt = (...rest: string[]) => new Stanza(['scrypt', ...rest], body);
    for (const stanzas of [
      [stanza as Stanza, stanza as Stanza],
      [scrypt(salt)],
      [scrypt(salt, factor, factor)],
      [scrypt(salt, '21')],
      [scrypt(salt, '017')],
      [scrypt(salt, '-1')],
      [scrypt(`${salt}==`, factor)],
      [scrypt(salt.slice(0, -4), factor)],
      [new Stanza(args, body.subarray(1))],
    ]) {
      await expect(identityOf(PASSPHRASE).unwrapFileKey(stanzas)).rejects.toThrow('invalid scrypt stanza');
    }
  });
});
