/** Seals texts that are stored for a short time: encrypts them with AES-256-GCM and a key derived from a secret. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The purposes: texts of the mail outbox, addresses for which links were requested, and passphrases of backups. */
export const MAIL_TEXT = 'mail text';
export const REQUESTED_ADDRESS = 'asked address';
export const BACKUP_PASSPHRASE = 'backup passphrase';

/** Derives one key per purpose, so that a text sealed for one purpose cannot be unsealed for another. */
const keyFor = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `sealed: ${purpose}`, 32));

/** Seals a text. The result is the nonce, the tag and the cipher text, concatenated. */
export function seal(secret: string, purpose: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyFor(secret, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Returns the text; undefined if it was sealed with another secret or for another purpose, or if it was changed. */
export function unseal(secret: string, purpose: string, sealed: Buffer): string | undefined {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(secret, purpose), nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return undefined;
  }
}
