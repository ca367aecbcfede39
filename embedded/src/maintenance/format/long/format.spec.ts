/** Tests that age can open encrypted files, and that writing stops when the free space gets too small. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Decrypter } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { writeTestBackup } from '../../fixtures/backup-file.ts';
import { backup, createFolders, folder, partsOf, plenty } from '../fixtures/written-files.ts';
import { isEncrypted } from '../reader.ts';
import { openWriter } from '../writer.ts';

createFolders();

describe('a file', () => {
  it('is encrypted as an age file that contains the whole archive', async () => {
    const plain = gunzipSync(readFileSync(await writeTestBackup(folder, backup)));
    const file = await writeTestBackup(folder, { ...backup, passphrase: 'correct horse' });
    expect(await isEncrypted(file)).toBe(true);
    expect(readFileSync(file, 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt \S+ 17\n/);
    const decrypter = new Decrypter();
    decrypter.addPassphrase('correct horse');
    const archive = gunzipSync(await decrypter.decrypt(readFileSync(file)));
    expect(archive.length).toBe(plain.length);
    expect((await partsOf(file, 'correct horse')).map(({ kind }) => kind)).toContain('trailer');
  });
});

describe('writing', () => {
  it('stops when the free space gets too small', async () => {
    const spaces = [plenty, { free: 0, size: 2 ** 40 }];
    const freeSpace = async () => spaces.shift() ?? plenty;
    const writer = await openWriter({ folder, fileName: 'a.tar.gz', freeSpace });
    const random = randomBytes(8 * 1024 * 1024);
    const fill = async () => {
      for (let count = 0; count < 10_000; count += 1) await writer.add(`log/${count}`, random);
    };
    await expect(fill()).rejects.toMatchObject({ code: 'DISK_SPACE' });
    await writer.discard();
    expect(readdirSync(folder)).toEqual([]);
  });
});
