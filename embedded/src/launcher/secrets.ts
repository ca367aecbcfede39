/** Secrets and first passwords that the product generates. Only the user who runs the product can read the files. */
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  generateSigningKey,
  InvalidSigningKey,
  loadSigningKey,
  signingKeyPath,
} from '@rdm/platform/identity/signing-key';
import { isOutOfSpace } from '../event-store/storage/disk.ts';

export type Secrets = {
  /** Signs sessions and download links, encrypts texts such as mails, and is the key of keyed hashes. */
  sessionSecret: string;
  /** Authenticates the calls between services: each call contains the secret. */
  serviceSecret: string;
  /** First passwords, used if the settings contain none. */
  adminPassword: string;
  samplePassword: string;
};

export function readOrCreateSecrets(dataDir: string): Secrets {
  return readOrCreateJson(join(dataDir, 'secrets.json'), () => ({
    sessionSecret: makeSecret(),
    serviceSecret: makeSecret(),
    adminPassword: makePassword(),
    samplePassword: makePassword(),
  }));
}

/** Returns a secret of 256 bits: 43 letters, digits, `-` and `_`. */
const makeSecret = () => randomBytes(32).toString('base64url');

/**
 * Writes a new secret to the file, with mode 0600, and returns it. If the disk is full, returns the former secret, or
 * throws if there is none.
 */
export function renewSecret(path: string): string {
  const secret = makeSecret();
  try {
    writePrivately(path, `${secret}\n`);
    return secret;
  } catch (error) {
    if (!isOutOfSpace(error) || !existsSync(path)) throw error;
    return readFileSync(path, 'utf8').trim();
  }
}

/**
 * Returns the path of the key that signs the audit log, and creates the key if there is none. Throws an error with a
 * message for the user if the key cannot be used.
 */
export function ensureSigningKey(dataDir: string): string {
  const path = signingKeyPath(dataDir);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writePrivately(path, generateSigningKey());
  try {
    loadSigningKey(path);
  } catch (error) {
    if (!(error instanceof InvalidSigningKey)) throw error;
    const remedy = 'Restore it from a backup, or remove it, so that the next start creates a new key.';
    throw new Error(`The key that signs the audit log cannot be used: ${error.message}. ${remedy}`, { cause: error });
  }
  return path;
}

/** Classes of characters, without letters and digits that can be confused. */
const CLASSES = ['abcdefghijkmnpqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '-+='];
const CHARACTERS_PER_CLASS = [5, 5, 4, 2];

/** Returns a password of 16 characters (about 86 bits) that satisfies the password rules. */
export function makePassword(): string {
  const characters = CLASSES.flatMap((letters, index) =>
    Array.from({ length: CHARACTERS_PER_CLASS[index] ?? 0 }, () => letters[randomInt(letters.length)] ?? ''),
  );
  for (let last = characters.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [characters[last], characters[other]] = [characters[other] ?? '', characters[last] ?? ''];
  }
  return characters.join('');
}

/** Returns the value in the file. If there is no file, writes a new value atomically and returns it. */
export function readOrCreateJson<T>(path: string, make: () => T): T {
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as T;
  const value = make();
  writePrivately(path, `${JSON.stringify(value, null, 2)}\n`);
  return value;
}

export function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}
