/** Tests that the verification of an encrypted backup detects damage. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flipBit, newKey, record, writeTestBackup } from '../fixtures/backup-file.ts';
import { verifyFile } from '../verify-file.ts';

const key = newKey();
const passphrase = 'correct horse battery staple';
let folder: string;
let file: string;
let encrypted: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-verify-'));
  const tables = { 'identity.users': [Buffer.from('1\tann\n2\tben\n'), Buffer.from('3\tcem\n')] };
  file = await writeTestBackup(folder, { tables, log: [[record(1), record(2)], [record(3)]], key, passphrase });
  encrypted = readFileSync(file);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const verify = () => verifyFile(file, { trustedKeys: [key.publicKey], passphrase });

describe('an encrypted file', () => {
  it('is refused after a change, a cut or an addition', async () => {
    writeFileSync(file, flipBit(encrypted, encrypted.length - 100));
    await expect(verify()).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    writeFileSync(file, encrypted.subarray(0, encrypted.length - 1));
    await expect(verify()).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    writeFileSync(file, encrypted);
    appendFileSync(file, 'x');
    await expect(verify()).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
  });
});
