/**
 * Tests `npm run restore` with a backup that was made during writes, into a new folder and into the operator's own
 * servers, and kills it after a step. FAULTS=long adds kills after further steps.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startPostgres } from '@rdm/embedded/postgres/postgres';
import { createPool, signingKeyPath } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done } from '../../stories/fixtures.ts';
import type { Json } from '../../stories/http-client.ts';
import {
  backupOf,
  copyOf,
  createdIds,
  createType,
  encryptedBackup,
  FIRST_REQUEST,
  IMPORTED_ROWS,
  laterBackup,
  launch,
  newUser,
  PASSPHRASE,
  PASSWORD,
  requests,
  root,
  run,
  signIn,
  stopProduct,
  stoppedCopy,
  useBackups,
} from '../restore/backups.ts';
import { COMPLETED, killRestore, UNCHANGED } from '../restore/kill.ts';

const LONG = process.env['FAULTS'] === 'long';
/** The time limit for an import that a restored product continues, on a busy machine. */
const IMPORT_MS = 240_000;

useBackups({ duringWrites: true });

describe('a restore', () => {
  it('of a backup that was made during writes lets the product recognise repeated requests', async () => {
    const dir = copyOf('busy');
    const restored = await run('restore', ['--from', backupOf(dir, laterBackup), '--replace'], dir);
    expect(restored.code, restored.output).toBe(0);
    const { admin } = await launch(dir);
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    expect(requests.length).toBeGreaterThan(10);
    for (const request of requests) done(await createType(admin, request));
    const { body } = await admin.get('/api/reference-types');
    const names = body.map(({ name }: Json) => name).filter((name: string) => name.startsWith('Written'));
    expect(names.sort()).toEqual(requests.map(({ name }) => name).sort());
    const ids = body.map(({ id }: Json) => id);
    expect(new Set(ids).size).toBe(ids.length);

    // The import continues and imports all rows once, or fails because the backup lacks the remaining rows.
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

  it('into a new folder requires --trust-file-key', async () => {
    const dir = join(root, 'new');
    const passphraseFile = join(root, 'passphrase');
    writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
    const args = ['--from', backupOf(stoppedCopy, encryptedBackup), '--passphrase-file', passphraseFile];
    const refused = await run('restore', args, dir);
    expect(refused).toMatchObject({ code: 3, output: expect.stringContaining('signed by a key that only this file') });
    const restored = await run('restore', [...args, '--trust-file-key'], dir);
    expect(restored.code, restored.output).toBe(0);
    expect(readFileSync(signingKeyPath(dir))).toEqual(readFileSync(signingKeyPath(stoppedCopy)));
    const { stack, admin } = await launch(dir);
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    expect(await signIn(stack, 'bob', PASSWORD)).toBe(200);
    // New ids start far above the ids that may have been assigned after the backup.
    expect(await newUser(admin, 'newcomer')).toBeGreaterThan(1_000);
    expect((await admin.get(`/api/reference-data/${createdIds['dataSet']}`)).status).toBe(200);
    // The stored hashes of request bodies depend on a secret that is not in the backup. Without this secret,
    // the product recognises a repeated request by the idempotency key and the name of the command.
    expect(done(await createType(admin, FIRST_REQUEST)).id).toBe(createdIds['firstType']);
    const reused = await admin.post('/api/collections', { name: 'Another request' }, { key: FIRST_REQUEST.key });
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
    run('restore', ['--from', backupOf(stoppedCopy, laterBackup), '--trust-file-key'], dir, env);

  it('is refused if only one of the two servers is set', async () => {
    const refused = await restore({ DATABASE_URL: servers.databaseUrl });
    expect(refused).toMatchObject({ code: 3, output: expect.stringContaining('Set both to empty servers') });
  });

  it('fills empty servers and refuses servers with data', async () => {
    const env = { DATABASE_URL: servers.databaseUrl, EVENTSTORE_URL: servers.eventStoreUrl };
    const restored = await restore(env);
    expect(restored.code, restored.output).toBe(0);
    const { stack, admin } = await launch(dir, servers);
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    expect(await signIn(stack, 'bob', PASSWORD)).toBe(200);
    expect((await admin.get(`/api/reference-data/${createdIds['dataSet']}`)).status).toBe(200);
    expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
    for (const request of requests) done(await createType(admin, request));
    const { body } = await admin.get('/api/reference-types');
    const names = body.map(({ name }: Json) => name).filter((name: string) => name.startsWith('Written'));
    expect(names.sort()).toEqual(requests.map(({ name }) => name).sort());
    await stopProduct();
    const secondRestore = await restore(env);
    expect(secondRestore).toMatchObject({ code: 3, output: expect.stringContaining('tables of the product already') });
    const database = createPool(servers.databaseUrl, { max: 1 });
    await database.query(
      `DO $$ DECLARE s text; BEGIN FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)' LOOP
         EXECUTE format('DROP SCHEMA %I CASCADE', s); END LOOP; END $$`,
    );
    await database.end();
    const withLog = await restore(env);
    expect(withLog).toMatchObject({ code: 3, output: expect.stringContaining('events of the product already') });
  });
});

describe('kill -9', () => {
  const KILLS = [['serving', 'planned', COMPLETED]] as const;
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
    'during a restore of the %s product, after the step “%s”, leaves unchanged or completely restored data',
    killRestore,
  );
});
