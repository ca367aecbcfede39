/** Tests diagnostics: the errors that each user can see, the limits of the list, and details for administrators. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { ERRORS_PER_MINUTE, streams } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import { createLog, createPool, openErrorLog, type Pool, pruneErrors } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { newKey } from './api-key-client.ts';
import { done, newCollection, newDataSet, newType } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';
import { type MailServer, startMailServer } from './mail/mail-server.ts';
import { createSignedInUser, type SignedInUser } from './signed-in-user.ts';

const ADMIN_PASSWORD = 'Diagnostics-admin-1';
const STEWARD = 2;
const VIEWER = 4;

let stack: TestStack;
let mailServer: MailServer;
let database: Pool;
let admin: HttpClient;
let viewer: SignedInUser;
let other: SignedInUser;

beforeAll(async () => {
  mailServer = await startMailServer();
  stack = await startTestStack('diagnostics', { adminPassword: ADMIN_PASSWORD, env: { SMTP_URL: mailServer.url } });
  database = createPool(stack.databaseUrl, { max: 2 });
  admin = new HttpClient(stack.baseUrl);
  done(await admin.signIn('admin', ADMIN_PASSWORD));
  viewer = await createSignedInUser(admin, VIEWER);
  other = await createSignedInUser(admin, VIEWER);
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await mailServer?.stop();
});

const diagnosticsOf = async (person: HttpClient): Promise<Json> => done(await person.get('/api/diagnostics'));

/** Waits until the administrator can read an error that matches, and returns this error. */
async function waitForError(matches: (error: Json) => boolean): Promise<Json> {
  const { body } = await admin.eventually('/api/diagnostics', ({ body: view }) => view.errors?.some(matches));
  return body.errors.find(matches);
}

describe('a failed request', () => {
  it('is listed only for its sender and for administrators', async () => {
    const correlationId = randomUUID();
    const { rows } = await database.query<{ table: string }>(
      `SELECT schema_name || '.crosswalk_mappings' AS table FROM platform.builds WHERE name = 'crosswalks' AND serving`,
    );
    const table = rows[0]?.table;
    await database.query(`ALTER TABLE ${table} RENAME COLUMN deleted TO renamed`);
    const failed = await viewer.person.get('/api/crosswalks?q=needle', {
      headers: { 'X-Correlation-Id': correlationId },
    });
    await database.query(`ALTER TABLE ${table} RENAME COLUMN renamed TO deleted`);
    expect(failed.status).toBe(500);

    const matches = (error: Json) => error.correlationId === correlationId;
    expect(await waitForError(matches)).toEqual({
      id: expect.any(Number),
      at: expect.any(String),
      service: 'query-api',
      kind: 'REQUEST',
      route: 'GET /api/crosswalks',
      status: 500,
      code: '42703',
      message: 'The service failed: its log has the reason',
      correlationId,
      actorId: viewer.id,
    });
    for (const [person, isShown] of [
      [viewer.person, true],
      [other.person, false],
    ] as const) {
      expect((await diagnosticsOf(person)).errors.some(matches)).toBe(isShown);
      const { items } = done(await person.get(`/api/diagnostics/errors?q=${correlationId}`));
      expect(items.some(matches)).toBe(isShown);
    }
  });
});

describe('a failed job', () => {
  it('is listed without its reason, which may contain values of rows', async () => {
    const steward = await createSignedInUser(admin, STEWARD);
    const typeId = await newType(steward.person, [{ name: 'population', dataType: 'number' }]);
    const dataSetId = await newDataSet(steward.person, typeId, await newCollection(steward.person));
    const form = new FormData();
    form.set('dataSetId', String(dataSetId));
    form.set('file', new File(['code,population\nDE,sensitive-value\n'], 'countries.csv', { type: 'text/csv' }));
    const { id } = done(await steward.person.post('/api/imports', form));
    const start = { description: 'Countries', allOrNothing: true };
    const { jobId } = done(await steward.person.post(`/api/imports/${id}/start`, start));

    const error = await waitForError(({ message }) => message.startsWith(`Job ${jobId} failed`));
    expect(error).toMatchObject({ service: 'command-api', kind: 'JOB', actorId: steward.id });
    expect(error.correlationId).toMatch(/./);
    expect(JSON.stringify(error)).not.toContain('sensitive-value');
    expect((await diagnosticsOf(steward.person)).errors).toContainEqual(error);
  });
});

describe('an undeliverable mail', () => {
  it('is listed without its recipient', async () => {
    mailServer.refusal = { code: 550, text: 'No such user' };
    const email = `nobody-${randomUUID().slice(0, 8)}@example.com`;
    done(await admin.post('/api/users', { username: email.split('@')[0], email, roleId: VIEWER }));
    const error = await waitForError(({ kind }) => kind === 'MAIL');
    expect(error).toMatchObject({ service: 'command-api', code: 'SMTP-550', actorId: null, correlationId: null });
    expect(JSON.stringify(error)).not.toContain('nobody-');
    mailServer.refusal = undefined;
  });
});

