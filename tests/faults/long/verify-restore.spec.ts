/**
 * Verifies a backup by restoring a copy beside the running product: an intact backup, read models that differ from the
 * copy, and a kill during the verification.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, startStack } from '@rdm/embedded/stack';
import { createPool, type Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType } from '../../stories/fixtures.ts';
import { HttpClient, type Json } from '../../stories/http-client.ts';

const PASSWORD = 'Correct-Horse-7';

let dataDir: string;
let stack: Stack;
let admin: HttpClient;
let viewer: HttpClient;
let pool: Pool;
let backupId: number;
let dataSetId: number;

const readBackup = async (): Promise<Json> =>
  (await admin.get('/api/backups')).body.items.find((each: Json) => each.id === backupId);
const verificationFolders = () => readdirSync(dataDir).filter((name) => name.startsWith('verify-'));

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'rdm-verify-'));
  stack = await startStack({ dataDir, adminPassword: PASSWORD });
  pool = createPool(stack.databaseUrl, { max: 1 });
  admin = new HttpClient(stack.baseUrl);
  expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
  const collectionId = await newCollection(admin);
  const typeId = await newType(admin);
  dataSetId = await newDataSet(admin, typeId, collectionId, [{ code: 'de' }, { code: 'fr' }]);
  const target = await newDataSet(admin, typeId, collectionId, [{ code: 'DEU' }, { code: 'FRA' }]);
  await draft(admin, await newCrosswalk(admin, dataSetId, target), [['de', 'DEU']]);
  const account = { username: 'vera', email: 'vera@example.com', password: PASSWORD, roleId: 4 };
  done(await admin.post('/api/users', { ...account, requirePasswordChange: false }));
  viewer = new HttpClient(stack.baseUrl);
  expect((await viewer.signIn('vera', PASSWORD)).status).toBe(200);
  backupId = done(await admin.post('/api/backups', {})).id;
  await vi.waitFor(async () => expect((await readBackup())['verifiedAt']).not.toBeNull(), { timeout: 60_000 });
  // Change data after the backup, because the verification must compare the copy with the data at the time of the
  // backup.
  await newDataSet(admin, typeId, collectionId, [{ code: 'x' }]);
  done(await admin.patch(`/api/reference-data/${dataSetId}`, { description: 'changed later' }));
});
afterAll(async () => {
  await pool.end();
  await stack.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function verify(): Promise<Json> {
  done(await admin.post(`/api/backups/${backupId}/verify`, { level: 'restore' }));
  await vi.waitFor(async () => expect((await readBackup())['verifying']).toBe(true), { timeout: 60_000 });
  return vi.waitFor(
    async () => {
      const backup = await readBackup();
      expect(backup['verifying']).toBe(false);
      return backup;
    },
    { timeout: 180_000, interval: 200 },
  );
}

async function tableOf(projection: string, table: string): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>(
    'SELECT schema_name AS schema FROM platform.builds WHERE serving AND name = $1',
    [projection],
  );
  return `${rows[0]?.schema}.${table}`;
}

it('the verification of an intact backup starts again after a kill, and reports no problem', async () => {
  done(await admin.post(`/api/backups/${backupId}/verify`, { level: 'restore' }));
  await vi.waitFor(() => expect(verificationFolders()).toHaveLength(1), { timeout: 60_000, interval: 10 });
  const [killedFolder] = verificationFolders();
  process.kill(stack.parts['maintenance']?.pid as number, 'SIGKILL');
  await vi.waitFor(() => expect(verificationFolders()).not.toContain(killedFolder), { timeout: 60_000 });
  await vi.waitFor(async () => expect((await readBackup())['verifying']).toBe(false), { timeout: 180_000 });
  expect(await readBackup()).toMatchObject({ status: 'DONE', verifiedLevel: 'restore', problem: null });
  expect(verificationFolders()).toEqual([]);
});

it('the verification names a read model that differs from the copy, and notifies only administrators', async () => {
  const table = await tableOf('data_sets', 'reference_data_sets');
  await pool.query(`UPDATE ${table}_history SET name = name || ' altered' WHERE id = $1`, [dataSetId]);
  const { status, problem } = await verify();
  expect([status, problem]).toEqual(['DAMAGED', expect.stringContaining('The read model reference_data_sets')]);

  const { body } = await admin.eventually('/api/notifications', (answer) =>
    answer.body.items.some(({ kind }: Json) => kind === 'backup'),
  );
  expect(body.items[0]).toMatchObject({ reason: 'BACKUP_DAMAGED', parentId: backupId, comment: problem, read: false });
  expect(done(await viewer.get('/api/notifications')).items).toEqual([]);
});
