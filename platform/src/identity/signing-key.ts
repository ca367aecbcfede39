/** Creates and reads the Ed25519 key that signs the audit log, backups and purge manifests, and verifies signatures. */
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
  /** The id of the public key. */
  keyId: string;
  /** The public key as PEM (SPKI). */
  publicKey: string;
  /** Returns the 64 bytes of an Ed25519 signature. */
  sign(bytes: Uint8Array): Buffer;
}

/** Thrown for a key that cannot be used. The message begins in lower case: it completes a sentence of the caller. */
export class InvalidSigningKey extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'InvalidSigningKey';
  }
}

/** The number of hexadecimal digits of a key's id. */
const ID_DIGITS = 16;

/** The message for a wrong AUDIT_SIGNING_KEY. */
export const signingKeyProblem = ({ message }: InvalidSigningKey): string =>
  `AUDIT_SIGNING_KEY cannot be used: ${message}. It must name a file with the key; make one with "openssl genpkey -algorithm ed25519 -out signing-key.pem".`;

/** The path of the file with the private key, which the launcher creates once and never replaces. */
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

/** Whether a signature is valid for a public Ed25519 key (PEM). Throws InvalidSigningKey for other keys. */
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
    throw new InvalidSigningKey(`the file "${path}" cannot be read (${code})`, error);
  }
}

function toPrivateKey(path: string, pem: string): KeyObject {
  // Do not pass on the error of the parser, because it may quote a part of the key.
  const key = attempt(() => createPrivateKey(pem));
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidSigningKey(`the file "${path}" holds no private Ed25519 key in PEM form`);
}

function toPublicKey(pem: string): KeyObject {
  // createPublicKey would accept a private key: refuse it.
  const key = pem.includes('PRIVATE KEY') ? undefined : attempt(() => createPublicKey(pem));
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidSigningKey('this is no public Ed25519 key in PEM form');
}

function attempt(create: () => KeyObject): KeyObject | undefined {
  try {
    return create();
  } catch {
    return undefined;
  }
}
