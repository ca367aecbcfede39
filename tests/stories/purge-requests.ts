/** Starts a product for tests of purges. Plans and requests purges in it, deletes data, and places legal holds. */
import { createPool, type Pool } from '@rdm/platform';
import { afterAll, beforeAll } from 'vitest';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { done, newCrosswalk, newDataSet, newType } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';

export const PASSWORD = 'Story-pass-1';

export let stack: TestStack;
export let pool: Pool;
export let admin: HttpClient;
export let olga: HttpClient;
export let typeId: number;

export async function signIn(username: string): Promise<HttpClient> {
  const person = new HttpClient(stack.baseUrl);
  done(await person.signIn(username, PASSWORD));
  return person;
}

export async function createUser(username: string, roleId: number): Promise<number> {
  const user = { username, email: `${username}@example.com`, password: PASSWORD, roleId };
  return done(await admin.post('/api/users', { ...user, requirePasswordChange: false })).id;
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Plans a purge in a collection, or in the whole product for null; returns the purge with its plan. */
export async function makePlan(collectionId: number | null, kind = 'dataSets'): Promise<Json> {
  const { id } = done(await admin.post('/api/purges', { kind, scope: { collectionId }, before: inAnHour() }));
  return (await admin.eventually(`/api/purges/${id}`, ({ body }) => body.isPlanned)).body;
}

export const request = (purge: Json, person = admin) =>
  person.post(`/api/purges/${purge.id}/request`, { phrase: purge.phrase, reason: 'Retention rule R7' });

/** Waits until a purge has deleted its data or has failed; returns the purge. */
export const waitForEnd = async (purge: Json): Promise<Json> =>
  (
    await admin.eventually(
      `/api/purges/${purge.id}`,
      ({ body }) => ['RECLAIMING', 'DONE', 'FAILED'].includes(body.status),
      110_000,
    )
  ).body;

export const remove = async (path: string) => done(await admin.delete(path));

/** Creates and deletes a data set with one row that has this code. */
export async function createDeletedDataSet(collectionId: number, code = 'x'): Promise<number> {
  const id = await newDataSet(admin, typeId, collectionId, [{ code, name: code }]);
  await remove(`/api/reference-data/${id}`);
  return id;
}

/**
 * Creates two data sets and a crosswalk between them, and deletes the crosswalk. Returns the id of the crosswalk, the
 * id of the command that deleted it, and the id of its target.
 */
export async function createDeletedCrosswalk(
  collectionId: number,
): Promise<{ id: number; commandId: string; target: number }> {
  const [source, target] = [
    await newDataSet(admin, typeId, collectionId),
    await newDataSet(admin, typeId, collectionId),
  ];
  const id = await newCrosswalk(admin, source, target);
  const { commandId } = await remove(`/api/crosswalks/${id}`);
  return { id, commandId, target };
}

export const placeHold = (scope: Json, person = admin) =>
  person.post('/api/legal-holds', { scope, matter: 'Case 17', reason: 'Requested by the legal department' });
export const release = async (id: number, person = admin) =>
  done(await person.post(`/api/legal-holds/${id}/release`, { reason: 'The case is closed' }));

/** Returns the tables of the database with rows that contain a text. */
export async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await pool.query<{ table: string }>(
    `SELECT n.nspname || '.' || c.relname AS table FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1`,
  );
  const tables: string[] = [];
  for (const { table } of rows) {
    const { rowCount } = await pool.query(`SELECT FROM ${table} x WHERE x::text LIKE '%' || $1 || '%' LIMIT 1`, [text]);
    if (rowCount) tables.push(table.replace(/^(\w+)_v\d+_b\d+\./, 'read model $1.'));
  }
  return tables;
}

/**
 * Starts a product with two administrators before the tests of a file. Purges need their own product, because they
 * rebuild all read models.
 */
export function startPurgeStack(): void {
  beforeAll(async () => {
    stack = await startTestStack('purges', {
      adminPassword: PASSWORD,
      env: { OLD_BUILD_GRACE_SECONDS: '0' },
    });
    pool = createPool(stack.databaseUrl, { max: 2 });
    admin = await signIn('admin');
    await createUser('olga', 1);
    olga = await signIn('olga');
    typeId = await newType(admin);
  });

  afterAll(async () => {
    await pool?.end();
    await stack?.stop();
  });
}
