/**
 * A stopped product with three backups and with changes after them. Tests of `npm run restore` copy its data folder and
 * restore a backup into the copy.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Stack, type StackOptions, startStack } from '@rdm/embedded/stack';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType } from '../../stories/fixtures.ts';
import { HttpClient, type Json } from '../../stories/http-client.ts';
import { type Checksums, checksumsWhen, EMPTY_TABLE, SEARCH_TABLES, waitUntilProjected } from './checksums.ts';

const LONG = process.env['FAULTS'] === 'long';
export const PASSWORD = 'Correct-Horse-7';
export const LATER_PASSWORD = 'Another-Horse-8';
const scriptPath = (name: string) => fileURLToPath(new URL(`../../../embedded/bin/${name}.mjs`, import.meta.url));

export let root: string;
let dataDir: string;
/** A copy of the data folder of the stopped product. Tests change only copies of this folder. */
export let stoppedCopy: string;
/** The product that runs, if any. */
let running: Stack | undefined;
/** The checksums of the read models at the time of the quiet backup. */
export let checksumsAtBackup: Checksums;
/** A backup without concurrent writes. */
export let quietBackup: Json;
/** A later backup, made during writes if `duringWrites` is set. */
export let laterBackup: Json;
export let encryptedBackup: Json;
/** The result of `npm run restore` while the product ran. */
export let resultWhileRunning: ScriptResult;
/** A request that was sent before all backups, with its idempotency key. */
export const FIRST_REQUEST = { key: randomUUID(), name: 'First type' };
/** Requests that the writers sent before and during the later backup; empty without `duringWrites`. */
export const requests: { key: string; name: string }[] = [];
/** Secrets of API keys. */
export const secrets: Record<string, string> = {};
/** Ids of created objects. */
export const createdIds: Record<string, number> = {};

interface ScriptResult {
  code: number | null;
  output: string;
}

export const PASSPHRASE = 'correct horse battery staple';

