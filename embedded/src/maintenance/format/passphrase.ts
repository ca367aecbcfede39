/**
 * Encrypts and decrypts file keys with a passphrase (age, https://c2sp.org/age#scrypt-recipient-stanza). Derives keys
 * with Node.js, not with the age library: Node.js does not block the event loop, and frees the 128 MiB of a derivation
 * immediately.
 */
import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type Identity, type Recipient, Stanza } from 'age-encryption';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** The work factor of backups: deriving the key takes 128 MiB of memory. */
const WORK_FACTOR = 17;
/** The largest work factor that is accepted in files of other programs: deriving the key takes 1 GiB. */
const WORK_FACTOR_MAX = 20;
const BLOCK_SIZE = 8;
const LABEL = Buffer.from('age-encryption.org/v1/scrypt');
const SALT_BYTES = 16;
const FILE_KEY_BYTES = 16;
const TAG_BYTES = 16;
const CIPHER = 'chacha20-poly1305';
/** The nonce can be constant, because each derived key encrypts only one file key. */
const NONCE = Buffer.alloc(12);

const keyOf = (passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> => {
  const N = 2 ** workFactor;
  const options = { N, r: BLOCK_SIZE, p: 1, maxmem: 2 * 128 * N * BLOCK_SIZE };
  return derive(passphrase, Buffer.concat([LABEL, salt]), 32, options);
};

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

export const recipientOf = (passphrase: string): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = randomBytes(SALT_BYTES);
    const key = await keyOf(passphrase, salt, WORK_FACTOR);
    const cipher = createCipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
    return [new Stanza(['scrypt', base64(salt), String(WORK_FACTOR)], body)];
  },
});

export const identityOf = (passphrase: string): Identity => ({
  async unwrapFileKey(stanzas) {
    const stanza = stanzas.find(({ args }) => args[0] === 'scrypt');
    if (stanza === undefined) return null;
    const [, saltText = '', factorText = ''] = stanza.args;
    const salt = Buffer.from(saltText, 'base64');
    const workFactor = /^[1-9]\d?$/.test(factorText) ? Number(factorText) : Number.NaN;
    const isValid = stanzas.length === 1 && stanza.args.length === 3 && base64(salt) === saltText;
    const hasValidSizes = salt.length === SALT_BYTES && stanza.body.length === FILE_KEY_BYTES + TAG_BYTES;
    if (!isValid || !hasValidSizes || !(workFactor <= WORK_FACTOR_MAX)) throw new Error('invalid scrypt stanza');
    const decipher = createDecipheriv(CIPHER, await keyOf(passphrase, salt, workFactor), NONCE, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(stanza.body.subarray(FILE_KEY_BYTES));
    const fileKey = decipher.update(stanza.body.subarray(0, FILE_KEY_BYTES));
    try {
      decipher.final();
      return fileKey;
    } catch {
      return null; // wrong passphrase
    }
  },
});
