/** Tests refused restores, which write nothing, and the completion of a planned restore, without servers. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../launcher/settings.ts';
import { newKey, record, type TestBackup, writeTestBackup } from '../fixtures/backup-file.ts';
import { writeLedger } from '../purge/ledger.ts';
import { completeRestore, planRestore, preparedFolder, RESTORED_KEY } from './complete.ts';
import { type RestoreOptions, restoreBackup } from './restore.ts';

const key = newKey();

let root: string;
let dataDir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rdm-restore-'));
  dataDir = join(root, 'data');
  mkdirSync(dataDir);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a restore', () => {
  async function restore(backup: Partial<TestBackup>, more: Partial<RestoreOptions> = {}, env: NodeJS.ProcessEnv = {}) {
    const file = await writeTestBackup(root, { key, log: [[record(1)]], ...backup });
    return restoreBackup({
      settings: readSettings({ ...env, DATA_DIR: dataDir }),
      env: {},
      file,
      backupDir: join(dataDir, 'backups'),
      replace: false,
      withPurged: false,
      requireNewPasswords: true,
      passphrase: undefined,
      safetyPassphrase: undefined,
      trustedKeys: [key.publicKey],
      trustFileKey: false,
      productVersion: '0.1.0',
      signal: new AbortController().signal,
      ...more,
    });
  }
  afterEach(() => expect(readdirSync(dataDir)).toEqual([]));

  it('refuses a newer format', () =>
    expect(restore({ header: { format: 3 } })).rejects.toMatchObject({ code: 'NEWER_FORMAT' }));

  it('names the unknown migration of a refused backup', () =>
    expect(restore({ header: { migrations: ['0001-vault', '9999-later'] } })).rejects.toMatchObject({
      code: 'NEWER_FORMAT',
      message: expect.stringContaining('9999-later'),
    }));

  it('refuses a backup with an unexpected table', () =>
    expect(restore({ tables: { 'platform.reader': [Buffer.from('1\ta\n')] } })).rejects.toMatchObject({
      code: 'BACKUP_DAMAGED',
      message: expect.stringContaining('platform.reader'),
    }));

  it('refuses a backup with the signature of an unknown key', () =>
    expect(restore({}, { trustedKeys: [newKey().publicKey] })).rejects.toMatchObject({ code: 'UNKNOWN_KEY' }));

  it('refuses to begin with too little free space', () =>
    expect(restore({}, { freeSpace: async () => ({ free: 100, size: 1_000 }) })).rejects.toMatchObject({
      code: 'DISK_SPACE',
    }));

  it('refuses a backup that contains purged data unless `withPurged` is set', async () => {
    const ledger = join(root, 'ledger');
    mkdirSync(ledger);
    await writeLedger(ledger, 3, []);
    await writeLedger(ledger, 4, [{ stream: 'dataSet-9', revision: 2 }]);
    await expect(restore({}, { backupDir: ledger })).rejects.toMatchObject({
      code: 'PURGED_SINCE',
      message: expect.stringContaining('data that purge 4 deleted for good'),
    });
    const consent = { backupDir: ledger, withPurged: true, freeSpace: async () => ({ free: 100, size: 1_000 }) };
    await expect(restore({}, consent)).rejects.toMatchObject({ code: 'DISK_SPACE' });
  });

  it('refuses servers that are not embedded', () =>
    expect(restore({}, {}, { DATABASE_URL: 'postgres://rdm:rdm@db.example.com/rdm' })).rejects.toMatchObject({
      code: 'RESTORE_NOT_HERE',
    }));
});

describe('completing a restore', () => {
  const write = (path: string, content: string) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
  };
  const prepare = (...stores: string[]) => {
    for (const store of stores) write(join(preparedFolder(dataDir, 'a1'), store, 'data'), 'new');
  };
  const contentOf = (store: string) => readFileSync(join(dataDir, store, 'data'), 'utf8');

  it('replaces both stores and deletes the prepared folder and the plan', async () => {
    for (const store of ['postgres', 'event-store']) write(join(dataDir, store, 'data'), 'old');
    prepare('postgres', 'event-store');
    planRestore(dataDir, 'a1');
    expect(await completeRestore(dataDir)).toBe(true);
    expect([contentOf('postgres'), contentOf('event-store')]).toEqual(['new', 'new']);
    expect(readdirSync(dataDir).sort()).toEqual(['event-store', 'first-start.json', 'postgres']);
    expect(await completeRestore(dataDir)).toBe(false);
  });

  it('takes the signing key of the backup only if the data folder has none', async () => {
    prepare('postgres', 'event-store');
    write(join(preparedFolder(dataDir, 'a1'), RESTORED_KEY), 'of the backup');
    planRestore(dataDir, 'a1');
    await completeRestore(dataDir);
    const path = join(dataDir, 'keys', 'signing-key.pem');
    expect(readFileSync(path, 'utf8')).toBe('of the backup');
    prepare('postgres', 'event-store');
    write(join(preparedFolder(dataDir, 'a1'), RESTORED_KEY), 'of another backup');
    planRestore(dataDir, 'a1');
    await completeRestore(dataDir);
    expect(readFileSync(path, 'utf8')).toBe('of the backup');
  });

  it('without a plan, deletes the prepared folder and keeps the data', async () => {
    write(join(dataDir, 'event-store', 'data'), 'old');
    prepare('postgres', 'event-store');
    expect(await completeRestore(dataDir)).toBe(false);
    expect(contentOf('event-store')).toBe('old');
    expect(existsSync(preparedFolder(dataDir, 'a1'))).toBe(false);
  });
});