describe('a stopped projection', () => {
  it('is listed with the correlation id of the event, and makes the projector unhealthy', async () => {
    const typeId = await newType(admin);
    const dataSetId = await newDataSet(admin, typeId, await newCollection(admin));
    expect((await diagnosticsOf(viewer.person)).parts.projector).toBe(true);
    const id = randomUUID();
    const occurredAt = new Date().toISOString();
    const metadata = eventMetadata({ $correlationId: id, $causationId: id, requestId: id, occurredAt });
    const log = EventStoreDBClient.connectionString(stack.eventStoreUrl);
    await log.appendToStream(
      streams.dataSet(dataSetId),
      jsonEvent({ id, type: 'DataSetArchived', data: { why: 'sensitive-reason' }, metadata }),
    );
    await log.dispose();
    const error = await waitForError(({ kind }) => kind === 'PROJECTION');
    expect(error).toMatchObject({ service: 'projector', correlationId: id, actorId: null });
    expect(error.message).toMatch(/^The projection [\w-]+ stopped before an event/);
    expect(JSON.stringify(error)).not.toContain('sensitive-reason');
    const ownDiagnostics = await diagnosticsOf(viewer.person);
    expect(ownDiagnostics).toMatchObject({
      healthy: false,
      parts: { projector: false, postgres: true, commandApi: true },
    });
  });
});

describe('diagnostics', () => {
  it('show a viewer no versions, no paths and no errors of other users', async () => {
    const ownDiagnostics = await diagnosticsOf(other.person);
    expect(Object.keys(ownDiagnostics).sort()).toEqual(['errors', 'healthy', 'parts', 'session']);
    expect(ownDiagnostics.errors).toEqual([]);
    expect(Date.parse(ownDiagnostics.session.until)).toBeGreaterThan(Date.parse(ownDiagnostics.session.since));
    const text = JSON.stringify(ownDiagnostics);
    for (const hidden of [process.version, stack.dataDir, '24.10', 'migrations']) expect(text).not.toContain(hidden);
  });

  it('show administrators the disk, the event store and the versions', async () => {
    const adminDiagnostics = await diagnosticsOf(admin);
    expect(adminDiagnostics).toMatchObject({
      versions: { node: process.version },
      eventStore: { isEmbedded: true, version: '24.10.0', members: null },
      omittedErrors: expect.any(Number),
    });
    for (const bytes of Object.values(adminDiagnostics.disk)) expect(bytes).toBeGreaterThan(0);
    expect(adminDiagnostics.disk.freeBytes).toBeLessThanOrEqual(adminDiagnostics.disk.totalBytes);
  });

  it('contain no secret of the stack', async () => {
    const key = await newKey(admin, [[await newCollection(admin), 'read']]);
    const storedSecrets = JSON.parse(readFileSync(join(stack.dataDir, 'secrets.json'), 'utf8'));
    const secrets: string[] = [
      ...[
        storedSecrets.sessionSecret,
        storedSecrets.serviceSecret,
        storedSecrets.adminPassword,
        storedSecrets.samplePassword,
        ADMIN_PASSWORD,
      ],
      ...[readFileSync(join(stack.dataDir, 'event-store-password'), 'utf8').trim(), stack.eventStoreUrl],
      ...[stack.databaseUrl, key.secret, admin.cookie, mailServer.url],
    ];
    const texts = [await diagnosticsOf(admin), done(await admin.get('/api/diagnostics/errors?pageSize=1000'))];
    for (const text of texts.map((each) => JSON.stringify(each))) {
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/postgres(ql)?:\/\/|esdb:\/\//);
    }
  });
});

describe('the list of errors', () => {
  it('keeps a limited number of errors per service and minute, and counts the omitted errors', async () => {
    const service = `flooded-${randomUUID().slice(0, 8)}`;
    const before = (await diagnosticsOf(admin)).omittedErrors;
    const instances = [1, 2].map(() => openErrorLog({ db: database, service, log: createLog('story', 'silent') }));
    for (const errors of instances) {
      for (let count = 0; count < ERRORS_PER_MINUTE + 10; count += 1)
        errors.record({ kind: 'REQUEST', code: 'Error', message: 'It failed' });
      await errors.flush();
    }
    const { rows } = await database.query('SELECT count(*) FROM telemetry.errors WHERE service = $1', [service]);
    expect(rows[0].count).toBe(ERRORS_PER_MINUTE);
    expect((await diagnosticsOf(admin)).omittedErrors - before).toBe(ERRORS_PER_MINUTE + 20);
  });

  it('removes errors after a week', async () => {
    const service = `old-${randomUUID().slice(0, 8)}`;
    await database.query(
      `INSERT INTO telemetry.errors (at, service, kind, code, message)
         SELECT now() - days * interval '1 day', $1, 'REQUEST', 'Error', days || ' days' FROM unnest('{6,8}'::int[]) days`,
      [service],
    );
    await database.query(
      `INSERT INTO telemetry.omitted_errors (service, minute, count)
         SELECT $1, now() - days * interval '1 day', 1 FROM unnest('{6,8}'::int[]) days`,
      [service],
    );
    await pruneErrors(database);
    const countRemaining = async (table: string) =>
      (await database.query(`SELECT count(*) FROM telemetry.${table} WHERE service = $1`, [service])).rows[0].count;
    expect([await countRemaining('errors'), await countRemaining('omitted_errors')]).toEqual([1, 1]);
  });
});
