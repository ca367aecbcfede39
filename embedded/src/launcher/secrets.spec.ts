/** Tests secrets that are stored in separate files. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSigningKey } from '@rdm/platform/identity/signing-key';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureSigningKey, renewSecret } from './secrets.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-secrets-'));
  path = join(folder, 'secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('renewSecret', () => {
  it('writes a new secret each time, readable only by the owner of the file', () => {
    const first = renewSecret(path);
    expect(readFileSync(path, 'utf8')).toBe(`${first}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(renewSecret(path)).not.toBe(first);
  });

  // Only Linux has this device. Every write to the device fails with ENOSPC.
  it.runIf(existsSync('/dev/full'))('falls back to the former secret if the disk is full', () => {
    const first = renewSecret(path);
    symlinkSync('/dev/full', `${path}.new`);
    expect(renewSecret(path)).toBe(first);
    rmSync(path);
    expect(() => renewSecret(path)).toThrow(/ENOSPC/);
  });
});

describe('ensureSigningKey', () => {
  it('creates a key once, readable only by the owner of the file', () => {
    const path = ensureSigningKey(folder);
    expect(path).toBe(join(folder, 'keys', 'signing-key.pem'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'keys')).mode & 0o777).toBe(0o700);
    const { keyId } = loadSigningKey(path);
    expect(loadSigningKey(ensureSigningKey(folder)).keyId).toBe(keyId);
  });

  it('refuses a damaged key and does not replace it', () => {
    const path = ensureSigningKey(folder);
    writeFileSync(path, '');
    expect(() => ensureSigningKey(folder)).toThrow(/the file ".*signing-key.pem" holds no private Ed25519 key.*backup/);
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});
