/** Tests API keys: scopes, the lifetime of secrets, and reports of use. */
import { randomUUID } from 'node:crypto';
import { createLog, createPool, openApiKeyUse, type Pool, type Queryable } from '@rdm/platform';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiKeyClient, type NewKey, newKey } from './api-key-client.ts';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType, rowsOf, userIds } from './fixtures.ts';
import { type Answer, HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { createSignedInUser } from './signed-in-user.ts';

let admin: HttpClient;
let steward: HttpClient;
let approver: HttpClient;
let database: Pool;
let sourceCollection: number;
let targetCollection: number;
let otherCollection: number;
let source: number;
let target: number;
let crosswalkId: number;
let typeId: number;
const keys: Record<string, NewKey> = {};

const clientOf = (name: string): ApiKeyClient => {
  const key = keys[name];
  if (!key) throw new Error(`There is no ${name} key`);
  return key.client;
};

beforeAll(async () => {
  [admin, steward, approver] = await Promise.all([signInAs('admin'), signInAs('steward'), signInAs('approver')]);
  database = createPool(inject('databaseUrl'), { max: 2 });
  const ids = await userIds(steward);
  const grants = [{ entityType: 'user', entityId: ids['approver'], permissionLevel: 'APPROVER' }];
  sourceCollection = await newCollection(steward, grants);
  targetCollection = await newCollection(steward, grants);
  otherCollection = await newCollection(steward);
  typeId = await newType(steward);
  source = await newDataSet(steward, typeId, sourceCollection, [{ code: 'de' }, { code: 'fr' }, { code: 'it' }]);
  target = await newDataSet(steward, typeId, targetCollection, [{ code: 'DEU' }, { code: 'FRA' }, { code: 'ITA' }]);
  crosswalkId = await newCrosswalk(steward, source, target);
  const drafted = await draft(steward, crosswalkId, [['de', 'DEU']]);
  const submitted = rowsOf(
    done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings/submit`, { rows: drafted })),
  );
  done(await approver.post(`/api/crosswalks/${crosswalkId}/approve`));
  done(await approver.post(`/api/crosswalks/${crosswalkId}/mappings/approve`, { rows: submitted }));

  keys['read'] = await newKey(admin, [
    [sourceCollection, 'read'],
    [targetCollection, 'read'],
  ]);
  keys['write'] = await newKey(admin, [
    [sourceCollection, 'write'],
    [targetCollection, 'write'],
  ]);
  keys['translate'] = await newKey(admin, [[sourceCollection, 'translate']]);
  keys['foreign'] = await newKey(admin, [[otherCollection, 'write']]);
  await clientOf('read').eventually(
    `/api/crosswalks/${crosswalkId}/translate?value=de`,
    ({ body }) => body.results?.length === 1,
  );
}, 120_000);
afterAll(() => database?.end());

/** Returns one row of GET /api/api-keys. */
async function readKey(id: number): Promise<Json> {
  const filter = JSON.stringify({ conditions: [{ field: 'id', operator: 'equals', value: id }] });
  return done(await admin.get(`/api/api-keys?filter=${encodeURIComponent(filter)}`)).items[0];
}

describe('creating a key', () => {
  it('requires an administrator', async () => {
    const body = { name: uniqueName('No'), scopes: [{ collectionId: sourceCollection, scope: 'read' }] };
    expect((await steward.post('/api/api-keys', body)).status).toBe(403);
    expect((await new HttpClient().post('/api/api-keys', body)).status).toBe(401);
    expect((await steward.get('/api/api-keys')).status).toBe(403);
  });
  it('returns the secret once, and creates no second key when the request is repeated', async () => {
    const key = randomUUID();
    const body = { name: uniqueName('Once'), scopes: [{ collectionId: sourceCollection, scope: 'read' }] };
    const first = await admin.post('/api/api-keys', body, { key });
    expect(first).toMatchObject({ status: 201, body: { id: expect.any(Number) } });
    expect(first.body.key).toMatch(/^rdm_[\w-]{43}$/);
    const second = await admin.post('/api/api-keys', body, { key });
    expect(second).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect(second.body).not.toHaveProperty('key');
    const { items } = done(await admin.get(`/api/api-keys?q=${encodeURIComponent(body.name)}`));
    expect(items).toHaveLength(1);
    expect(JSON.stringify(items)).not.toContain(first.body.key);
  });
  it('adds the key to the list, with scopes, collections, expiry and creator', async () => {
    const expiresAt = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const { id, name, secret } = await newKey(admin, [[sourceCollection, 'translate']], expiresAt);
    const { id: me } = done(await admin.get('/api/user'));
    const collection = done(await admin.get(`/api/collections/${sourceCollection}`)).name;
    expect(await readKey(id)).toMatchObject({
      id,
      name,
      description: '',
      prefix: secret.slice(0, 12),
      scopes: [{ collectionId: sourceCollection, collectionName: collection, scope: 'translate' }],
      isActive: true,
      expiresSoon: false,
      revokedAt: null,
      overlapUntil: null,
      lastUsedAt: null,
      callCount: 0,
      createdBy: me,
    });
    expect(new Date((await readKey(id)).expiresAt).toISOString()).toBe(expiresAt);
  });
  it.each([
    ['no name', { name: '' }, 'Name is required'],
    ['no collection', { scopes: [] }, 'Choose at least one collection'],
    ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'The expiry date must be in the future'],
    [
      'a collection that does not exist',
      { scopes: [{ collectionId: 999_999, scope: 'read' }] },
      'There is no collection 999999',
    ],
  ])('is refused with %s', async (_, wrong, error) => {
    const body = { name: uniqueName('Wrong'), scopes: [{ collectionId: sourceCollection, scope: 'read' }], ...wrong };
    expect(await admin.post('/api/api-keys', body)).toMatchObject({ status: 400, body: { error, code: 'INVALID' } });
  });
  it('marks a key that expires within fourteen days as expiring soon', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 - 60_000).toISOString();
    const [soon, later] = [
      await newKey(admin, [[sourceCollection, 'read']], inDays(14)),
      await newKey(admin, [[sourceCollection, 'read']], inDays(15)),
    ];
    expect([(await readKey(soon.id)).expiresSoon, (await readKey(later.id)).expiresSoon]).toEqual([true, false]);
  });
});

describe('a key', () => {
  it('is accepted in either header and from a page of any origin, and takes precedence over a cookie', async () => {
    const { secret } = keys['read'] as NewKey;
    const request = (headers: Record<string, string>, method = 'GET', path = `/api/reference-data/${source}`) =>
      fetch(`${inject('baseUrl')}${path}`, { method, headers });
    expect((await request({ Authorization: `Bearer ${secret}` })).status).toBe(200);
    expect((await request({ 'X-API-Key': secret })).status).toBe(200);
    expect((await request({ 'X-API-Key': `${secret}x` })).status).toBe(401);
    // The administrator may delete the data set and the key may not, so a refusal shows that the server used the key.
    // With this Origin, the server would not refuse the cookie.
    const both = { Cookie: admin.cookie, 'X-API-Key': secret, Origin: inject('baseUrl') };
    const refusal = await request(both, 'DELETE');
    expect([refusal.status, await refusal.json()]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    expect((await request({ Cookie: admin.cookie, 'X-API-Key': 'rdm_wrong' })).status).toBe(401);
    const foreignPage = { 'X-API-Key': (keys['write'] as NewKey).secret, Origin: 'https://elsewhere.example' };
    expect((await request(foreignPage, 'POST', `/api/reference-data/${source}/instances`)).status).toBe(400);
  });
  it('opens no live channel', async () => {
    const { secret } = keys['read'] as NewKey;
    const socket = io(inject('baseUrl'), {
      transports: ['websocket'],
      reconnection: false,
      extraHeaders: { Authorization: `Bearer ${secret}`, Origin: inject('baseUrl') },
    });
    const outcome = await new Promise<string>((resolve) => {
      socket.once('connect', () => resolve('connected'));
      socket.once('connect_error', () => resolve('refused'));
    });
    socket.close();
    expect(outcome).toBe('refused');
  });
});

type Statuses = [read: number, write: number, translate: number, foreign: number];
const KEY_NAMES = ['read', 'write', 'translate', 'foreign'] as const;
const sameForAllKeys = (status: number): Statuses => [status, status, status, status];

async function expectStatuses(expected: Statuses, send: (client: ApiKeyClient) => Promise<Answer>): Promise<void> {
  const statuses: Record<string, number> = {};
  for (const name of KEY_NAMES) statuses[name] = (await send(clientOf(name))).status;
  expect(statuses).toEqual(Object.fromEntries(KEY_NAMES.map((name, index) => [name, expected[index]])));
}

describe('a scope', () => {
  const READ: Statuses = [200, 200, 404, 404];
  it.each<[path: string, expected: Statuses]>([
    ['/api/reference-data/{source}', READ],
    ['/api/reference-data/{source}/instances', READ],
    ['/api/reference-data/{source}/dependencies', READ],
    ['/api/reference-data/{source}/export?format=csv', READ],
    ['/api/crosswalks/{crosswalk}', READ],
    ['/api/crosswalks/{crosswalk}/mappings', READ],
    ['/api/crosswalks/{crosswalk}/statistics', READ],
    ['/api/crosswalks/{crosswalk}/suggestions', READ],
    ['/api/crosswalks/{crosswalk}/export?format=csv', READ],
    ['/api/crosswalks/{crosswalk}/translate?value=de', [200, 200, 200, 404]],
    ['/api/reference-types', [200, 200, 403, 200]],
    ['/api/approvals', sameForAllKeys(403)],
    ['/api/user', sameForAllKeys(403)],
    ['/api/users/names?ids=1', sameForAllKeys(403)],
    ['/api/site-paths', sameForAllKeys(403)],
    ['/api/diagnostics', sameForAllKeys(403)],
    ['/api/diagnostics/errors', sameForAllKeys(403)],
    ['/api/users', sameForAllKeys(403)],
    ['/api/roles', sameForAllKeys(403)],
    ['/api/groups', sameForAllKeys(403)],
    ['/api/api-keys', sameForAllKeys(403)],
    ['/api/audit-logs', sameForAllKeys(403)],
    ['/api/no-such-thing', sameForAllKeys(404)],
  ])('controls access to GET %s', (path, expected) =>
    expectStatuses(expected, (system) =>
      system.get(path.replace('{source}', String(source)).replace('{crosswalk}', String(crosswalkId))),
    ),
  );

  it('limits lists to the data that the scope allows', async () => {
    const listIds = async (name: string, path: string) => {
      const answer = await clientOf(name).get(path);
      return answer.status === 200 ? answer.body.items.map((item: Json) => item.id) : answer.status;
    };
    expect(await listIds('read', '/api/reference-data')).toEqual(expect.arrayContaining([source, target]));
    expect(await listIds('read', '/api/collections')).toHaveLength(2);
    expect(await listIds('read', '/api/crosswalks')).toEqual([crosswalkId]);
    for (const list of ['/api/reference-data', '/api/crosswalks']) {
      expect(await listIds('translate', list)).toBe(403);
      expect(await listIds('foreign', list)).toEqual([]);
    }
    expect(await listIds('foreign', '/api/collections')).toEqual([otherCollection]);
  });

  it('of the source collection allows translating a list of values', () =>
    expectStatuses([200, 200, 200, 404], (system) =>
      system.post(`/api/crosswalks/${crosswalkId}/translate`, { values: ['de'] }),
    ));
  it('allows adding rows only if it is write', () =>
    expectStatuses([403, 201, 404, 404], (system) =>
      system.post(`/api/reference-data/${source}/instances`, { data: { code: uniqueName('code') } }),
    ));
  it('allows drafting mappings only if it is write', () =>
    expectStatuses([403, 201, 404, 404], (system) =>
      system.post(`/api/crosswalks/${crosswalkId}/mappings`, { rows: [{ sourceValue: 'fr', targetValue: 'FRA' }] }),
    ));
  it('never allows changing data sets, crosswalks or grants', async () => {
    await expectStatuses([403, 403, 404, 404], (system) =>
      system.patch(`/api/reference-data/${source}`, { description: 'no' }),
    );
    await expectStatuses([403, 403, 404, 404], (system) => system.delete(`/api/reference-data/${source}`));
    await expectStatuses([403, 403, 404, 404], (system) =>
      system.patch(`/api/crosswalks/${crosswalkId}`, { description: 'no' }),
    );
    await expectStatuses([403, 403, 404, 404], (system) =>
      system.put(`/api/collections/${sourceCollection}/permissions`, { permissions: [] }),
    );
  });
  it('allows no route that requires an ability, an administrator or a user', async () => {
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
    const writes: [path: string, body: Json][] = [
      ['/api/reference-types', { name: uniqueName('No'), schemas }],
      ['/api/reference-data', { name: uniqueName('No'), typeId, collectionId: sourceCollection }],
      ['/api/collections', { name: uniqueName('No') }],
      ['/api/users', { username: 'no', email: 'no@example.com', password: 'First-pass-1', roleId: 4 }],
      ['/api/api-keys', { name: 'No', scopes: [{ collectionId: sourceCollection, scope: 'write' }] }],
      ['/api/change-password', { currentPassword: 'x', newPassword: 'y' }],
      ['/api/logout', {}],
      ['/api/session/heartbeat', {}],
    ];
    for (const [path, body] of writes) await expectStatuses(sameForAllKeys(403), (system) => system.post(path, body));
  });
});

describe('the four-eyes rule', () => {
  it('counts the actions of a key as those of the creator of the key', async () => {
    const id = await newCrosswalk(steward, source, target);
    const system = clientOf('write');
    const drafted = await draft(system, id, [['it', 'ITA']]);
    const rows = rowsOf(done(await system.post(`/api/crosswalks/${id}/mappings/submit`, { rows: drafted })));

    const approve = (person: HttpClient) => person.post(`/api/crosswalks/${id}/mappings/approve`, { rows });
    expect((await approve(system)).status).toBe(403);
    expect(done(await approve(admin)).results).toMatchObject([
      {
        outcome: 'refused',
        code: 'FOUR_EYES',
        message: 'Submitted changes must be reviewed by a different user',
      },
    ]);
    expect(done(await approve(approver)).results).toMatchObject([{ outcome: 'done' }]);
  });
  it('counts the actions with a rotated secret as those of the user who rotated the secret', async () => {
    const { id: otherId, person: other } = await createSignedInUser(admin, 1);
    const { id: keyId } = await newKey(admin, [
      [sourceCollection, 'write'],
      [targetCollection, 'read'],
    ]);
    const { key } = done(await other.post(`/api/api-keys/${keyId}/rotate`, { overlapHours: 0 }));
    const system = new ApiKeyClient(key);
    const id = await newCrosswalk(steward, source, target);
    await system.eventually(`/api/crosswalks/${id}`, ({ status }) => status === 200);
    const drafted = await draft(system, id, [['it', 'ITA']]);
    const rows = rowsOf(done(await system.post(`/api/crosswalks/${id}/mappings/submit`, { rows: drafted })));
    const approved = await other.post(`/api/crosswalks/${id}/mappings/approve`, { rows });
    expect(done(approved).results).toMatchObject([{ outcome: 'refused', code: 'FOUR_EYES' }]);
    done(await admin.post(`/api/users/${otherId}/deactivate`));
  });
});

describe('a decision by a key', () => {
  it('is refused, even if the scope is write', async () => {
    const id = await newCrosswalk(steward, source, target);
    const drafted = await draft(steward, id, [['it', 'ITA']]);
    const [row] = rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings/submit`, { rows: drafted })));
    const system = clientOf('write');
    for (const decision of ['approve', 'reject', 'revoke']) {
      const answer = await system.post(`/api/crosswalks/${id}/mappings/${decision}`, { rows: [row], comment: 'no' });
      expect([decision, answer.status]).toEqual([decision, 403]);
      const reviewed = await system.post(`/api/crosswalks/${id}/${decision}`, { comment: 'no' });
      expect([decision, reviewed.status]).toEqual([decision, 403]);
    }
    const items = [{ kind: 'mapping', parentId: id, ...row }];
    for (const decision of ['approve', 'reject']) {
      const { results } = done(await system.post('/api/approvals/decide', { decision, items, comment: 'no' }));
      expect(results).toMatchObject([{ id: row?.id, outcome: 'refused', code: 'LEVEL' }]);
    }
  });
});

