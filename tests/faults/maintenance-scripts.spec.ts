/**
 * Checks `npm run backup`, `npm run verify-backup` and `npm run scavenge`, while the product runs and while it is stopped: their exit
 * codes, and what they leave after an interruption or a kill.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startStack } from '@rdm/embedded/stack';
import { generateSigningKey, loadSigningKey, signingKeyPath } from '@rdm/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HttpClient } from '../stories/http-client.ts';

const PASSWORD = 'Correct-Horse-7';
const MIB = 1024 * 1024;
/** FAULTS=long also interrupts a scavenge. */
const LONG = process.env['FAULTS'] === 'long';
const SIGNALS = ['SIGINT', 'SIGKILL'] as const;
const scriptPath = (name: string) => fileURLToPath(new URL(`../../embedded/bin/${name}.mjs`, import.meta.url));

interface ScriptResult {
  code: number | null;
  output: string;
}

let root: string;
let dataDir: string;
let folder: string;
let publicKeyFile: string;
let passphraseFile: string;
/** Results of the scripts that ran while the product ran. */
let backupResult: ScriptResult;
let scavengeResult: ScriptResult;
/** The bytes by which this scavenge shortened the log. */
let freedBytes: number;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-maintenance-scripts-'));
  dataDir = join(root, 'data');
  folder = join(root, 'backups');
  publicKeyFile = join(root, 'public.pem');
  passphraseFile = join(root, 'passphrase');
  const key = signingKeyPath(dataDir);
  mkdirSync(dirname(key), { recursive: true });
  writeFileSync(key, generateSigningKey());
  writeFileSync(publicKeyFile, loadSigningKey(key).publicKey);
  writeFileSync(passphraseFile, 'correct horse battery staple\n');
  const stack = await startStack({ dataDir, adminPassword: PASSWORD });
  const admin = new HttpClient(stack.baseUrl);
  await admin.signIn('admin', PASSWORD);
  backupResult = await backUp();
  await addTombstonedStream(stack.eventStoreUrl, 'anotherProgram-1', 32);
  const before = logSize();
  scavengeResult = await run('scavenge', []);
  freedBytes = before - logSize();
  expect((await admin.post('/api/reference-types', newType('After'))).status).toBe(201);
  await stack.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const newType = (name: string) => ({ name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] });

function start(name: string, words: string[], dir = dataDir): { child: ChildProcess; ended: Promise<ScriptResult> } {
  const child = spawn(process.execPath, [scriptPath(name), ...words], { env: { ...process.env, DATA_DIR: dir } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code, output })) };
}
const run = (name: string, words: string[], dir?: string) => start(name, words, dir).ended;
const backUp = (...words: string[]) => run('backup', ['--to', folder, ...words]);
const backupFile = () => join(folder, readdirSync(folder)[0] as string);

/** Adds `kept` events that a scavenge copies, then a stream of `count` events that it removes. Each event has half a MiB. */
async function addTombstonedStream(url: string, stream: string, count: number, kept = 0): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const largeEvent = () => jsonEvent({ type: 'Large', data: { text: 'x'.repeat(500_000) } });
  for (let number = 0; number < kept; number += 1) await client.appendToStream(`${stream}-kept`, largeEvent());
  for (let number = 0; number < count; number += 1) await client.appendToStream(stream, largeEvent());
  await client.tombstoneStream(stream);
  await client.dispose();
}

const eventStoreFolder = () => join(dataDir, 'event-store');
const logFiles = () => readdirSync(eventStoreFolder()).filter((name) => /\.(log|new)$/.test(name));
const logSize = () => logFiles().reduce((sum, name) => sum + statSync(join(eventStoreFolder(), name)).size, 0);

describe('a backup', () => {
  beforeEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made by the product while it runs', () => {
    expect(backupResult.code, backupResult.output).toBe(0);
    expect(backupResult.output).toMatch(/The running product makes backup \d+\n.*rdm-\S+\.tar\.gz: .* events/);
  });

  it('of the stopped product is verified with the key of the installation, with a named key, or on request with the key in the file', async () => {
    const { code, output } = await backUp();
    expect(code, output).toBe(0);
    expect(output).toMatch(/rdm-\S+\.tar\.gz: .* events/);
    expect(await run('verify-backup', [backupFile()])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Intact: \d+ events/),
    });
    const elsewhere = join(root, 'elsewhere');
    const unknown = await run('verify-backup', [backupFile()], elsewhere);
    expect(unknown).toMatchObject({
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

  it('is encrypted with the passphrase of a file, and is verified only with this passphrase', async () => {
    expect((await backUp('--passphrase-file', passphraseFile)).code).toBe(0);
    const file = backupFile();
    expect(file).toMatch(/\.age$/);
    expect((await run('verify-backup', [file, '--passphrase-file', passphraseFile])).code).toBe(0);
    expect(await run('verify-backup', [file])).toMatchObject({
      code: 3,
      output: expect.stringContaining('passphrase'),
    });
  });

  it.each([
    ['backup without a folder', 'backup', []],
    ['backup with an unknown option', 'backup', ['--too', 'x']],
    ['backup with a passphrase file that is missing', 'backup', ['--to', '/tmp', '--passphrase-file', '/no/such/file']],
    ['verify-backup without a file', 'verify-backup', []],
    ['verify-backup of a file that is missing', 'verify-backup', ['/no/such/file']],
  ])('prints the usage for %s', async (_, name, words) => {
    expect(await run(name, words)).toMatchObject({ code: 2, output: expect.stringContaining('Usage: npm run') });
  });

  it('is refused for a data folder without data, and names the setting to change', async () => {
    const { code, output } = await run('backup', ['--to', folder], join(root, 'empty'));
    expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('set DATA_DIR') });
  });

  it('exits with 5 and leaves no file when it is interrupted, leaves an unfinished file under another name when it is killed, and the next backup succeeds', async () => {
    const interrupted = start('backup', ['--to', folder, '--passphrase-file', passphraseFile]);
    interrupted.child.stdout?.once('data', () => interrupted.child.kill('SIGINT'));
    expect((await interrupted.ended).code).toBe(5);
    expect(readdirSync(folder)).toEqual([]);

    // The interrupted backup has stopped the servers that it had started, so the next one can start its own.
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
  async function addWhileStopped(stream: string, kept = 0): Promise<void> {
    const passwordFile = join(dataDir, 'event-store-password');
    const store = await startEventStoreProcess({ dir: eventStoreFolder(), passwordFile, output: 'pipe' });
    await addTombstonedStream(store.url, stream, 64, kept);
    await store.stop();
  }

  it('frees disk space while the product runs', () => {
    expect(scavengeResult.code, scavengeResult.output).toBe(0);
    expect(scavengeResult.output).toMatch(/The running product scavenges its event store\nGiven back: 1\d\.\d MiB/);
    expect(freedBytes).toBeGreaterThan(10 * MIB);
  });

  it('runs on the stopped product, and a backup can be made afterwards', async () => {
    await addWhileStopped('anotherProgram-2');
    const before = logSize();
    const { code, output } = await run('scavenge', []);
    expect(code, output).toBe(0);
    expect(output).toMatch(/Given back: 3\d\.\d MiB/);
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

  it('leaves a log with which the product starts and whose audit log is intact', async () => {
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
