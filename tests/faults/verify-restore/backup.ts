/** A running product with a backup and with changes after it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, startStack } from '@rdm/embedded/stack';
import { createPool, type Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType } from '../../stories/fixtures.ts';
import { HttpClient, type Json } from '../../stories/http-client.ts';

const PASSWORD = 'Correct-Horse-7';

let dataDir: string;
export let stack: Stack;
export let admin: HttpClient;
export let viewer: HttpClient;
export let pool: Pool;
export let backupId: number;
export let dataSetId: number;

export const readBackup = async (): Promise<Json> =>
  (await admin.get('/api/backups')).body.items.find((each: Json) => each.id === backupId);
export const verificationFolders = () => readdirSync(dataDir).filter((name) => name.startsWith('verify-'));

/** Starts the product and makes the backup before the first test. */
export function useBackup(): void {
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
    // Changes after the backup: the verification must compare the copy with the data at the time of the backup.
    await newDataSet(admin, typeId, collectionId, [{ code: 'x' }]);
    done(await admin.patch(`/api/reference-data/${dataSetId}`, { description: 'changed later' }));
  });
  afterAll(async () => {
    await pool.end();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
}
