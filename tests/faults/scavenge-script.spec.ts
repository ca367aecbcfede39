/** `npm run scavenge`: exit codes, interruptions and kills, on the running and the stopped product. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startStack } from '@rdm/embedded/stack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HttpClient } from '../stories/http-client.ts';

const PASSWORD = 'Correct-Horse-7';
const MIB = 1024 * 1024;
const script = (name: string) => fileURLToPath(new URL(`../../embedded/bin/${name}.mjs`, import.meta.url));

let root: string;
let dataDir: string;
let whileRunning: Ended;
let givenBack: number;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-scavenge-script-'));
  dataDir = join(root, 'data');
  const stack = await startStack({ dataDir, adminPassword: PASSWORD });
  const admin = new HttpClient(stack.baseUrl);
  await admin.signIn('admin', PASSWORD);
  await addTombstonedStream(stack.eventStoreUrl, 'anotherProgram-1', 32);
  const before = logSize();
  whileRunning = await run([]);
  givenBack = before - logSize();
  expect((await admin.post('/api/reference-types', newType('After'))).status).toBe(201);
  await stack.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  output: string;
}

const newType = (name: string) => ({ name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] });

function start(words: string[], dir = dataDir): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [script('scavenge'), ...words], { env: { ...process.env, DATA_DIR: dir } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code, output })) };
}
const run = (words: string[], dir?: string) => start(words, dir).ended;

/** Adds events of half a MiB, which a scavenge removes, and before them events of this size that it copies. */
async function addTombstonedStream(url: string, stream: string, count: number, kept = 0): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const large = () => jsonEvent({ type: 'Large', data: { text: 'x'.repeat(500_000) } });
  for (let number = 0; number < kept; number += 1) await client.appendToStream(`${stream}-kept`, large());
  for (let number = 0; number < count; number += 1) await client.appendToStream(stream, large());
  await client.tombstoneStream(stream);
  await client.dispose();
}

const directory = () => join(dataDir, 'event-store');
const logFiles = () => readdirSync(directory()).filter((name) => /\.(log|new)$/.test(name));
const logSize = () => logFiles().reduce((sum, name) => sum + statSync(join(directory(), name)).size, 0);

async function addWhileStopped(stream: string, kept = 0): Promise<void> {
  const passwordFile = join(dataDir, 'event-store-password');
  const store = await startEventStoreProcess({ dir: directory(), passwordFile, output: 'pipe' });
  await addTombstonedStream(store.url, stream, 64, kept);
  await store.stop();
}

it('gives space back while the product runs and writes', () => {
  expect(whileRunning.code, whileRunning.output).toBe(0);
  expect(whileRunning.output).toMatch(/The running product scavenges its event store\nGiven back: 1\d\.\d MiB/);
  expect(givenBack).toBeGreaterThan(10 * MIB);
});

it('runs on the stopped product, of which a backup is then made', async () => {
  await addWhileStopped('anotherProgram-2');
  const before = logSize();
  const { code, output } = await run([]);
  expect(code, output).toBe(0);
  expect(output).toMatch(/Given back: 3\d\.\d MiB/);
  expect(before - logSize()).toBeGreaterThan(30 * MIB);
  const folder = join(root, 'backups');
  const backup = spawn(process.execPath, [script('backup'), '--to', folder], {
    env: { ...process.env, DATA_DIR: dataDir },
  });
  expect((await once(backup, 'close'))[0]).toBe(0);
});

it('explains its use, and that a folder holds no data', async () => {
  expect(await run(['--too'])).toMatchObject({ code: 2, output: expect.stringContaining('Usage: npm run scavenge') });
  expect(await run([], join(root, 'empty'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('set DATA_DIR'),
  });
});

it.each(['SIGINT', 'SIGKILL'] as const)('after %s while it copies, the next one completes it', async (signal) => {
  // A signal that is late under load still meets the copy of so many bytes.
  await addWhileStopped(`anotherProgram-${signal}`, 32);
  const before = logSize();
  const { child, ended } = start([]);
  const isCopying = () => logFiles().some((name) => name.endsWith('.new'));
  await expect.poll(isCopying, { timeout: 60_000, interval: 1 }).toBe(true);
  child.kill(signal);
  const { code, output } = await ended;
  expect(code, output).toBe(signal === 'SIGINT' ? 5 : null);
  const after = await run([]);
  expect(after.code, after.output).toBe(0);
  expect(logFiles().some((name) => name.endsWith('.new'))).toBe(false);
  expect(before - logSize()).toBeGreaterThan(25 * MIB);
});

it('leaves a log with which the product starts and whose audit log is intact, after all of them', async () => {
  const stack = await startStack({ dataDir, adminPassword: PASSWORD });
  const admin = new HttpClient(stack.baseUrl);
  await admin.signIn('admin', PASSWORD);
  const names = (await admin.get('/api/reference-types')).body.map(({ name }: { name: string }) => name);
  expect(names).toContain('After');
  expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
  await stack.stop();
  expect(readFileSync(join(directory(), 'checkpoint')).length).toBe(12);
});
