/**
 * Checks `npm run backup` and `npm run scavenge` on the stopped product: an encrypted backup, and the files that remain
 * after an interruption or a kill.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '@rdm/embedded/stack';
import { beforeEach, describe, expect, it } from 'vitest';
import { HttpClient } from '../../stories/http-client.ts';
import {
  addWhileStopped,
  backUp,
  backupFile,
  dataDir,
  eventStoreFolder,
  folder,
  logFiles,
  logSize,
  PASSWORD,
  passphraseFile,
  run,
  start,
  useInstallation,
} from '../maintenance-scripts/installation.ts';

const MIB = 1024 * 1024;
/** FAULTS=long also interrupts a scavenge. */
const LONG = process.env['FAULTS'] === 'long';
const SIGNALS = ['SIGINT', 'SIGKILL'] as const;

useInstallation();

describe('a backup', () => {
  beforeEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is encrypted with the passphrase in a file, and cannot be verified without the passphrase', async () => {
    expect((await backUp('--passphrase-file', passphraseFile)).code).toBe(0);
    const file = backupFile();
    expect(file).toMatch(/\.age$/);
    expect((await run('verify-backup', [file, '--passphrase-file', passphraseFile])).code).toBe(0);
    expect(await run('verify-backup', [file])).toMatchObject({
      code: 3,
      output: expect.stringContaining('passphrase'),
    });
  });

  it('leaves no file after SIGINT and a .part file after SIGKILL, and the next backup succeeds', async () => {
    const interrupted = start('backup', ['--to', folder, '--passphrase-file', passphraseFile]);
    interrupted.child.stdout?.once('data', () => interrupted.child.kill('SIGINT'));
    expect((await interrupted.ended).code).toBe(5);
    expect(readdirSync(folder)).toEqual([]);

    // An interrupted backup stops the servers that it started, so the next backup can start its own servers.
    const killed = start('backup', ['--to', folder, '--passphrase-file', passphraseFile]);
    killed.child.stdout?.once('data', () => killed.child.kill('SIGKILL'));
    await killed.ended;
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.part$/)]);

    const { code, output } = await backUp();
    expect(code, output).toBe(0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.gz'))).toHaveLength(1);
  });
});

describe('a scavenge', () => {
  it.each(LONG ? SIGNALS : ['SIGKILL' as const])(
    'that gets %s while it copies is completed by the next scavenge',
    async (signal) => {
      // Copying so many bytes takes long enough that the signal arrives during the copy, also on a busy machine.
      await addWhileStopped(`anotherProgram-${signal}`, 32);
      const before = logSize();
      const { child, ended } = start('scavenge', []);
      const isCopying = () => logFiles().some((name) => name.endsWith('.new'));
      await expect.poll(isCopying, { timeout: 60_000, interval: 1 }).toBe(true);
      child.kill(signal);
      const { code, output } = await ended;
      expect(code, output).toBe(signal === 'SIGINT' ? 5 : null);
      const after = await run('scavenge', []);
      expect(after.code, after.output).toBe(0);
      expect(logFiles().some((name) => name.endsWith('.new'))).toBe(false);
      expect(before - logSize()).toBeGreaterThan(25 * MIB);
    },
  );

  it('leaves a log from which the product starts with an intact audit log', async () => {
    const stack = await startStack({ dataDir, adminPassword: PASSWORD });
    const admin = new HttpClient(stack.baseUrl);
    await admin.signIn('admin', PASSWORD);
    const names = (await admin.get('/api/reference-types')).body.map(({ name }: { name: string }) => name);
    expect(names).toContain('After');
    expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
    await stack.stop();
    expect(readFileSync(join(eventStoreFolder(), 'checkpoint')).length).toBe(12);
  });
});
