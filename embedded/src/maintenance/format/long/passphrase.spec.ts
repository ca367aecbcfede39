/** Tests that the encryption by a passphrase is compatible with the age library. */
import { Decrypter, Encrypter, Stanza } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { identityOf, recipientOf } from '../passphrase.ts';

const PASSPHRASE = 'correct hörse battery 馬';
const fileKey = Uint8Array.from({ length: 16 }, (_, at) => at);

describe('a passphrase', () => {
  it('decrypts files of the library, and encrypts files for the library', async () => {
    const libraryEncrypter = new Encrypter();
    libraryEncrypter.setPassphrase(PASSPHRASE);
    libraryEncrypter.setScryptWorkFactor(12);
    const decrypter = new Decrypter();
    decrypter.addIdentity(identityOf(PASSPHRASE));
    expect(await decrypter.decrypt(await libraryEncrypter.encrypt('library'), 'text')).toBe('library');

    const ownEncrypter = new Encrypter();
    ownEncrypter.addRecipient(recipientOf(PASSPHRASE));
    const libraryDecrypter = new Decrypter();
    libraryDecrypter.addPassphrase(PASSPHRASE);
    expect(await libraryDecrypter.decrypt(await ownEncrypter.encrypt('own'), 'text')).toBe('own');
  });

  it('does not unwrap file keys of another passphrase or of another kind of key', async () => {
    const stanzas = await recipientOf(PASSPHRASE).wrapFileKey(fileKey);
    expect(await identityOf(PASSPHRASE).unwrapFileKey(stanzas)).toEqual(Buffer.from(fileKey));
    expect(await identityOf('another').unwrapFileKey(stanzas)).toBeNull();
    expect(await identityOf(PASSPHRASE).unwrapFileKey([new Stanza(['X25519', 'AAAA'], fileKey)])).toBeNull();
  });
});
