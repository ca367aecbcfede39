/** Saves signed heads and exports of the whole log as files, and verifies them without the product. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, inject } from 'vitest';
import { done, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

const SCRIPT = fileURLToPath(new URL('../../embedded/bin/verify-log.mjs', import.meta.url));

export let store: EventStoreDBClient;
let folder: string;
export const file = (name: string) => join(folder, name);
let steward: HttpClient;
export let admin: HttpClient;
export let dataSet: number;
export let secret: string;

export async function saveHead(name: string): Promise<Json> {
  const head = done(await admin.get('/api/audit-logs/signed-head'));
  writeFileSync(file(name), JSON.stringify(head));
  return head;
}

/** Saves the public key of the product; returns its id. */
export async function saveKey(): Promise<string> {
  const [{ publicKey, keyId }] = done(await admin.get('/api/audit-logs/keys'));
  writeFileSync(file('key.pem'), publicKey);
  return keyId;
}

export async function saveExport(name: string): Promise<Json[]> {
  const answer = await admin.download('/api/audit-logs/export?format=log');
  const bytes = Buffer.from(await answer.arrayBuffer());
  writeFileSync(file(name), bytes);
  const lines = gunzipSync(bytes).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

export async function verifyLog(...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

/** Before the tests of the calling file, signs users in and creates a data set with a secret description. */
export function prepareLog(): void {
  beforeAll(async () => {
    store = EventStoreDBClient.connectionString(inject('eventStoreUrl'));
    folder = mkdtempSync(join(tmpdir(), 'rdm-log-proof-'));
    [steward, admin] = await Promise.all([signInAs('steward'), signInAs('admin')]);
    const [type, collection] = await Promise.all([newType(steward), newSharedCollection(steward)]);
    dataSet = await newDataSet(steward, type, collection, []);
    secret = uniqueName('Secret');
    done(await steward.patch(`/api/reference-data/${dataSet}`, { description: secret }, { ifMatch: 1 }));
  }, 60_000);

  afterAll(async () => {
    await store?.dispose();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });
}
