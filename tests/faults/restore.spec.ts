/**
 * `npm run restore`: the data of a restored product, what a restore keeps of the replaced data, refusals, and kills. FAULTS=long
 * kills the restore at each step, otherwise only before and after its plan is stored.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { readBackup, verifyFile } from '@rdm/embedded/maintenance/index';
import { startPostgres } from '@rdm/embedded/postgres/postgres';
import { type Stack, startStack } from '@rdm/embedded/stack';
import { createPool, loadSigningKey, signingKeyPath } from '@rdm/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { overwriteMiddle } from '../overwrite-middle.ts';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType } from '../stories/fixtures.ts';
import { HttpClient, type Json } from '../stories/http-client.ts';

const LONG = process.env['FAULTS'] === 'long';
const PASSWORD = 'Correct-Horse-7';
const LATER_PASSWORD = 'Another-Horse-8';
const scriptPath = (name: string) => fileURLToPath(new URL(`../../embedded/bin/${name}.mjs`, import.meta.url));
const KILLED_RESTORE_PROGRAM = fileURLToPath(new URL('../dist/faults/killed-restore.main.js', import.meta.url));

let root: string;
let dataDir: string;
/** A copy of the data folder, made when the product was stopped. Tests change copies of it. */
let stoppedCopy: string;
let stack: Stack | undefined;
/** The read models at the time of the first backup. */
let cut: ReadModelState;
/** A backup that was made while nothing was written, one during writes, and an encrypted one. */
let quietBackup: Json;
let busyBackup: Json;
let encryptedBackup: Json;
/** The result of a restore while the product ran. */
let resultWhileRunning: ScriptResult;
/** A request that was sent before all backups, with its idempotency key. */
const FIRST = { key: randomUUID(), name: 'First type' };
/** Requests that were sent during the second backup. */
const requests: { key: string; name: string }[] = [];
/** Ids of created objects. */
const createdIds: Record<string, number> = {};

interface ReadModelState {
  tables: Record<string, string>;
  audit: string;
  ids: number[];
}

interface ScriptResult {
  code: number | null;
  output: string;
}

const PASSPHRASE = 'correct horse battery staple';
/** Time within which an import that continues after a restore ends, on a busy machine. */
const IMPORT_MS = 240_000;

function start(
  name: string,
  words: string[],
  dir = dataDir,
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; ended: Promise<ScriptResult> } {
  const child = spawn(process.execPath, [scriptPath(name), ...words], {
    env: { ...process.env, DATA_DIR: dir, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code, output })) };
}
const run = (name: string, words: string[], dir?: string, env?: NodeJS.ProcessEnv) =>
  start(name, words, dir, env).ended;

/** Starts the product on another port: reads of a client include its own earlier writes, which a restore removes. */
async function launch(dir: string): Promise<{ stack: Stack; admin: HttpClient }> {
  const started = await startStack({ dataDir: dir, adminPassword: PASSWORD });
  const admin = new HttpClient(started.baseUrl);
  return { stack: started, admin };
}

async function signIn(stack: Stack, username: string, password: string): Promise<number> {
  return (await new HttpClient(stack.baseUrl).signIn(username, password)).status;
}

async function callWithKey(stack: Stack, secret: string): Promise<number> {
  const headers = { Authorization: `Bearer ${secret}` };
  return (await fetch(`${stack.baseUrl}/api/reference-data`, { headers })).status;
}

/** Tables that the leading projector fills a moment after the others. */
const SEARCH_TABLES = ['instances.search_entries', 'instances.search_sets'];
/** The checksum of an empty table. */
const EMPTY = 'd41d8cd98f00b204e9800998ecf8427e';

type Checksums = Pick<ReadModelState, 'tables' | 'audit'>;

const checksumsWhen = (stack: Stack, seq: number, isComplete: (sums: Checksums) => boolean): Promise<Checksums> =>
  vi.waitFor(
    async () => {
      const sums = await checksums(stack, seq);
      expect(isComplete(sums)).toBe(true);
      return sums;
    },
    { timeout: 60_000, interval: 200 },
  );

