/** Checks the exit codes and results of `npm run backup`, `npm run verify-backup` and `npm run scavenge`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addWhileStopped,
  backUp,
  backupFile,
  backupResult,
  folder,
  freedBytes,
  logSize,
  publicKeyFile,
  root,
  run,
  scavengeResult,
  useInstallation,
} from './maintenance-scripts/installation.ts';

const MIB = 1024 * 1024;

useInstallation();

describe('a backup', () => {
  beforeEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made by the product while it runs', () => {
    expect(backupResult.code, backupResult.output).toBe(0);
    expect(backupResult.output).toMatch(/The running product makes backup \d+\n.*rdm-\S+\.tar\.gz: .* events/);
  });

  it('of the stopped product passes verification only if undamaged and signed with a trusted key', async () => {
    const { code, output } = await backUp();
    expect(code, output).toBe(0);
    expect(output).toMatch(/rdm-\S+\.tar\.gz: .* events/);
    expect(await run('verify-backup', [backupFile()])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Intact: \d+ events/),
    });
    const elsewhere = join(root, 'elsewhere');
    expect(await run('verify-backup', [backupFile()], elsewhere)).toMatchObject({
      code: 3,
      output: expect.stringContaining('signed by a key that only this file names'),
    });
    expect((await run('verify-backup', [backupFile(), '--key', publicKeyFile], elsewhere)).code).toBe(0);
    expect((await run('verify-backup', [backupFile(), '--trust-file-key'], elsewhere)).code).toBe(0);

    const bytes = readFileSync(backupFile());
    writeFileSync(backupFile(), bytes.subarray(0, bytes.length - 500));
    expect(await run('verify-backup', [backupFile()]), 'a damaged file').toMatchObject({
      code: 3,
      output: expect.stringMatching(/damaged at trailer\.json:/),
    });
  });

  it.each([
    ['backup without a folder', 'backup', []],
    ['backup with an unknown option', 'backup', ['--too', 'x']],
    ['backup with a passphrase file that is missing', 'backup', ['--to', '/tmp', '--passphrase-file', '/no/such/file']],
    ['verify-backup without a file', 'verify-backup', []],
    ['verify-backup of a file that is missing', 'verify-backup', ['/no/such/file']],
  ])('prints the usage for wrong arguments: %s', async (_, name, args) => {
    expect(await run(name, args)).toMatchObject({ code: 2, output: expect.stringContaining('Usage: npm run') });
  });

  it('is refused for a data folder without data', async () => {
    const { code, output } = await run('backup', ['--to', folder], join(root, 'empty'));
    expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('set DATA_DIR') });
  });

  it('is refused for a data folder without embedded stores', async () => {
    const dataDir = join(root, 'other-stores');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'secrets.json'), '{}');
    expect(await run('backup', ['--to', folder], dataDir)).toMatchObject({
      code: 2,
      output: expect.stringContaining('all stores of the product: set EVENTSTORE_URL and DATABASE_URL'),
    });
    expect(readdirSync(dataDir).filter((name) => ['event-store', 'postgres'].includes(name))).toEqual([]);
  });
});

describe('a scavenge', () => {
  it('frees disk space while the product runs', () => {
    expect(scavengeResult.code, scavengeResult.output).toBe(0);
    expect(scavengeResult.output).toMatch(/The running product scavenges its event store\nFreed: 1\d\.\d MiB/);
    expect(freedBytes).toBeGreaterThan(10 * MIB);
  });

  it('runs on the stopped product, and a backup can be made afterwards', async () => {
    await addWhileStopped('anotherProgram-2');
    const before = logSize();
    const { code, output } = await run('scavenge', []);
    expect(code, output).toBe(0);
    expect(output).toMatch(/Freed: 3\d\.\d MiB/);
    expect(before - logSize()).toBeGreaterThan(30 * MIB);
    expect((await backUp()).code).toBe(0);
  });

  it('prints its usage for an unknown option, and is refused for a data folder without data', async () => {
    expect(await run('scavenge', ['--too'])).toMatchObject({
      code: 2,
      output: expect.stringContaining('Usage: npm run scavenge'),
    });
    expect(await run('scavenge', [], join(root, 'empty'))).toMatchObject({
      code: 2,
      output: expect.stringContaining('set DATA_DIR'),
    });
  });
});