/** Runs a script of `npm run` on a data folder. */
export async function run(
  name: string,
  args: string[],
  dir = dataDir,
  env: NodeJS.ProcessEnv = {},
): Promise<ScriptResult> {
  const child = spawn(process.execPath, [scriptPath(name), ...args], {
    env: { ...process.env, DATA_DIR: dir, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

/**
 * Starts the product, which is stopped after the test. Each start uses another port, because an `HttpClient` waits
 * until its earlier writes to the same address are readable, and a restore may have removed these writes.
 */
export async function launch(
  dir: string,
  servers: Pick<StackOptions, 'databaseUrl' | 'eventStoreUrl'> = {},
): Promise<{ stack: Stack; admin: HttpClient }> {
  running = await startStack({ dataDir: dir, adminPassword: PASSWORD, ...servers });
  return { stack: running, admin: new HttpClient(running.baseUrl) };
}

export async function stopProduct(): Promise<void> {
  await running?.stop();
  running = undefined;
}

export async function signIn(stack: Stack, username: string, password: string): Promise<number> {
  return (await new HttpClient(stack.baseUrl).signIn(username, password)).status;
}

async function backUp(admin: HttpClient, body: Json = {}): Promise<Json> {
  const { id } = done(await admin.post('/api/backups', body));
  const find = (answer: { body: Json }) => answer.body.items.find((each: Json) => each.id === id);
  const answer = await admin.eventually('/api/backups', (each) => find(each)?.verifiedAt != null);
  return find(answer);
}

export const createType = (admin: HttpClient, { key, name }: { key: string; name: string }) =>
  admin.post(
    '/api/reference-types',
    { name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] },
    { key },
  );

export const newUser = async (admin: HttpClient, username: string): Promise<number> =>
  done(
    await admin.post('/api/users', {
      ...{ username, email: `${username}@example.com`, password: PASSWORD, roleId: 4, requirePasswordChange: false },
    }),
  ).id;

const newKey = async (admin: HttpClient, collectionId: number): Promise<{ id: number; key: string }> =>
  done(await admin.post('/api/api-keys', { name: randomUUID(), scopes: [{ collectionId, scope: 'read' }] }));

/** Number of concurrent writers during the later backup. */
const WRITERS = LONG ? 64 : 8;
/** Number of rows of the import during the later backup. */
export const IMPORTED_ROWS = LONG ? 20_000 : 5_000;

/** Starts an import of rows; returns the id of its job. */
async function importRows(admin: HttpClient, dataSetId: number, rows: number): Promise<number> {
  const file = new FormData();
  file.append('dataSetId', String(dataSetId));
  const lines = Array.from({ length: rows }, (_, row) => `C${row}`);
  file.append('file', new Blob([['code', ...lines].join('\n')]), 'rows.csv');
  const { id } = done(await admin.post('/api/imports', file));
  return done(await admin.post(`/api/imports/${id}/start`, { description: 'Rows during the backup' })).jobId;
}

/** Changes a user's password repeatedly while `shouldContinue` returns true. */
async function changePasswords({ baseUrl }: Stack, username: string, shouldContinue: () => boolean): Promise<void> {
  const person = new HttpClient(baseUrl);
  let currentPassword = PASSWORD;
  expect((await person.signIn(username, currentPassword)).status).toBe(200);
  for (let number = 1; shouldContinue(); number += 1) {
    const newPassword = `Changed-Horse-${number}`;
    done(await person.post('/api/change-password', { currentPassword, newPassword }));
    currentPassword = newPassword;
  }
}

const fileOf = ({ fileName }: Json) => join(dataDir, 'backups', fileName);

/** Makes a backup during writes, an import and changes of a password. Stores the writes in `requests`. */
async function backUpDuringWrites(
  stack: Stack,
  admin: HttpClient,
  typeId: number,
  collectionId: number,
): Promise<Json> {
  let isWriting = true;
  const writers = Array.from({ length: WRITERS }, async () => {
    while (isWriting) {
      const request = { key: randomUUID(), name: `Written ${randomUUID()}` };
      requests.push(request);
      done(await createType(admin, request));
    }
  });
  createdIds['imported'] = await newDataSet(admin, typeId, collectionId, []);
  await newUser(admin, 'dan');
  const changing = changePasswords(stack, 'dan', () => isWriting);
  // The import runs during the backup, and the backup must contain the request of the import.
  createdIds['importJob'] = await importRows(admin, createdIds['imported'], IMPORTED_ROWS);
  const backup = await backUp(admin);
  isWriting = false;
  await Promise.all([...writers, changing]);
  return backup;
}

/** Makes the backups before the first test, and then changes the data. */
export function useBackups({ duringWrites }: { duringWrites: boolean }): void {
  beforeAll(async () => {
    requests.length = 0;
    root = mkdtempSync(join(tmpdir(), 'rdm-restore-'));
    chmodSync(root, 0o700);
    dataDir = join(root, 'data');
    stoppedCopy = join(root, 'stopped');
    const { stack, admin } = await launch(dataDir);
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    for (const name of ['ann', 'bob', 'eve']) createdIds[name] = await newUser(admin, name);
    const collectionId = await newCollection(admin);
    const typeId = await newType(admin);
    const source = await newDataSet(admin, typeId, collectionId, [{ code: 'de' }, { code: 'fr' }]);
    const target = await newDataSet(admin, typeId, collectionId, [{ code: 'DEU' }, { code: 'FRA' }]);
    createdIds['dataSet'] = source;
    createdIds['crosswalk'] = await newCrosswalk(admin, source, target);
    await draft(admin, createdIds['crosswalk'], [['de', 'DEU']]);
    const revoked = await newKey(admin, collectionId);
    const kept = await newKey(admin, collectionId);
    Object.assign(secrets, { revoked: revoked.key, kept: kept.key });

    createdIds['firstType'] = done(await createType(admin, FIRST_REQUEST)).id;
    encryptedBackup = await backUp(admin, { passphrase: PASSPHRASE });
    quietBackup = await backUp(admin);
    await waitUntilProjected(stack, quietBackup['seq']);
    checksumsAtBackup = await checksumsWhen(stack, quietBackup['seq'], ({ tables }) =>
      SEARCH_TABLES.every((table) => tables[table] !== EMPTY_TABLE),
    );

    laterBackup = duringWrites ? await backUpDuringWrites(stack, admin, typeId, collectionId) : await backUp(admin);

    // Changes that a restore reverts, and changes that survive a restore.
    const ann = new HttpClient(stack.baseUrl);
    await ann.signIn('ann', PASSWORD);
    done(await ann.post('/api/change-password', { currentPassword: PASSWORD, newPassword: LATER_PASSWORD }));
    done(await admin.post(`/api/api-keys/${revoked.id}/revoke`));
    done(await admin.post(`/api/users/${createdIds['bob']}/deactivate`));
    done(await admin.post(`/api/users/${createdIds['eve']}/erase`));
    createdIds['later'] = await newUser(admin, 'later');
    createdIds['laterDataSet'] = await newDataSet(admin, typeId, collectionId, [{ code: 'x' }]);
    expect((await admin.delete(`/api/crosswalks/${createdIds['crosswalk']}`)).status).toBeLessThan(300);
    resultWhileRunning = await run('restore', ['--from', fileOf(quietBackup), '--replace']);
    await stopProduct();
    cpSync(dataDir, stoppedCopy, { recursive: true });
  });
  afterEach(stopProduct);
  afterAll(async () => {
    await stopProduct();
    rmSync(root, { recursive: true, force: true });
  });
}

/** Copies the data folder of the stopped product; returns the path of the copy. */
export function copyOf(name: string): string {
  const dir = join(root, name);
  rmSync(dir, { recursive: true, force: true });
  cpSync(stoppedCopy, dir, { recursive: true });
  return dir;
}

export const backupOf = (dir: string, { fileName }: Json) => join(dir, 'backups', fileName);
export const remainingFolders = (dir: string) => readdirSync(dir).filter((name) => /^(restore|before)/.test(name));
