/** Prepares a product with a backup and a scavenged log, and stops the product before the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startStack } from '@rdm/embedded/stack';
import { generateSigningKey, loadSigningKey, signingKeyPath } from '@rdm/platform';
import { afterAll, beforeAll, expect } from 'vitest';
import { HttpClient } from '../../stories/http-client.ts';

export const PASSWORD = 'Correct-Horse-7';
const scriptPath = (name: string) => fileURLToPath(new URL(`../../../embedded/bin/${name}.mjs`, import.meta.url));

interface ScriptResult {
  code: number | null;
  output: string;
}

export let root: string;
export let dataDir: string;
/** The folder of the backups. */
export let folder: string;
export let publicKeyFile: string;
export let passphraseFile: string;
/** The results of a backup and of a scavenge while the product ran. */
export let backupResult: ScriptResult;
export let scavengeResult: ScriptResult;
/** The bytes by which this scavenge shortened the log. */
export let freedBytes: number;

/** Starts the product, runs the backup and the scavenge script, and stops the product before the first test. */
export function useInstallation(): void {
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
}

const newType = (name: string) => ({ name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] });

/** Starts a script of `embedded/bin` with a data folder. */
export function start(
  name: string,
  args: string[],
  dir = dataDir,
): { child: ChildProcess; ended: Promise<ScriptResult> } {
  const child = spawn(process.execPath, [scriptPath(name), ...args], { env: { ...process.env, DATA_DIR: dir } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code, output })) };
}
export const run = (name: string, args: string[], dir?: string) => start(name, args, dir).ended;
export const backUp = (...args: string[]) => run('backup', ['--to', folder, ...args]);
export const backupFile = () => join(folder, readdirSync(folder)[0] as string);

/**
 * Adds `kept` events, which a scavenge copies, and a tombstoned stream of `count` events, which the scavenge removes.
 * Each event has 500,000 bytes of text.
 */
async function addTombstonedStream(url: string, stream: string, count: number, kept = 0): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const largeEvent = () => jsonEvent({ type: 'Large', data: { text: 'x'.repeat(500_000) } });
  for (let number = 0; number < kept; number += 1) await client.appendToStream(`${stream}-kept`, largeEvent());
  for (let number = 0; number < count; number += 1) await client.appendToStream(stream, largeEvent());
  await client.tombstoneStream(stream);
  await client.dispose();
}

export const eventStoreFolder = () => join(dataDir, 'event-store');
export const logFiles = () => readdirSync(eventStoreFolder()).filter((name) => /\.(log|new)$/.test(name));
export const logSize = () => logFiles().reduce((sum, name) => sum + statSync(join(eventStoreFolder(), name)).size, 0);

/** Calls `addTombstonedStream` while the product is stopped. */
export async function addWhileStopped(stream: string, kept = 0): Promise<void> {
  const passwordFile = join(dataDir, 'event-store-password');
  const store = await startEventStoreProcess({ dir: eventStoreFolder(), passwordFile, output: 'pipe' });
  await addTombstonedStream(store.url, stream, 64, kept);
  await store.stop();
}
