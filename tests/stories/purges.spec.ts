/**
 * Purges of deleted data: planned, requested by one administrator and confirmed by another. On a stack of its own: a purge
 * rebuilds all read models.
 */
import { createPool, type Pool } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { done, newCollection, newCrosswalk, newDataSet, newType } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';

const PASSWORD = 'Story-pass-1';

let stack: TestStack;
let pool: Pool;
let admin: HttpClient;
let olga: HttpClient;
let typeId: number;

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

async function signIn(username: string): Promise<HttpClient> {
  const person = new HttpClient(stack.baseUrl);
  done(await person.signIn(username, PASSWORD));
  return person;
}

async function createUser(username: string, roleId: number): Promise<number> {
  const user = { username, email: `${username}@example.com`, password: PASSWORD, roleId };
  return done(await admin.post('/api/users', { ...user, requirePasswordChange: false })).id;
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Makes a dry run of a collection and returns it with its plan. */
async function plan(collectionId: number | null, kind = 'dataSets'): Promise<Json> {
  const { id } = done(await admin.post('/api/purges', { kind, scope: { collectionId }, before: inAnHour() }));
  return (await admin.eventually(`/api/purges/${id}`, ({ body }) => body.isPlanned)).body;
}

const request = (purge: Json, person = admin) =>
  person.post(`/api/purges/${purge.id}/request`, { phrase: purge.phrase, reason: 'Retention rule R7' });

/** Waits until the purge has done everything but the space of the event store. */
const endOf = async (purge: Json): Promise<Json> =>
  (
    await admin.eventually(
      `/api/purges/${purge.id}`,
      ({ body }) => ['RECLAIMING', 'DONE', 'FAILED'].includes(body.status),
      110_000,
    )
  ).body;

const remove = async (path: string) => done(await admin.delete(path));

/** A data set with rows of these codes that was deleted. */
async function deletedDataSet(collectionId: number, ...codes: string[]): Promise<number> {
  const rows = codes.map((code) => ({ code, name: code }));
  const id = await newDataSet(admin, typeId, collectionId, rows);
  await remove(`/api/reference-data/${id}`);
  return id;
}

/** The tables of the database whose rows contain a text. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await pool.query<{ table: string }>(
    `SELECT n.nspname || '.' || c.relname AS table FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { table } of rows) {
    const { rowCount } = await pool.query(`SELECT FROM ${table} x WHERE x::text LIKE '%' || $1 || '%' LIMIT 1`, [text]);
    if (rowCount) found.push(table.replace(/_v\d+_b\d+\./, '.'));
  }
  return found;
}

describe('a purge of deleted data sets', () => {
  it('is planned, requested, confirmed by another administrator and carried out', async () => {
    const marker = 'markerofthepurgedrow';
    const collection = await newCollection(admin);
    const kept = await newDataSet(admin, typeId, collection, [{ code: 'k', name: 'Kept' }]);
    const purged = await newDataSet(admin, typeId, collection, [{ code: marker, name: marker }]);
    const crosswalk = await newCrosswalk(admin, purged, kept);
    await remove(`/api/crosswalks/${crosswalk}`);
    await remove(`/api/reference-data/${purged}`);
    expect(await tablesWith(marker)).toEqual(
      expect.arrayContaining(['instances.instances_default', 'command.commands']),
    );

    const purge = await plan(collection);
    expect(purge).toMatchObject({ status: 'DRY_RUN', phrase: 'purge 1 data set', requestedBy: 'admin' });
    expect(purge.plan.items).toMatchObject([{ kind: 'dataSet', id: purged }]);
    expect(purge.plan.dependants).toMatchObject([{ kind: 'crosswalk', id: crosswalk }]);
    expect(purge.plan.streams.map(({ stream }: Json) => stream)).toContain(`dataSet-${purged}`);
    expect(purge.plan.events).toBeGreaterThan(3);

    expect(
      await admin.post(`/api/purges/${purge.id}/request`, { phrase: 'purge 2 data sets', reason: 'x' }),
    ).toMatchObject({
      status: 422,
      body: { code: 'WRONG_PHRASE', error: 'Type “purge 1 data set” to request the purge' },
    });
    done(await request(purge));
    expect(await admin.post(`/api/purges/${purge.id}/confirm`)).toMatchObject({
      status: 409,
      body: { code: 'SAME_ADMINISTRATOR', error: 'A different administrator must confirm this purge' },
    });
    const seenByOlga = (await olga.get(`/api/purges/${purge.id}`)).body;
    expect(seenByOlga).toMatchObject({ status: 'REQUESTED', mayConfirm: true, plan: purge.plan });
    done(await olga.post(`/api/purges/${purge.id}/confirm`));
    const ended = await endOf(purge);
    expect(ended).toMatchObject({
      status: 'RECLAIMING',
      problem: null,
      command: 'npm run scavenge',
      confirmedBy: 'olga',
      isSealed: true,
    });

    // The streams are gone for good, and the other data set is unchanged.
    expect(await admin.patch(`/api/reference-data/${purged}`, { name: 'x' }, { ifMatch: 1 })).toMatchObject({
      status: 410,
      body: { code: 'PURGED' },
    });
    expect(done(await admin.get(`/api/reference-data/${kept}/instances`)).items).toMatchObject([
      { data: { code: 'k' } },
    ]);
    const outsideReadModels = (await tablesWith(marker)).filter((table) =>
      /^(command|jobs|cache|telemetry|identity|platform)\./.test(table),
    );
    expect(outsideReadModels).toEqual([]);
  });
});