/**
 * Returns checksums of the serving read models, and of the audit log up to an event. Read models that a restore changes are left out,
 * such as those of backups, API keys and notifications.
 */
async function checksums(stack: Stack, seq: number): Promise<Checksums> {
  const pool = createPool(stack.databaseUrl, { max: 1 });
  try {
    const checksumOf = async (table: string, where = '') =>
      (
        await pool.query(
          `SELECT md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS sum FROM ${table} t ${where}`,
        )
      ).rows[0].sum as string;
    const { rows } = await pool.query<{ build: string; schema: string; name: string }>(
      `SELECT b.name AS build, b.schema_name AS schema, t.tablename AS name FROM platform.builds b JOIN pg_tables t ON t.schemaname = b.schema_name
        WHERE b.serving ORDER BY 1, 3`,
    );
    const tables: Record<string, string> = {};
    let audit = '';
    for (const { build, schema, name } of rows) {
      if (name === 'audit_logs') audit = await checksumOf(`${schema}.${name}`, `WHERE seq <= ${seq}`);
      if (!/^(audit|backup|api_key|change|notification|live)/.test(build))
        tables[`${build}.${name}`] = await checksumOf(`${schema}.${name}`);
    }
    return { tables, audit };
  } finally {
    await pool.end();
  }
}

async function waitUntilProjected(stack: Stack, seq: number): Promise<void> {
  const pool = createPool(stack.databaseUrl, { max: 1 });
  try {
    await vi.waitFor(
      async () => {
        const { rows } = await pool.query('SELECT seq FROM platform.reader');
        expect(rows[0].seq).toBeGreaterThanOrEqual(seq);
      },
      { timeout: 60_000, interval: 100 },
    );
  } finally {
    await pool.end();
  }
}

async function backUp(admin: HttpClient, body: Json = {}): Promise<Json> {
  const { id } = done(await admin.post('/api/backups', body));
  const find = (answer: { body: Json }) => answer.body.items.find((each: Json) => each.id === id);
  const answer = await admin.eventually('/api/backups', (each) => find(each)?.verifiedAt != null);
  return find(answer);
}

const createType = (admin: HttpClient, { key, name }: { key: string; name: string }) =>
  admin.post(
    '/api/reference-types',
    { name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] },
    { key },
  );

const newUser = async (admin: HttpClient, username: string): Promise<number> =>
  done(
    await admin.post('/api/users', {
      ...{ username, email: `${username}@example.com`, password: PASSWORD, roleId: 4, requirePasswordChange: false },
    }),
  ).id;

const newKey = async (admin: HttpClient, collectionId: number): Promise<{ id: number; key: string }> =>
  done(await admin.post('/api/api-keys', { name: randomUUID(), scopes: [{ collectionId, scope: 'read' }] }));

/** Concurrent writers during the backup, and rows of the import that runs at the same time. */
const WRITERS = LONG ? 64 : 8;
const IMPORTED_ROWS = LONG ? 20_000 : 5_000;

/** Starts an import of rows; returns the id of its job. */
async function importRows(admin: HttpClient, dataSetId: number, rows: number): Promise<number> {
  const file = new FormData();
  file.append('dataSetId', String(dataSetId));
  const lines = Array.from({ length: rows }, (_, row) => `C${row}`);
  file.append('file', new Blob([['code', ...lines].join('\n')]), 'rows.csv');
  const { id } = done(await admin.post('/api/imports', file));
  return done(await admin.post(`/api/imports/${id}/start`, { description: 'Rows during the backup' })).jobId;
}

/** Changes a user's password repeatedly while `isGoingOn` returns true. */
async function changePasswords({ baseUrl }: Stack, username: string, isGoingOn: () => boolean): Promise<void> {
  const person = new HttpClient(baseUrl);
  let currentPassword = PASSWORD;
  expect((await person.signIn(username, currentPassword)).status).toBe(200);
  for (let number = 1; isGoingOn(); number += 1) {
    const newPassword = `Changed-Horse-${number}`;
    done(await person.post('/api/change-password', { currentPassword, newPassword }));
    currentPassword = newPassword;
  }
}

