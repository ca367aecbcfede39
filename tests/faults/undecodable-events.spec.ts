/**
 * Events of a later version of the product in the log. Read models that decode such an event stop, and commands that
 * read such an event are refused. After such an event in the access stream, all requests of users are refused.
 */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { ACCESS_STREAM, streams } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { done, newCollection, newCrosswalk, newDataSet, newType } from '../stories/fixtures.ts';
import { HttpClient, type Json, uniqueName } from '../stories/http-client.ts';
import { startTestStack, type TestStack } from '../test-stack.ts';

const PASSWORD = 'Undecodable-admin-1';
let stack: TestStack;
let admin: HttpClient;
let database: pg.Pool;
let log: EventStoreDBClient;

beforeAll(async () => {
  stack = await startTestStack('undecodable', { adminPassword: PASSWORD });
  database = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
  log = EventStoreDBClient.connectionString(stack.eventStoreUrl);
  admin = new HttpClient(stack.baseUrl);
  done(await admin.signIn('admin', PASSWORD));
});
afterAll(async () => {
  await log?.dispose();
  await database?.end();
  await stack?.stop();
});

/** Appends an event as a later version would; returns its id. */
async function append(stream: string, type: string, data: Json): Promise<string> {
  const id = randomUUID();
  const occurredAt = new Date().toISOString();
  const metadata = eventMetadata({ $correlationId: id, $causationId: id, requestId: id, occurredAt });
  await log.appendToStream(stream, jsonEvent({ id, type, data, metadata }));
  return id;
}

const readReadiness = async () => (await fetch(`${stack.baseUrl}/health/ready`)).json() as Promise<Json>;

it('an unknown event detaches the read models that decode it, and blocks commands on its stream', async () => {
  const typeId = await newType(admin);
  const collectionId = await newCollection(admin);
  const [source, target] = [
    await newDataSet(admin, typeId, collectionId),
    await newDataSet(admin, typeId, collectionId),
  ];
  const crosswalk = await newCrosswalk(admin, source, target);
  const other = await newCrosswalk(admin, source, target);
  const eventId = await append(streams.crosswalk(crosswalk), 'CrosswalkArchived', { why: 'of a later version' });

  const refused = await admin.patch(`/api/crosswalks/${crosswalk}`, { description: 'changed' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  expect(refused.body.error).toContain(`Event ${eventId} of type CrosswalkArchived in crosswalk-${crosswalk}`);

  const readDetached = async () =>
    (
      await database.query(
        `SELECT name, failed_event, failure FROM platform.builds WHERE state = 'DETACHED' ORDER BY name`,
      )
    ).rows;
  await expect.poll(readDetached, { timeout: 30_000 }).not.toEqual([]);
  for (const { failed_event, failure } of await readDetached()) {
    expect(failed_event).toMatchObject({ id: eventId, type: 'CrosswalkArchived' });
    expect(failure).toContain('Unknown event type CrosswalkArchived');
  }
  expect((await readDetached()).map(({ name }) => name)).toEqual(['crosswalks', 'notifications']);

  // Other commands and read models continue. These reads do not wait for the writes of the user, because the detached
  // read models never reach these writes.
  done(await admin.patch(`/api/crosswalks/${other}`, { description: 'changed' }));
  const name = uniqueName('After');
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  done(await admin.post('/api/reference-types', { name, schemas }));
  const read = async (path: string): Promise<Json> =>
    (await fetch(`${stack.baseUrl}${path}`, { headers: { Cookie: admin.cookie } })).json();
  await expect
    .poll(async () => (await read('/api/reference-types')).map((type: Json) => type.name), { timeout: 30_000 })
    .toContain(name);
  const condition = { field: 'action', operator: 'equals', value: 'CrosswalkArchived' };
  const filter = encodeURIComponent(JSON.stringify({ logic: 'AND', conditions: [condition] }));
  const { items } = await read(`/api/audit-logs?filter=${filter}`);
  expect(items).toMatchObject([{ action: 'CrosswalkArchived', entityId: crosswalk }]);
  const replay = await read(`/api/audit-logs/replay?stream=crosswalk-${crosswalk}`);
  expect(replay.at(-1)).toMatchObject({
    type: 'CrosswalkArchived',
    data: { why: 'of a later version' },
    state: null,
  });
  expect(await read('/api/audit-logs/verify')).toMatchObject({ intact: true });
});

it('reads and commands are refused with the reason after an unknown event in the access stream', async () => {
  const eventId = await append(ACCESS_STREAM, 'EverybodyMadeAdministrator', {});
  const reason = `No user can act: event ${eventId} of type EverybodyMadeAdministrator in ${ACCESS_STREAM} cannot be read`;
  await expect.poll(async () => (await admin.get('/api/user')).status, { timeout: 30_000 }).toBe(503);
  expect((await admin.get('/api/user')).body.error).toContain(reason);
  const refused = await admin.post('/api/reference-types', { name: 'No', schemas: [] });
  expect([refused.status, refused.body.error]).toEqual([503, expect.stringContaining(reason)]);
  const { status, parts } = await readReadiness();
  expect(status).not.toBe('ready');
  expect(parts).toMatchObject({
    'query-api': { access: expect.stringContaining(reason) },
    'command-api': { log: expect.stringContaining(reason) },
  });
});
