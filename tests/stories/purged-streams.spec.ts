/** A purged stream refuses commands; other streams still accept commands. */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { done, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

const store = EventStoreDBClient.connectionString(inject('eventStoreUrl'));
let steward: HttpClient;
let admin: HttpClient;
let type: number;
let collection: number;
/** The data set whose stream is purged, and the revision of the data set. */
let purged: number;
let revision: number;
/** The end of the change feed before the purge. */
let cursor: string;

beforeAll(async () => {
  [steward, admin] = await Promise.all([signInAs('steward'), signInAs('admin')]);
  [type, collection] = await Promise.all([newType(steward), newSharedCollection(steward)]);
  purged = await newDataSet(steward, type, collection, [{ code: 'a', name: 'A' }]);
  ({ revision } = done(await steward.get(`/api/reference-data/${purged}`)));
  ({ next: cursor } = await readFeed());
}, 60_000);
afterAll(() => store.dispose());

/** Returns the subjects in the change feed after a cursor, and the cursor at the end of the feed. */
async function readFeed(after = ''): Promise<{ subjects: string[]; next: string }> {
  const page = done(await steward.get(`/api/changes?limit=1000&after=${after}`));
  const subjects = page.items.map(({ subject }: Json) => subject);
  if (!page.more) return { subjects, next: page.next };
  const following = await readFeed(page.next);
  return { ...following, subjects: [...subjects, ...following.subjects] };
}

const PURGED = { code: 'PURGED', error: 'This was purged' };
const rename = (name: string, options: { key?: string } = {}) =>
  steward.patch(`/api/reference-data/${purged}`, { name }, { ifMatch: revision, ...options });

/**
 * Clears the stored answer of the command whose payload contains `name`, as if the service had crashed before the
 * append. Returns the answer that recovery stores.
 */
async function recoverCommand(name: string): Promise<Json> {
  const db = new pg.Client({ connectionString: inject('databaseUrl') });
  await db.connect();
  try {
    const { rows } = await db.query(
      `UPDATE command.commands SET status = NULL, answer = NULL, answered_at = NULL, leased_until = now() - interval '1 hour'
        WHERE payload::text LIKE '%' || $1 || '%' RETURNING command_id`,
      [name],
    );
    expect(rows).toHaveLength(1);
    const readAnswer = () =>
      db.query('SELECT status, answer FROM command.commands WHERE command_id = $1', [rows[0].command_id]);
    await expect.poll(async () => (await readAnswer()).rows[0].status, { timeout: 60_000 }).not.toBeNull();
    return (await readAnswer()).rows[0];
  } finally {
    await db.end();
  }
}

it('a purged stream refuses commands, and later events in other streams are still read', async () => {
  await store.tombstoneStream(`dataSet-${purged}`);

  // The log ends with the tombstone. A read as of now must not wait for an event after the tombstone.
  const now = encodeURIComponent(new Date().toISOString());
  expect((await steward.get(`/api/reference-types/${type}?asOf=${now}`)).status).toBe(200);

  const name = uniqueName('Renamed');
  const key = randomUUID();
  for (const attempt of [await rename(name, { key }), await rename(name, { key })]) {
    expect(attempt.status).toBe(410);
    expect(attempt.body).toMatchObject(PURGED);
  }
  expect(await recoverCommand(name)).toMatchObject({ status: 410, answer: PURGED });
  const added = await steward.post(`/api/reference-data/${purged}/instances`, { rows: [{ data: { code: 'b' } }] });
  expect(added.body).toMatchObject(PURGED);
  const replay = await admin.get(`/api/audit-logs/replay?stream=dataSet-${purged}`);
  expect(replay.status).toBe(410);
  expect(replay.body).toMatchObject(PURGED);

  // The read models and the change feed continue with later events.
  const later = await newDataSet(steward, type, collection, [{ code: 'c', name: 'C' }]);
  expect(done(await steward.get(`/api/reference-data/${later}/instances`)).items).toHaveLength(1);
  expect((await readFeed(cursor)).subjects).toContain(`data-set/${later}`);
});
