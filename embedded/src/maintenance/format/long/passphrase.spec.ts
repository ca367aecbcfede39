/** Tests that the encryption by a passphrase is compatible with the age library. */
import { Decrypter, Encrypter, Stanza } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { identityOf, recipientOf } from '../passphrase.ts';

const PASSPHRASE = 'correct hörse battery 馬';
const fileKey = Uint8Array.from({ length: 16 }, (_, at) => at);

describe('a passphrase', () => {
  it('decrypts files of the library, and encrypts files for the library', async () => {
    const theirs = new Encrypter();
    theirs.setPassphrase(PASSPHRASE);
    theirs.setScryptWorkFactor(12);
    const decrypter = new Decrypter();
    decrypter.addIdentity(identityOf(PASSPHRASE));
    expect(await decrypter.decrypt(await theirs.encrypt('theirs'), 'text')).toBe('theirs');

    const ownEncrypter = new Encrypter();
    ownEncrypter.addRecipient(recipientOf(PASSPHRASE));
    const library = new Decrypter();
    library.addPassphrase(PASSPHRASE);
    expect(await library.decrypt(await ownEncrypter.encrypt('own'), 'text')).toBe('own');
  });

  it('does not decrypt files of another passphrase or another kind of key', async () => {
    const stanzas = await recipientOf(PASSPHRASE).wrapFileKey(fileKey);
    expect(await identityOf(PASSPHRASE).unwrapFileKey(stanzas)).toEqual(Buffer.from(fileKey));
    expect(await identityOf('another').unwrapFileKey(stanzas)).toBeNull();
    expect(await identityOf(PASSPHRASE).unwrapFileKey([new Stanza(['X25519', 'AAAA'], fileKey)])).toBeNull();
  });
});
