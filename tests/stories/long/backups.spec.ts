/**
 * Encrypted backups, and uploads of backup files: after the backup was deleted, with damaged files, and with a wrong
 * passphrase.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSPHRASE_HEADER } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { admin, fileOf, pool, stack, startBackupStack, verify, waitForBackup } from '../backup-stack.ts';
import type { Json } from '../http-client.ts';
import { newBackup } from '../permissions/fixture.ts';

startBackupStack();

const PASSPHRASE = 'correct horse battery';

describe('an uploaded backup file', () => {
  const upload = (content: Buffer, passphrase?: string) =>
    fetch(`${admin.baseUrl}/api/backups/upload`, {
      method: 'POST',
      headers: {
        ...{ Cookie: admin.cookie, Origin: admin.baseUrl, 'Content-Type': 'application/octet-stream' },
        ...(passphrase !== undefined && { [PASSPHRASE_HEADER]: encodeURIComponent(passphrase) }),
      },
      body: new Uint8Array(content),
    });

  it('is verified and listed unless its backup is in the list already', async () => {
    const id = await newBackup(admin);
    const backup = await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null);
    const content = readFileSync(fileOf(backup));
    const duplicate = await upload(content);
    expect([duplicate.status, await duplicate.json()]).toMatchObject([
      409,
      { code: 'CONFLICT', error: `This backup is in the list already: ${backup.fileName}` },
    ]);
    await admin.delete(`/api/backups/${id}`);
    await expect.poll(() => existsSync(fileOf(backup)), { timeout: 20_000 }).toBe(false);

    const answer = await upload(content);
    const uploaded = (await answer.json()) as Json;
    expect([answer.status, uploaded.fileName]).toEqual([201, expect.stringMatching(/^rdm-\d{8}T\d{6}Z-uploaded_/)]);
    const { createdAt, events, seq, sha256 } = backup;
    const uploadedBackup = await waitForBackup(uploaded.id);
    expect(uploadedBackup).toMatchObject({
      trigger: 'UPLOAD',
      status: 'DONE',
      verifiedLevel: 'checksums',
      events,
      seq,
      sha256,
    });
    // The uploaded backup has the creation time of the original backup.
    expect(Math.abs(Date.parse(uploadedBackup.createdAt) - Date.parse(createdAt))).toBeLessThan(60_000);
    // Use `equals`, because toEqual would need gigabytes of memory for large buffers.
    expect(readFileSync(fileOf(uploadedBackup)).equals(content)).toBe(true);
    expect(await verify(uploaded.id)).toMatchObject({ status: 'DONE' });
  });

  it('is refused and removed if it cannot be verified', async () => {
    const folder = join(stack.dataDir, 'backups');
    const id = await newBackup(admin, { passphrase: PASSPHRASE });
    const content = readFileSync(fileOf(await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null)));
    content[content.length - 1] = (content.at(-1) as number) ^ 1;
    for (const [bytes, passphrase, code] of [
      [Buffer.from('no backup'), undefined, 'BACKUP_DAMAGED'],
      [Buffer.alloc(0), undefined, 'BACKUP_DAMAGED'],
      [content, undefined, 'WRONG_PASSPHRASE'],
      [content, 'not this one at all', 'WRONG_PASSPHRASE'],
      [content, PASSPHRASE, 'BACKUP_DAMAGED'],
    ] as const) {
      const answer = await upload(bytes, passphrase);
      expect([answer.status, ((await answer.json()) as Json).code]).toEqual([422, code]);
    }
    expect(readdirSync(folder).filter((name) => name.includes('upload-'))).toEqual([]);
  });
});

describe('an encrypted backup', () => {
  it('needs its passphrase for a verification, but not for a download', async () => {
    const id = await newBackup(admin, { passphrase: PASSPHRASE });
    const backup = await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null);
    expect(backup).toMatchObject({ encrypted: true, status: 'DONE' });
    expect(backup.fileName).toMatch(/\.tar\.gz\.age$/);
    expect(await verify(id, { passphrase: 'not this one at all' })).toMatchObject({ status: 'FAILED' });
    expect(await waitForBackup(id, ({ problem }) => problem !== null)).toMatchObject({ status: 'DONE' });
    expect(await verify(id, { passphrase: PASSPHRASE })).toMatchObject({ status: 'DONE' });
    const file = await admin.download(`/api/backups/${id}`);
    expect(
      createHash('sha256')
        .update(Buffer.from(await file.arrayBuffer()))
        .digest('hex'),
    ).toBe(backup.sha256);
    // After the verification, the passphrase is removed from its table. The latest events do not contain it.
    await expect
      .poll(async () => (await pool.query('SELECT count(*)::int AS n FROM command.backup_passphrases')).rows[0].n)
      .toBe(0);
    const { body } = await admin.get('/api/audit-logs?pageSize=50&sort=seq&order=DESC');
    expect(JSON.stringify(body)).not.toContain(PASSPHRASE);
  });
});
