/** Tests the access control of the server by HTTP requests. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { done, newCollection, newDataSet, newType, userIds } from './fixtures.ts';
import { HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { SAMPLE_PASSWORD } from './stack.ts';

let steward: HttpClient;
let viewer: HttpClient;
let admin: HttpClient;
beforeAll(async () => {
  [steward, viewer, admin] = await Promise.all([signInAs('steward'), signInAs('viewer'), signInAs('admin')]);
});

describe('an anonymous user', () => {
  it.each(['/api/user', '/api/reference-types', '/api/no-such-thing', '/api/audit-logs'])(
    'is required to sign in at %s',
    async (path) => {
      expect((await new HttpClient().get(path)).status).toBe(401);
    },
  );
  it('is required to sign in before writing', async () => {
    expect((await new HttpClient().post('/api/reference-types', {})).status).toBe(401);
  });
  it('gets the same answer for a wrong password as for an unknown user', async () => {
    const wrongPassword = await new HttpClient().signIn('viewer', 'Wrong-password-1');
    const unknownUser = await new HttpClient().signIn(uniqueName('unknown'), 'Wrong-password-1');
    expect([wrongPassword.status, wrongPassword.body.error]).toEqual([unknownUser.status, unknownUser.body.error]);
    done(await new HttpClient().signIn('viewer', SAMPLE_PASSWORD));
  });
});

describe('a write from another site', () => {
  it('is refused, even with a valid session', async () => {
    const answer = await steward.post(
      '/api/collections',
      { name: uniqueName('Foreign') },
      { headers: { Origin: 'https://evil.example' } },
    );
    expect(answer).toMatchObject({ status: 403, body: { code: 'ORIGIN' } });
  });
});

describe('signing in and out', () => {
  it('returns the account of the user with the permitted routes', async () => {
    const { body } = await viewer.get('/api/user');
    expect(body).toMatchObject({
      username: 'viewer',
      isAdmin: false,
      roleName: 'Viewer',
      requirePasswordChange: false,
    });
    expect(body.routes).toContain('/crosswalks');
    expect(body.routes).not.toContain('/approvals');
    expect((await admin.get('/api/user')).body.isAdmin).toBe(true);
  });
  it('ends the session on signing out', async () => {
    const person = await signInAs('viewer');
    done(await person.post('/api/logout'));
    expect((await person.get('/api/user')).status).toBe(401);
  });
  it('requires a new user to change the password before any other request', async () => {
    const username = `new-${randomUUID().slice(0, 8)}`;
    const password = 'First-pass-1';
    done(await admin.post('/api/users', { username, email: `${username}@example.com`, password, roleId: 4 }));
    const person = new HttpClient();
    expect(done(await person.signIn(username, password)).requirePasswordChange).toBe(true);
    expect(await person.get('/api/reference-types')).toMatchObject({
      status: 403,
      body: { code: 'PASSWORD_CHANGE_REQUIRED' },
    });
    const change = (currentPassword: string, newPassword: string) =>
      person.post('/api/change-password', { currentPassword, newPassword });
    expect((await change('Wrong-pass-1', 'Second-pass-2')).status).toBe(400);
    expect((await change(password, 'short')).body.error).toBe('Password must be at least 10 characters');
    expect((await change(password, password)).status).toBe(400);
    done(await change(password, 'Second-pass-2'));
    done(await person.get('/api/reference-types'));
    const events = await admin.eventually('/api/audit-logs?kind=user&pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.action === 'PasswordChanged'),
    );
    expect(JSON.stringify(events.body)).not.toContain('Second-pass-2');
  });
});

describe('the creation of a user', () => {
  it('is refused if the role does not exist, and leaves the username free', async () => {
    const username = `late-${randomUUID().slice(0, 8)}`;
    const user = { username, email: `${username}@example.com`, password: 'First-pass-1', roleId: 4_000 };
    expect(await admin.post('/api/users', user)).toMatchObject({ status: 400, body: { code: 'INVALID' } });
    done(await admin.post('/api/users', { ...user, roleId: 4 }));
  });
  it('is refused if the username or e-mail address is taken, regardless of case', async () => {
    const username = `Twin-${randomUUID().slice(0, 8)}`;
    const user = { username, email: `${username}@example.com`, password: 'First-pass-1', roleId: 4 };
    done(await admin.post('/api/users', user));
    const sameName = { ...user, username: username.toUpperCase(), email: `other-${user.email}` };
    expect(await admin.post('/api/users', sameName)).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN', error: 'This username is taken' },
    });
    const sameAddress = { ...user, username: `other-${username}`, email: user.email.toUpperCase() };
    expect(await admin.post('/api/users', sameAddress)).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN', error: 'This e-mail address is taken' },
    });
  });
});

describe('signing in', () => {
  it('is locked after five wrong passwords, and the answer contains the time to wait', async () => {
    const username = `locked-${randomUUID().slice(0, 8)}`;
    const password = 'Right-pass-1';
    done(
      await admin.post('/api/users', {
        username,
        email: `${username}@example.com`,
        password,
        roleId: 4,
        requirePasswordChange: false,
      }),
    );
    for (let attempt = 0; attempt < 5; attempt++) await new HttpClient().signIn(username, 'Wrong-pass-1');
    const refused = await new HttpClient().signIn(username, password);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatch(/temporarily locked.*try again in/i);
  });
});

describe('access levels', () => {
  it('hide data sets and collections from users without a grant', async () => {
    const collectionId = await newCollection(steward);
    const dataSetId = await newDataSet(steward, await newType(steward), collectionId, [{ code: 'secret' }]);
    for (const path of ['', '/instances', '/graph', '/dependencies']) {
      expect((await viewer.get(`/api/reference-data/${dataSetId}${path}`)).status).toBe(404);
    }
    const list = done(await viewer.get('/api/reference-data?pageSize=1000'));
    expect(list.items.some((item: Json) => item.id === dataSetId)).toBe(false);
    expect((await viewer.post(`/api/reference-data/${dataSetId}/instances`, { data: { code: 'x' } })).status).toBe(404);
    expect((await viewer.get(`/api/collections/${collectionId}`)).status).toBe(404);
  });
  it('let a user with READ read but not write, until the grant is removed', async () => {
    const ids = await userIds(steward);
    const collectionId = await newCollection(steward, [
      { entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' },
    ]);
    const dataSetId = await newDataSet(steward, await newType(steward), collectionId, [{ code: 'open' }]);
    await viewer.eventually(`/api/reference-data/${dataSetId}/instances`, ({ body }) => body.total === 1);
    expect((await viewer.post(`/api/reference-data/${dataSetId}/instances`, { data: { code: 'x' } })).status).toBe(403);
    expect((await viewer.delete(`/api/reference-data/${dataSetId}`)).status).toBe(403);
    done(await steward.put(`/api/collections/${collectionId}/permissions`, { permissions: [] }));
    await viewer.eventually(`/api/reference-data/${dataSetId}`, ({ status }) => status === 404);
  });
  it('on a new data set come from all its collections', async () => {
    const ids = await userIds(steward);
    const grant = { entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' };
    const [own, shared] = [await newCollection(steward), await newCollection(steward, [grant])];
    const body = {
      name: uniqueName('Data set'),
      typeId: await newType(steward),
      collectionIds: [own, shared],
      isPublic: true,
    };
    const { id } = done(await steward.post('/api/reference-data', body));
    expect(done(await steward.get(`/api/reference-data/${id}`))).toMatchObject({
      isPublic: true,
      collections: expect.arrayContaining([
        expect.objectContaining({ id: own }),
        expect.objectContaining({ id: shared }),
      ]),
    });
    await viewer.eventually(`/api/reference-data/${id}`, ({ status }) => status === 200);

    const foreign = await newCollection(admin);
    const refused = await steward.post('/api/reference-data', { ...body, collectionIds: [own, foreign] });
    expect(refused.status).toBe(404);
    const searchPath = `/api/reference-data?q=${encodeURIComponent(body.name)}`;
    expect(done(await admin.get(searchPath)).total).toBe(1);
    for (const [minLevel, total] of [
      ['READ', 1],
      ['WRITE', 0],
    ]) {
      expect(done(await viewer.get(`${searchPath}&minLevel=${minLevel}`)).total).toBe(total);
    }
    expect(done(await steward.get(`${searchPath}&minLevel=ADMIN`)).total).toBe(1);
    expect((await viewer.get(`${searchPath}&minLevel=OWNER`)).status).toBe(400);
  });
  it('do not let users add hidden data sets to their own collections', async () => {
    const mine = await newCollection(steward);
    const foreign = await newDataSet(admin, await newType(admin), await newCollection(admin), [{ code: 'x' }]);
    const answer = await steward.post(`/api/collections/${mine}/items`, { dataSetIds: [foreign] });
    expect(answer.status).toBe(404);
  });
  it('do not let a user without the ability define types', async () => {
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
    expect((await viewer.post('/api/reference-types', { name: uniqueName('No'), schemas })).status).toBe(403);
  });
});

describe('internal calls', () => {
  it('cannot be sent through the public address', async () => {
    const response = await fetch(`${inject('baseUrl')}/internal/bootstrap/finish`, { method: 'POST', body: '{}' });
    expect(response.status).toBeGreaterThanOrEqual(404);
  });
});
