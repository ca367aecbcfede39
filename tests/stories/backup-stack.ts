/** Starts a product for tests of backups, and waits for its backups and verifications. */
import { join } from 'node:path';
import { createPool, type Pool } from '@rdm/platform';
import { afterAll, beforeAll } from 'vitest';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { done } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';

export const ADMIN_PASSWORD = 'Backups-admin-1';

export let stack: TestStack;
export let admin: HttpClient;
export let pool: Pool;

export async function signIn(): Promise<HttpClient> {
  const person = new HttpClient(stack.baseUrl);
  done(await person.signIn('admin', ADMIN_PASSWORD));
  return person;
}

export const fileOf = ({ fileName }: Json): string => join(stack.dataDir, 'backups', fileName);

/** Returns the backup as soon as the list contains it and `matches` returns true. */
export async function waitForBackup(id: number, matches: (backup: Json) => boolean = () => true): Promise<Json> {
  const find = (body: Json): Json | undefined => body.items.find((each: Json) => each.id === id);
  const { body } = await admin.eventually('/api/backups', (answer) => {
    const backup = find(answer.body);
    return backup !== undefined && matches(backup);
  });
  return find(body) as Json;
}

export async function verify(id: number, body: Json = {}): Promise<Json> {
  const { jobId } = done(await admin.post(`/api/backups/${id}/verify`, body));
  return (await admin.eventually(`/api/jobs/${jobId}`, (answer) => answer.body.endTime !== null)).body;
}

/**
 * Starts a separate product for a test file, because an installation has one backup schedule and makes one backup at a
 * time.
 */
export function startBackupStack(): void {
  beforeAll(async () => {
    stack = await startTestStack('backups', { adminPassword: ADMIN_PASSWORD });
    admin = await signIn();
    pool = createPool(stack.databaseUrl, { max: 1 });
  });

  afterAll(async () => {
    await pool?.end();
    await stack?.stop();
  });
}
