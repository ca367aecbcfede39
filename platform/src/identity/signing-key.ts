/** Reads the Ed25519 key that signs the audit log, and verifies its signatures. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign as createSignature,
  generateKeyPairSync,
  type KeyObject,
  verify as verifySignature,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SigningKey {
  /** The id of its public key. */
  keyId: string;
  /** PEM (SPKI). */
  publicKey: string;
  /** Returns the 64 bytes of an Ed25519 signature. */
  sign(bytes: Uint8Array): Buffer;
}

/** A key that cannot be used; the message completes a sentence that begins with its name, such as AUDIT_SIGNING_KEY. */
export class InvalidSigningKey extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'InvalidSigningKey';
  }
}

/** Hexadecimal digits of a key's id. */
const ID_DIGITS = 16;

const REMEDY = 'make one with "openssl genpkey -algorithm ed25519 -out signing-key.pem"';

/** The private key of an installation with the embedded stores, which the launcher writes at the first start and never replaces. */
export const signingKeyPath = (dataDir: string): string => join(dataDir, 'keys', 'signing-key.pem');

/** Returns a new private key as PEM (PKCS #8). */
export const generateSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Reads the private key from a PEM file. Throws InvalidSigningKey. */
export function loadSigningKey(path: string): SigningKey {
  const privateKey = toPrivateKey(path, readKeyFile(path));
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return { keyId: keyIdOf(publicKey), publicKey, sign: (bytes) => createSignature(null, bytes, privateKey) };
}

/** Whether the private key of a public key (PEM) made the signature. Throws InvalidSigningKey for another kind of key. */
export function verify(bytes: Uint8Array, signature: Uint8Array, publicKey: string): boolean {
  return verifySignature(null, bytes, toPublicKey(publicKey), signature);
}

/** The first 16 hexadecimal digits of the SHA-256 of a public key (PEM) in DER form. Throws InvalidSigningKey. */
export function keyIdOf(publicKey: string): string {
  const der = toPublicKey(publicKey).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, ID_DIGITS);
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InvalidSigningKey(`names the file "${path}", which cannot be read (${code}): ${REMEDY}`, error);
  }
}

function toPrivateKey(path: string, pem: string): KeyObject {
  // The parser's own error is not passed on: it may quote a part of the key.
  const key = attempt(() => createPrivateKey(pem));
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidSigningKey(`names the file "${path}", which holds no private Ed25519 key in PEM form: ${REMEDY}`);
}

function toPublicKey(pem: string): KeyObject {
  // A private key is refused, although createPublicKey takes one.
  const key = pem.includes('PRIVATE KEY') ? undefined : attempt(() => createPublicKey(pem));
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidSigningKey('is no public Ed25519 key in PEM form');
}

function attempt(create: () => KeyObject): KeyObject | undefined {
  try {
    return create();
  } catch {
    return undefined;
  }
}