describe("the end of a key's access", () => {
  const read = (system: ApiKeyClient) => system.get(`/api/reference-data/${source}`);
  const write = (system: ApiKeyClient) =>
    system.post(`/api/reference-data/${source}/instances`, { data: { code: uniqueName('code') } });

  it('takes effect at once, for reads and writes, when the key is revoked', async () => {
    const { id, client: system } = await newKey(admin, [[sourceCollection, 'write']]);
    expect([(await read(system)).status, (await write(system)).status]).toEqual([200, 201]);
    expect(done(await admin.post(`/api/api-keys/${id}/revoke`))).toMatchObject({ id });
    for (const answer of [await read(system), await write(system)]) {
      expect(answer).toMatchObject({ status: 401, body: { error: 'This API key is unknown, revoked or expired' } });
    }
    expect(await readKey(id)).toMatchObject({ isActive: false, revokedAt: expect.any(String), expiresSoon: false });
    done(await admin.post(`/api/api-keys/${id}/revoke`));
    expect(await admin.post(`/api/api-keys/${id}/rotate`)).toMatchObject({
      status: 409,
      body: { error: 'This API key was revoked: create another one' },
    });
    const events = await admin.eventually('/api/audit-logs?kind=api-key&pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.action === 'ApiKeyRevoked' && item.entityId === id),
    );
    const revoked = events.body.items.filter((item: Json) => item.action === 'ApiKeyRevoked' && item.entityId === id);
    expect(revoked).toHaveLength(1);
  });
  it('takes effect for the old secret after the overlap when the secret is rotated', async () => {
    const { id, client: old } = await newKey(admin, [[sourceCollection, 'write']]);
    const key = randomUUID();
    const rotated = done(await admin.post(`/api/api-keys/${id}/rotate`, {}, { key }));
    expect(rotated.key).toMatch(/^rdm_/);
    expect(done(await admin.post(`/api/api-keys/${id}/rotate`, {}, { key }))).not.toHaveProperty('key');
    const current = new ApiKeyClient(rotated.key);
    for (const system of [old, current]) {
      expect([(await read(system)).status, (await write(system)).status]).toEqual([200, 201]);
    }
    const { overlapUntil, prefix } = await readKey(id);
    expect(prefix).toBe(rotated.key.slice(0, 12));
    const hours = (Date.parse(overlapUntil) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThanOrEqual(24);

    // Move the end of the overlap into the past.
    await database.query(
      `UPDATE identity.api_key_secrets SET expires_at = now() WHERE api_key_id = $1 AND expires_at IS NOT NULL`,
      [id],
    );
    expect([(await read(old)).status, (await write(old)).status]).toEqual([401, 401]);
    expect([(await read(current)).status, (await write(current)).status]).toEqual([200, 201]);
    expect((await readKey(id)).overlapUntil).toBeNull();
  });
  it('takes effect for the old secret at once when the rotation has no overlap', async () => {
    const { id, client: old } = await newKey(admin, [[sourceCollection, 'read']]);
    const { key } = done(await admin.post(`/api/api-keys/${id}/rotate`, { overlapHours: 0 }));
    expect([(await read(old)).status, (await read(new ApiKeyClient(key))).status]).toEqual([401, 200]);
  });
  it('takes effect when the key expires', async () => {
    const { id, client: system } = await newKey(
      admin,
      [[sourceCollection, 'write']],
      new Date(Date.now() + 3_600_000).toISOString(),
    );
    expect([(await read(system)).status, (await write(system)).status]).toEqual([200, 201]);
    await database.query(`UPDATE identity.api_keys SET expires_at = now() WHERE id = $1`, [id]);
    expect([(await read(system)).status, (await write(system)).status]).toEqual([401, 401]);
    expect(await readKey(id)).toMatchObject({ isActive: false, revokedAt: null });
    expect(await admin.post(`/api/api-keys/${id}/rotate`)).toMatchObject({
      status: 409,
      body: { error: 'This API key has expired: create another one' },
    });
  });
  it('takes effect for a data set that leaves the collection of the scope', async () => {
    const collectionId = await newCollection(steward);
    const dataSetId = await newDataSet(steward, typeId, collectionId);
    const { id, client: system } = await newKey(admin, [[collectionId, 'read']]);
    await system.eventually(`/api/reference-data/${dataSetId}`, ({ status }) => status === 200);
    done(await steward.delete(`/api/collections/${collectionId}/items`, { dataSetIds: [dataSetId] }));
    await system.eventually(`/api/reference-data/${dataSetId}`, ({ status }) => status === 404);
    done(await steward.delete(`/api/collections/${collectionId}`));
    await admin.eventually('/api/api-keys?pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.id === id && item.scopes[0].collectionName === null),
    );
  });
  it('is not caused by the deactivation of the creator of the key', async () => {
    const username = `leaver-${randomUUID().slice(0, 8)}`;
    const password = 'First-pass-1';
    const user = { username, email: `${username}@example.com`, password, roleId: 1 };
    const { id: userId } = done(await admin.post('/api/users', user));
    const leaver = new HttpClient();
    done(await leaver.signIn(username, password));
    done(await leaver.post('/api/change-password', { currentPassword: password, newPassword: 'Second-pass-2' }));
    const { id, client: system } = await newKey(leaver, [[sourceCollection, 'write']]);
    done(await admin.post(`/api/users/${userId}/deactivate`));
    expect((await leaver.get('/api/user')).status).toBe(401);
    expect([(await read(system)).status, (await write(system)).status]).toEqual([200, 201]);
    // An administrator can list the active keys of a deactivated user.
    const filter = JSON.stringify({
      conditions: [
        { field: 'createdBy', operator: 'equals', value: userId },
        { field: 'isActive', operator: 'equals', value: true },
      ],
    });
    const { items, total } = done(await admin.get(`/api/api-keys?filter=${encodeURIComponent(filter)}`));
    expect([total, items.map((item: Json) => item.id)]).toEqual([1, [id]]);
  });
});

describe('the use of a key', () => {
  it('is counted by command-api and query-api for any status of the answer', async () => {
    const { id, client: system } = await newKey(admin, [[sourceCollection, 'read']]);
    for (let call = 0; call < 3; call++) done(await system.get(`/api/reference-data/${source}`));
    expect((await system.get('/api/users')).status).toBe(403);
    for (let call = 0; call < 2; call++) {
      expect((await system.post(`/api/reference-data/${source}/instances`, { data: {} })).status).toBe(403);
    }
    const filter = JSON.stringify({ conditions: [{ field: 'id', operator: 'equals', value: id }] });
    const list = await admin.eventually(
      `/api/api-keys?filter=${encodeURIComponent(filter)}`,
      ({ body }) => body.items[0].callCount === 6,
    );
    expect(list.body.items[0].lastUsedAt).toEqual(expect.any(String));
    const { days } = done(await admin.get(`/api/api-keys/${id}/usage`));
    expect(days).toHaveLength(30);
    expect(days.reduce((sum: number, day: Json) => sum + day.calls, 0)).toBe(6);
    expect((await admin.get('/api/api-keys/999999/usage')).status).toBe(404);
  });
  it('has a limit, and responses to a key report the limit and the remaining requests', async () => {
    const { headers } = await clientOf('read').get(`/api/reference-data/${source}`);
    expect(headers.get('X-RateLimit-Limit')).toBe('6000');
    expect(Number(headers.get('X-RateLimit-Remaining'))).toBeLessThan(6_000);
    expect((await steward.get('/api/user')).headers.get('X-RateLimit-Limit')).toBeNull();
  });
  it('is limited across all instances of the services without an SQL statement per request', async () => {
    let statements = 0;
    const db = {
      query: (...statement: [never]) => {
        statements += 1;
        return database.query(...statement);
      },
    } as unknown as Queryable;
    const log = createLog('story', 'silent');
    const instances = [1, 2].map(() => openApiKeyUse({ db, log, requestsPerMinute: 600 }));
    const { id } = await newKey(admin, [[sourceCollection, 'read']]);
    const startedAt = performance.now();
    const answers = await Promise.all(instances.flatMap((use) => Array.from({ length: 500 }, () => use.take(id))));
    const refilledRequests = Math.ceil((performance.now() - startedAt) / 100);
    const allowed = answers.filter(({ retryAfter }) => retryAfter === 0).length;
    // Each instance reserves the requests of about one second, so a few requests may stay unused.
    expect(allowed).toBeGreaterThan(600 - 10);
    expect(allowed).toBeLessThanOrEqual(600 + refilledRequests);
    expect(statements).toBeLessThan(150);
    await Promise.all(instances.map((use) => use.close()));
  });
});

describe('a job started with a key', () => {
  it('stops when the key is revoked, and reports the reason', async () => {
    const { id, client: system } = await newKey(admin, [[sourceCollection, 'write']]);
    const dataSetId = await newDataSet(steward, typeId, sourceCollection);
    const file = new FormData();
    file.append('dataSetId', String(dataSetId));
    file.append('file', new Blob(['code,name\nAB,Abyssinia\n']), 'rows.csv');
    const staged = done(await system.post('/api/imports', file));
    // The lock makes the validation of the rows wait until the key is revoked.
    const lockClient = await database.connect();
    await lockClient.query('BEGIN; LOCK TABLE command.staged_rows IN EXCLUSIVE MODE');
    const { jobId } = done(
      await system.post(`/api/imports/${staged.id}/start`, { description: 'Nightly load', mode: 'insert' }),
    );
    done(await admin.post(`/api/api-keys/${id}/revoke`));
    await lockClient.query('COMMIT');
    lockClient.release();
    const { body } = await admin.eventually(`/api/jobs/${jobId}`, ({ body: job }) => job.status === 'FAILED');
    expect(body.errorMessage).toBe('This API key was revoked or has expired');
    expect(done(await steward.get(`/api/reference-data/${dataSetId}/instances`)).total).toBe(0);
  });
});

describe('the audit log', () => {
  it('names the key that changed a row, and the creator of the key', async () => {
    const { id, name, client: system } = await newKey(admin, [[sourceCollection, 'write']]);
    const code = uniqueName('code');
    done(await system.post(`/api/reference-data/${source}/instances`, { data: { code } }));
    const filter = JSON.stringify({ conditions: [{ field: 'apiKeyId', operator: 'equals', value: id }] });
    const { body } = await admin.eventually(
      `/api/audit-logs?filter=${encodeURIComponent(filter)}`,
      ({ body: found }) => found.total === 1,
    );
    expect(body.items).toMatchObject([
      { action: 'InstancesAdded', username: 'admin', apiKeyId: id, apiKeyName: name, sourceType: 'API' },
    ]);
    const row = body.items[0].recordIds[0];
    const byKey = { apiKeyId: id, apiKeyName: name };
    const history = done(await admin.get(`/api/reference-data/${source}/instances/${row}/history`));
    expect(history.items).toMatchObject([{ userId: 1, ...byKey }]);
    expect(done(await admin.get(`/api/audit-logs/replay?entity=instance:${source}:${row}`))).toMatchObject([byKey]);
    const own = await admin.eventually('/api/audit-logs?kind=api-key&pageSize=1000', ({ body: found }) =>
      found.items.some((item: Json) => item.entityId === id),
    );
    expect(own.body.items.filter((item: Json) => item.entityId === id)).toMatchObject([
      {
        action: 'ApiKeyCreated',
        kind: 'api-key',
        entityType: 'apiKey',
        entityName: name,
        username: 'admin',
        apiKeyId: null,
        changeSummary: `API key created: ${name}`,
      },
    ]);
    const steps = done(await admin.get(`/api/audit-logs/replay?entity=api-key:${id}`));
    expect(steps).toMatchObject([{ type: 'ApiKeyCreated', state: { name, revoked: false, overlapUntil: null } }]);
    expect(done(await admin.get('/api/audit-logs/verify'))).toMatchObject({ intact: true });
  });
});
