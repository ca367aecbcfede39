/** Specifies how signing keys are loaded, and how they sign and verify. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  generateSigningKey,
  InvalidSigningKey,
  keyIdOf,
  loadSigningKey,
  signingKeyProblem,
  verify,
} from './signing-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'signing-key-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function keyFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The key of RFC 8032 §7.1, test 3: seed, message and signature. */
const RFC = {
  seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
  message: 'af82',
  signature:
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
};
const rfcPem = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${RFC.seed}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
})
  .export({ type: 'pkcs8', format: 'pem' })
  .toString();

describe('the signing key', () => {
  it('signs as defined in RFC 8032', () => {
    const key = loadSigningKey(keyFile('rfc.pem', rfcPem));
    expect(key.sign(Buffer.from(RFC.message, 'hex')).toString('hex')).toBe(RFC.signature);
  });

  it('verifies its own signatures and refuses other bytes, other signatures and other keys', () => {
    const key = loadSigningKey(keyFile('a.pem', generateSigningKey()));
    const other = loadSigningKey(keyFile('b.pem', generateSigningKey()));
    const bytes = Buffer.from('a head');
    const signature = key.sign(bytes);
    expect(verify(bytes, signature, key.publicKey)).toBe(true);
    expect(verify(Buffer.from('a heap'), signature, key.publicKey)).toBe(false);
    expect(verify(bytes, signature.subarray(1), key.publicKey)).toBe(false);
    expect(verify(bytes, signature, other.publicKey)).toBe(false);
  });

  it('has an id that depends on the public key only, not on the line breaks of its PEM', () => {
    const key = loadSigningKey(keyFile('rfc.pem', rfcPem));
    // The SHA-256 of the SPKI DER, computed with openssl.
    expect(key.keyId).toBe('8d39ba50abe50f77');
    expect(keyIdOf(key.publicKey.replaceAll('\n', '\r\n'))).toBe(key.keyId);
  });

  it.each([
    ['a missing file', () => join(folder, 'absent.pem'), /cannot be read \(ENOENT\)/],
    ['a file without PEM', () => keyFile('text.pem', 'secret text'), /no private Ed25519 key/],
    [
      'a public key',
      () =>
        keyFile(
          'public.pem',
          createPublicKey(createPrivateKey(rfcPem)).export({ type: 'spki', format: 'pem' }).toString(),
        ),
      /no private Ed25519 key/,
    ],
    [
      'a key of another kind',
      () =>
        keyFile(
          'ec.pem',
          generateKeyPairSync('ec', { namedCurve: 'P-256' })
            .privateKey.export({ type: 'pkcs8', format: 'pem' })
            .toString(),
        ),
      /no private Ed25519 key/,
    ],
  ])('cannot be loaded from %s, and the error names the reason', (_, path, reason) => {
    const load = () => loadSigningKey(path());
    expect(load).toThrow(InvalidSigningKey);
    expect(load).toThrow(reason);
  });

  it('is reported with the setting, the reason and the remedy if it is invalid', () => {
    expect(signingKeyProblem(new InvalidSigningKey('the file "a" is wrong'))).toMatch(
      /^AUDIT_SIGNING_KEY .*the file "a" is wrong.*openssl genpkey/,
    );
  });

  it('is refused where a public key is expected', () => {
    expect(() => keyIdOf(rfcPem)).toThrow(InvalidSigningKey);
  });
});