const fileOf = ({ fileName }: Json) => join(dataDir, 'backups', fileName);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'rdm-restore-'));
  chmodSync(root, 0o700);
  dataDir = join(root, 'data');
  stoppedCopy = join(root, 'stopped');
  const launched = await launch(dataDir);
  stack = launched.stack;
  const { admin } = launched;
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

  createdIds['firstType'] = done(await createType(admin, FIRST)).id;
  encryptedBackup = await backUp(admin, { passphrase: PASSPHRASE });
  quietBackup = await backUp(admin);
  await waitUntilProjected(stack, quietBackup['seq']);
  const sums = await checksumsWhen(stack, quietBackup['seq'], ({ tables }) =>
    SEARCH_TABLES.every((table) => tables[table] !== EMPTY),
  );
  cut = { ...sums, ids: [] };

  // Users write, import and change a password during a backup. A test repeats the writers' requests with their keys after the restore.
  let isWriting = true;
  const writers = Array.from({ length: WRITERS }, async () => {
    while (isWriting) {
      const request = { key: randomUUID(), name: `Written ${randomUUID()}` };
      requests.push(request);
      done(await createType(admin, request));
    }
  });
  createdIds['imported'] = await newDataSet(admin, typeId, collectionId, []);
  const dan = await newUser(admin, 'dan');
  const changing = changePasswords(stack, 'dan', () => isWriting);
  // The import runs during the backup, and the backup must contain its request.
  createdIds['importJob'] = await importRows(admin, createdIds['imported'], IMPORTED_ROWS);
  busyBackup = await backUp(admin);
  isWriting = false;
  await Promise.all([...writers, changing]);
  createdIds['dan'] = dan;

  // The changes that a restore reverts, and those that it keeps.
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
  await stack.stop();
  stack = undefined;
  cpSync(dataDir, stoppedCopy, { recursive: true });
});
const secrets: Record<string, string> = {};

afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});
afterAll(async () => {
  await stack?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Copies the data folder of the stopped product; returns the path of the copy. */
function copyOf(name: string): string {
  const dir = join(root, name);
  rmSync(dir, { recursive: true, force: true });
  cpSync(stoppedCopy, dir, { recursive: true });
  return dir;
}

const backupOf = (dir: string, { fileName }: Json) => join(dir, 'backups', fileName);
const remainingFolders = (dir: string) => readdirSync(dir).filter((name) => /^(restore|before)/.test(name));

describe('a restore', () => {
  it('is refused while the product runs', () => {
    expect(resultWhileRunning).toMatchObject({ code: 3, output: expect.stringContaining('Stop that one first') });
  });

  it('brings back the data of the backup; keys that were revoked and users who were deactivated or erased since stay so', async () => {
    const dir = copyOf('quiet');
    const restored = await run('restore', ['--from', backupOf(dir, quietBackup), '--replace'], dir);
    expect(restored.code, restored.output).toBe(0);
    expect(remainingFolders(dir)).toEqual([]);
    const launched = await launch(dir);
    stack = launched.stack;
    const { admin } = launched;
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    await waitUntilProjected(stack, quietBackup['seq']);

    const ann = await new HttpClient(stack.baseUrl).signIn('ann', PASSWORD);
    expect(ann).toMatchObject({ status: 200, body: { requirePasswordChange: true } });
    expect(await signIn(stack, 'ann', LATER_PASSWORD)).toBe(401);
    for (const name of ['bob', 'eve', 'later']) expect(await signIn(stack, name, PASSWORD), name).toBe(401);
    expect(await callWithKey(stack, secrets['kept'] as string)).toBe(200);
    expect(await callWithKey(stack, secrets['revoked'] as string)).toBe(401);
    const sums = await checksumsWhen(stack, quietBackup['seq'], ({ tables }) =>
      SEARCH_TABLES.every((table) => tables[table] === cut.tables[table]),
    );
    expect(sums.audit).toBe(cut.audit);

    const { body: crosswalk } = await admin.get(`/api/crosswalks/${createdIds['crosswalk']}`);
    expect(crosswalk.id).toBe(createdIds['crosswalk']);
    expect((await admin.get(`/api/reference-data/${createdIds['laterDataSet']}`)).status).toBe(404);
    const user = await newUser(admin, 'newcomer');
    expect(user).toBeGreaterThan(createdIds['later'] as number);

    const { body } = await admin.eventually(
      '/api/backups',
      (answer) =>
        answer.body.items.every((each: Json) => each.verifiedAt !== null || each.status !== 'DONE') &&
        answer.body.items.length > 1,
    );
    const byName = new Map<string, Json>(body.items.map((each: Json) => [each.fileName, each]));
    expect(byName.get(quietBackup['fileName'])).toMatchObject({ id: quietBackup['id'], status: 'DONE' });
    const { fileName: later, trigger, createdAt, sha256 } = busyBackup;
    expect(byName.get(busyBackup['fileName'])).toMatchObject({
      fileName: later,
      trigger,
      createdAt,
      sha256,
      status: 'DONE',
    });
    const safety = body.items.find((each: Json) => each.fileName?.includes('before_restore'));
    expect(safety).toMatchObject({ trigger: 'RESTORE', status: 'DONE' });
    expect(existsSync(join(dir, 'backups', quietBackup['fileName']))).toBe(true);
    const { body: activities } = await admin.get('/api/audit-logs/activities');
    const lines = activities.items.map(({ line }: Json) => line);
    expect(lines).toEqual(
      expect.arrayContaining([
        `The system restored the backup ${quietBackup['fileName']}`,
        'The system deactivated the user bob',
        expect.stringMatching(/^The system revoked the API key/),
        'The system erased the user Former user',
      ]),
    );
    expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
    // These tables differ after a restore: users were deactivated and created since the backup, and backups are jobs.
    const untouched = ({
      'collections.members': _,
      'jobs.import_jobs': __,
      ...tables
    }: Record<string, string>): Record<string, string> => tables;
    expect(Object.keys(untouched(sums.tables)).length).toBeGreaterThan(25);
    expect(untouched(sums.tables)).toEqual(untouched(cut.tables));
  });

  it('of a backup that was made during writes lets repeated requests take effect once', async () => {
    const dir = copyOf('busy');
    const restored = await run('restore', ['--from', backupOf(dir, busyBackup), '--replace'], dir);
    expect(restored.code, restored.output).toBe(0);
    const launched = await launch(dir);
    stack = launched.stack;
    const { admin } = launched;
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    expect(requests.length).toBeGreaterThan(10);
    for (const request of requests) done(await createType(admin, request));
    const { body } = await admin.get('/api/reference-types');
    const names = body.map(({ name }: Json) => name).filter((name: string) => name.startsWith('Written'));
    expect(names.sort()).toEqual(requests.map(({ name }) => name).sort());
    const ids = body.map(({ id }: Json) => id);
    expect(new Set(ids).size).toBe(ids.length);

    // The import continues from the backup and imports all rows, once; or it fails because the backup lacks its remaining rows.
    const { body: job } = await admin.eventually(
      `/api/jobs/${createdIds['importJob']}`,
      (answer) => ['DONE', 'FAILED'].includes(answer.body.status),
      IMPORT_MS,
    );
    const { body: dataSet } = await admin.get(`/api/reference-data/${createdIds['imported']}`);
    if (job.status === 'DONE') expect(dataSet.instanceCount).toBe(IMPORTED_ROWS);
    else
      expect(job.logs.map(({ message }: Json) => message)).toContainEqual(
        expect.stringContaining('The backup was made'),
      );
    expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
  });

  it('into a new folder is refused until the key in the file is trusted, and takes over the signing key of an encrypted backup', async () => {
    const dir = join(root, 'new');
    const passphraseFile = join(root, 'passphrase');
    writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
    const words = ['--from', backupOf(stoppedCopy, encryptedBackup), '--passphrase-file', passphraseFile];
    const refused = await run('restore', words, dir);
    expect(refused).toMatchObject({ code: 3, output: expect.stringContaining('signed by a key that only this file') });
    const restored = await run('restore', [...words, '--trust-file-key'], dir);
    expect(restored.code, restored.output).toBe(0);
    expect(readFileSync(signingKeyPath(dir))).toEqual(readFileSync(signingKeyPath(stoppedCopy)));
    const launched = await launch(dir);
    stack = launched.stack;
    const { admin } = launched;
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    expect(await signIn(stack, 'bob', PASSWORD)).toBe(200);
    // New ids start far above those that may have been assigned after the backup.
    expect(await newUser(admin, 'newcomer')).toBeGreaterThan(1_000);
    expect((await admin.get(`/api/reference-data/${createdIds['dataSet']}`)).status).toBe(200);
    // The stored hashes of request bodies are keyed with a secret that is not in the backup. A repeat and a reused key are recognised anyway.
    expect(done(await createType(admin, FIRST)).id).toBe(createdIds['firstType']);
    const reused = await admin.post('/api/collections', { name: 'Another request' }, { key: FIRST.key });
    expect(reused.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
  });
});

describe("a restore into the operator's own servers", () => {
  let dir: string;
  const closing: (() => Promise<unknown>)[] = [];
  let servers: { databaseUrl: string; eventStoreUrl: string };
  beforeAll(async () => {
    dir = join(root, 'own');
    const postgres = await startPostgres({ dir: join(dir, 'own-postgres'), log: () => undefined });
    const eventStore = await startEventStoreProcess({ dir: join(dir, 'own-log'), output: 'ignore' });
    closing.push(
      () => eventStore.stop(),
      () => postgres.stop(),
    );
    servers = { databaseUrl: postgres.url, eventStoreUrl: eventStore.url };
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const restore = (env: NodeJS.ProcessEnv) =>
    run('restore', ['--from', backupOf(stoppedCopy, busyBackup), '--trust-file-key'], dir, env);

  it('is refused if only one of the two servers is set', async () => {
    const refused = await restore({ DATABASE_URL: servers.databaseUrl });
    expect(refused).toMatchObject({ code: 3, output: expect.stringContaining('Set both to empty servers') });
  });

  it('fills the two servers, and the product starts on them with the data of the backup', async () => {
    const env = { DATABASE_URL: servers.databaseUrl, EVENTSTORE_URL: servers.eventStoreUrl };
    const restored = await restore(env);
    expect(restored.code, restored.output).toBe(0);
    stack = await startStack({ dataDir: dir, adminPassword: PASSWORD, ...servers });
    const admin = new HttpClient(stack.baseUrl);
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    expect(await signIn(stack, 'bob', PASSWORD)).toBe(200);
    expect((await admin.get(`/api/reference-data/${createdIds['dataSet']}`)).status).toBe(200);
    expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
    for (const request of requests) done(await createType(admin, request));
    const { body } = await admin.get('/api/reference-types');
    const names = body.map(({ name }: Json) => name).filter((name: string) => name.startsWith('Written'));
    expect(names.sort()).toEqual(requests.map(({ name }) => name).sort());
    await stack.stop();
    stack = undefined;
    const secondRestore = await restore(env);
    expect(secondRestore).toMatchObject({ code: 3, output: expect.stringContaining('tables of the product already') });
    const emptied = createPool(servers.databaseUrl, { max: 1 });
    await emptied.query(
      `DO $$ DECLARE s text; BEGIN FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)' LOOP
         EXECUTE format('DROP SCHEMA %I CASCADE', s); END LOOP; END $$`,
    );
    await emptied.end();
    const withLog = await restore(env);
    expect(withLog).toMatchObject({ code: 3, output: expect.stringContaining('events of the product already') });
  });
});

describe('a refused restore changes nothing', () => {
  let dir: string;
  beforeAll(() => {
    dir = copyOf('refused');
  });
  const filesInFolder = () =>
    readdirSync(dir, { recursive: true })
      .filter((name) => !/processes|launcher\.lock/.test(String(name)))
      .sort();

  async function expectRefused(bytes: Buffer, words: string[], message: string, code = 3): Promise<void> {
    const file = join(root, 'refused.tar.gz');
    writeFileSync(file, bytes);
    const before = filesInFolder();
    const ended = await run('restore', ['--from', file, ...words], dir);
    expect(ended).toMatchObject({ code, output: expect.stringContaining(message) });
    expect(filesInFolder()).toEqual(before);
  }
  const readQuietBackup = () => readFileSync(backupOf(dir, quietBackup));

  it('without --replace', () => expectRefused(readQuietBackup(), [], 'Add --replace'));
  it('of a file that is cut off', () =>
    expectRefused(
      readQuietBackup().subarray(0, readQuietBackup().length - 500),
      ['--replace'],
      'damaged at trailer.json',
    ));
  it('of a file with changed bytes', () => {
    const bytes = overwriteMiddle(readQuietBackup());
    return expectRefused(bytes, ['--replace'], 'The backup is damaged at');
  });
  it('with a wrong passphrase', () => {
    const file = join(root, 'wrong-passphrase');
    writeFileSync(file, 'not this one at all\n');
    return expectRefused(
      readFileSync(backupOf(dir, encryptedBackup)),
      ['--replace', '--passphrase-file', file],
      'The passphrase is not the one',
    );
  });
  it('of a file that another key signed', async () => {
    const other = join(root, 'other.pem');
    const { generateSigningKey } = await import('@rdm/platform');
    const pem = join(root, 'other-private.pem');
    writeFileSync(pem, generateSigningKey());
    writeFileSync(other, loadSigningKey(pem).publicKey);
    await expectRefused(readQuietBackup(), ['--replace', '--key', other], 'signed by a key that only this file names');
  });
});

describe('kill -9', () => {
  /** Backs up the data; returns whether a restore was completed, and whether the data set created after the backup is there. */
  async function readOutcome(dir: string): Promise<{ restored: boolean; later: boolean }> {
    const folder = join(dir, 'found');
    const ended = await run('backup', ['--to', folder], dir);
    expect(ended.code, ended.output).toBe(0);
    const file = join(folder, readdirSync(folder)[0] as string);
    await verifyFile(file, { trustedKeys: [loadSigningKey(signingKeyPath(dir)).publicKey] });
    const result = { restored: false, later: false };
    for await (const part of readBackup(file)) {
      if (part.kind !== 'records') continue;
      for (const { type, stream } of part.records) {
        if (type === 'BackupRestored') result.restored = true;
        if (stream === `dataSet-${createdIds['laterDataSet']}`) result.later = true;
      }
    }
    return result;
  }

  const UNCHANGED = { restored: false, later: true };
  const COMPLETED = { restored: true, later: false };
  const KILLS = [
    ['stopped', 'prepared', UNCHANGED],
    ['serving', 'planned', COMPLETED],
  ] as const;
  const MORE_KILLS = [
    ['serving', 'filled', UNCHANGED],
    ['stopped', 'replaced postgres', COMPLETED],
    ['stopped', 'verified', UNCHANGED],
    ['stopped', 'filled', UNCHANGED],
    ['stopped', 'saved', UNCHANGED],
    ['serving', 'prepared', UNCHANGED],
    ['stopped', 'planned', COMPLETED],
    ['stopped', 'placed postgres', COMPLETED],
    ['stopped', 'replaced event-store', COMPLETED],
    ['stopped', 'placed event-store', COMPLETED],
    ['stopped', 'completed', COMPLETED],
  ] as const;
  it.each(LONG ? [...KILLS, ...MORE_KILLS] : KILLS)(
    'of a restore of the %s product after the step “%s” leaves data that is unchanged or completely restored at the next start',
    async (filesInFolder, step, expected) => {
      const dir = copyOf('killed');
      const words = [KILLED_RESTORE_PROGRAM, backupOf(dir, quietBackup), dir, filesInFolder, ...step.split(' ')];
      const child = spawn(process.execPath, words, { stdio: 'inherit' });
      const [, signal] = await once(child, 'exit');
      expect(signal).toBe('SIGKILL');
      expect(await readOutcome(dir)).toEqual(expected);
      expect(remainingFolders(dir)).toEqual([]);
    },
  );
});
