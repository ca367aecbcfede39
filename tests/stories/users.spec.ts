/** Users, roles and groups: their rights come from events, and their personal data is only in the identity tables. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { done, newCollection, newDataSet, newType } from './fixtures.ts';
import { HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

const PASSWORD = 'Story-pass-1';

let admin: HttpClient;
let steward: HttpClient;
beforeAll(async () => {
  [admin, steward] = await Promise.all([signInAs('admin'), signInAs('steward')]);
});

interface NewUser {
  id: number;
  username: string;
  person: HttpClient;
}

/** Creates a user and signs them in. */
async function createUser(user: Json = {}): Promise<NewUser> {
  const username = `user-${randomUUID().slice(0, 8)}`;
  const { id } = done(
    await admin.post('/api/users', {
      username,
      email: `${username}@example.com`,
      password: PASSWORD,
      roleId: 4,
      requirePasswordChange: false,
      ...user,
    }),
  );
  const person = new HttpClient();
  done(await person.signIn(username, PASSWORD));
  return { id, username, person };
}

const readUser = async (id: number): Promise<Json> => done(await admin.get(`/api/users/${id}`));

/** Waits until the outbox relay has appended an event of a user. */
const waitForUserEvent = (id: number, action: string) =>
  admin.eventually(`/api/audit-logs?kind=user&pageSize=1000&sort=seq&order=DESC`, ({ body }) =>
    body.items.some((item: Json) => item.action === action && item.entityId === id),
  );

async function queryDatabase<T>(text: string, values: unknown[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}

describe('a user', () => {
  it('is shown with administrative details only to administrators', async () => {
    const { id, username, person } = await createUser({ firstName: 'Ada', department: 'Codes' });
    expect(await readUser(id)).toMatchObject({
      username,
      email: `${username}@example.com`,
      firstName: 'Ada',
      department: 'Codes',
      lastName: null,
      roleId: 4,
      roleName: 'Viewer',
      isActive: true,
      isErased: false,
      isLocked: false,
      authProvider: 'local',
      groups: [],
      activeApiKeys: 0,
      openSessions: 1,
      revision: 1,
    });
    for (const path of [`/api/users/${id}`, '/api/users', '/api/roles', '/api/groups']) {
      expect([path, (await person.get(path)).status]).toEqual([path, 403]);
    }
    expect((await admin.get('/api/users/99999999')).status).toBe(404);
  });

  it('is invited by mail when no password is given', async () => {
    const username = `invited-${randomUUID().slice(0, 8)}`;
    const email = `${username}@example.com`;
    const profile = { username, email, roleId: 4 };
    const key = randomUUID();
    const { id, mail } = done(await admin.post('/api/users', profile, { key }));
    expect(mail).toBe('KEPT');
    expect(done(await admin.post('/api/users', profile, { key })).id).toBe(id);
    const { items } = done(await admin.get('/api/mail-outbox?pageSize=1000'));
    const mails = items.filter((mail: Json) => mail.to === email);
    expect(mails).toHaveLength(1);
    const token = /\/reset-password\?token=([\w-]+)/.exec(mails[0].text)?.[1];
    const person = new HttpClient();
    done(await person.post('/api/reset-password', { token, password: PASSWORD, confirmPassword: PASSWORD }));
    expect(done(await person.signIn(username, PASSWORD)).requirePasswordChange).toBe(false);
  });

  it('is not changed at an outdated revision', async () => {
    const { id, username, person } = await createUser();
    const { revision } = await readUser(id);
    const changed = done(
      await admin.patch(`/api/users/${id}`, { displayName: 'Ada', roleId: 3 }, { ifMatch: revision }),
    );
    expect(changed.revision).toBe(revision + 1);
    expect(await admin.patch(`/api/users/${id}`, { displayName: 'Bea' }, { ifMatch: revision })).toMatchObject({
      status: 412,
      body: { code: 'STALE', error: 'Another user changed this user meanwhile' },
    });
    expect(await readUser(id)).toMatchObject({ displayName: 'Ada', roleId: 3, roleName: 'Approver', revision: 2 });
    // The next request of the user has the new role.
    expect(done(await person.get('/api/user'))).toMatchObject({ roleName: 'Approver', displayName: 'Ada' });
    done(await admin.patch(`/api/users/${id}`, { displayName: '' }));
    expect((await readUser(id)).displayName).toBeNull();
    expect(done(await admin.patch(`/api/users/${id}`, { username })).revision).toBe(3);
    const { body } = await waitForUserEvent(id, 'ProfileChanged');
    expect(JSON.stringify(body)).not.toContain('"Bea"');
  });

  it('has a unique username and e-mail address', async () => {
    const [one, other] = [await createUser(), await createUser()];
    expect(await admin.patch(`/api/users/${one.id}`, { username: other.username.toUpperCase() })).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN', error: 'This username is taken' },
    });
    expect(await admin.patch(`/api/users/${one.id}`, { email: `${other.username}@EXAMPLE.com` })).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN', error: 'This e-mail address is taken' },
    });
    expect((await admin.patch(`/api/users/${one.id}`, { email: 'nowhere' })).body.error).toBe('Invalid email format');
    expect((await readUser(one.id)).username).toBe(one.username);
  });

  it('keeps the profile when the role is refused', async () => {
    const { id } = await createUser();
    expect((await admin.patch(`/api/users/${id}`, { displayName: 'Half', roleId: 4_000 })).status).toBe(400);
    expect(await readUser(id)).toMatchObject({ displayName: null, revision: 1 });
  });

  it('ignores fields that are not part of a profile', async () => {
    const { id } = await createUser();
    done(await admin.patch(`/api/users/${id}`, { isActive: false, authProvider: 'x', revision: 9, displayName: 'A' }));
    expect(await readUser(id)).toMatchObject({ isActive: true, authProvider: 'local', revision: 2 });
  });

  it('is signed out at once when deactivated, and can sign in again when reactivated', async () => {
    const { id, username, person } = await createUser();
    done(await admin.post(`/api/users/${id}/deactivate`));
    done(await admin.post(`/api/users/${id}/deactivate`));
    expect((await person.get('/api/user')).status).toBe(401);
    expect((await person.post('/api/session/heartbeat')).status).toBe(401);
    expect((await new HttpClient().signIn(username, PASSWORD)).status).toBe(401);
    expect(await readUser(id)).toMatchObject({ isActive: false, openSessions: 0 });
    done(await admin.post(`/api/users/${id}/reactivate`));
    done(await admin.post(`/api/users/${id}/reactivate`));
    // The reactivation does not restore the old session.
    expect((await person.get('/api/user')).status).toBe(401);
    done(await new HttpClient().signIn(username, PASSWORD));
  });

  it('can sign in after being unlocked', async () => {
    const { id, username } = await createUser();
    for (let attempt = 0; attempt < 5; attempt++) await new HttpClient().signIn(username, 'Wrong-pass-1');
    expect((await new HttpClient().signIn(username, PASSWORD)).status).toBe(429);
    const filter = JSON.stringify({
      logic: 'AND',
      conditions: [
        { field: 'isLocked', operator: 'equals', value: true },
        { field: 'username', operator: 'equals', value: username },
      ],
    });
    const locked = done(await admin.get(`/api/users?filter=${encodeURIComponent(filter)}`));
    expect(locked.items).toMatchObject([{ id, isLocked: true }]);
    done(await admin.post(`/api/users/${id}/unlock`));
    done(await admin.post(`/api/users/${id}/unlock`));
    expect(await readUser(id)).toMatchObject({ isLocked: false, lockedUntil: null, failedLoginAttempts: 0 });
    done(await new HttpClient().signIn(username, PASSWORD));
    await waitForUserEvent(id, 'UserUnlocked');
  });

  it('must change the password before the next request when an administrator requires it', async () => {
    const { id, person } = await createUser();
    done(await admin.post(`/api/users/${id}/require-password-change`));
    done(await admin.post(`/api/users/${id}/require-password-change`));
    expect((await person.get('/api/reference-types')).body.code).toBe('PASSWORD_CHANGE_REQUIRED');
    const { body } = await waitForUserEvent(id, 'PasswordChangeRequired');
    const passwordEvents = body.items.filter(
      (item: Json) => item.action === 'PasswordChangeRequired' && item.entityId === id,
    );
    expect(passwordEvents).toHaveLength(1);
  });

  it('is signed out everywhere when an administrator ends their sessions', async () => {
    const { id, username, person } = await createUser();
    const secondClient = new HttpClient();
    done(await secondClient.signIn(username, PASSWORD));
    expect(done(await admin.post(`/api/users/${id}/end-sessions`)).ended).toBe(2);
    expect(done(await admin.post(`/api/users/${id}/end-sessions`)).ended).toBe(0);
    expect([(await person.get('/api/user')).status, (await secondClient.get('/api/user')).status]).toEqual([401, 401]);
    await waitForUserEvent(id, 'SessionsEnded');
  });

  it('is changed only by administrators', async () => {
    const { id, person } = await createUser();
    for (const verb of [
      'deactivate',
      'reactivate',
      'unlock',
      'require-password-change',
      'end-sessions',
      'release-email',
      'erase',
    ]) {
      expect([verb, (await person.post(`/api/users/${id}/${verb}`)).status]).toEqual([verb, 403]);
      expect([verb, (await admin.post(`/api/users/99999999/${verb}`)).status]).toEqual([verb, 404]);
    }
    expect((await person.patch(`/api/users/${id}`, { roleId: 1 })).status).toBe(403);
    expect((await readUser(id)).roleId).toBe(4);
  });
});

describe('two administrators', () => {
  it('cannot both demote each other at the same time', async () => {
    const [one, other] = await Promise.all([createUser({ roleId: 1 }), createUser({ roleId: 1 })]);
    const answers = await Promise.all([
      one.person.patch(`/api/users/${other.id}`, { roleId: 4 }),
      other.person.patch(`/api/users/${one.id}`, { roleId: 4 }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    for (const { id } of [one, other]) done(await admin.post(`/api/users/${id}/deactivate`));
  });
});

describe('a role', () => {
  it('allows only its current routes', async () => {
    const name = uniqueName('Role');
    const role = done(await admin.post('/api/roles', { name, description: 'Looks on', routes: ['/crosswalks'] }));
    const { person } = await createUser({ roleId: role.id });
    done(await person.get('/api/crosswalks'));
    expect((await person.get('/api/reference-types')).status).toBe(403);
    const wider = { routes: ['/reference-types'], abilities: ['types.write'] };
    const changed = done(await admin.patch(`/api/roles/${role.id}`, wider, { ifMatch: role.revision }));
    expect(changed.revision).toBe(2);
    await person.eventually('/api/reference-types', ({ status }) => status === 200);
    expect((await person.get('/api/crosswalks')).status).toBe(403);
    expect(await admin.patch(`/api/roles/${role.id}`, { routes: [] }, { ifMatch: 1 })).toMatchObject({
      status: 412,
      body: { code: 'STALE', details: { current: { revision: 2, routes: ['/reference-types'] } } },
    });
  });

  it('cannot be deleted while users have it', async () => {
    const name = uniqueName('Role');
    const { id } = done(await admin.post('/api/roles', { name }));
    const users = [await createUser({ roleId: id }), await createUser({ roleId: id })];
    expect(await admin.delete(`/api/roles/${id}`)).toMatchObject({
      status: 400,
      body: { code: 'ROLE_IN_USE', error: 'This role cannot be deleted: 2 users have it' },
    });
    for (const user of users) done(await admin.patch(`/api/users/${user.id}`, { roleId: 4 }));
    done(await admin.delete(`/api/roles/${id}`));
    expect((await admin.delete(`/api/roles/${id}`)).status).toBe(404);
    done(await admin.post('/api/roles', { name }));
  });

  it('has a unique name', async () => {
    const [one, other] = [uniqueName('Role'), uniqueName('Role')];
    const { id } = done(await admin.post('/api/roles', { name: one }));
    done(await admin.post('/api/roles', { name: other }));
    expect((await admin.post('/api/roles', { name: one.toUpperCase() })).body.code).toBe('NAME_TAKEN');
    expect((await admin.patch(`/api/roles/${id}`, { name: other })).body.code).toBe('NAME_TAKEN');
    expect((await admin.post('/api/roles', { name: '  ' })).body.error).toBe('Name is required');
    done(await admin.patch(`/api/roles/${id}`, { name: uniqueName('Role') }));
    done(await admin.post('/api/roles', { name: one }));
  });

  it('that the product needs cannot be deleted, and the administrator role cannot be restricted', async () => {
    expect((await admin.patch('/api/roles/1', { routes: [] })).status).toBe(400);
    expect((await admin.patch('/api/roles/1', { abilities: [] })).status).toBe(400);
    expect((await admin.delete('/api/roles/1')).status).toBe(400);
    expect((await admin.delete('/api/roles/4')).status).toBe(400);
    expect(done(await admin.get('/api/user'))).toMatchObject({ isAdmin: true });
  });

  it('is defined, changed and deleted only by administrators', async () => {
    expect((await steward.post('/api/roles', { name: uniqueName('Role') })).status).toBe(403);
    expect((await steward.patch('/api/roles/2', { routes: ['/'] })).status).toBe(403);
    expect((await steward.delete('/api/roles/3')).status).toBe(403);
  });
});

describe('a group', () => {
  it('gives its grants to its members until they leave or the group is deleted', async () => {
    const [one, other] = [await createUser(), await createUser()];
    const group = done(await admin.post('/api/groups', { name: uniqueName('Group'), description: 'Readers' }));
    const setMembers = (userIds: number[], ifMatch?: number) =>
      admin.put(`/api/groups/${group.id}/members`, { userIds }, ifMatch === undefined ? {} : { ifMatch });
    expect(done(await setMembers([one.id, other.id], 1)).revision).toBe(2);
    expect((await setMembers([one.id], 1)).body.code).toBe('STALE');
    const listed = done(await admin.get(`/api/groups/${group.id}/members`));
    expect(listed).toMatchObject({ total: 2, revision: 2 });
    expect(listed.items.map(({ userId }: Json) => userId).sort()).toEqual([one.id, other.id].sort());

    const collectionId = await newCollection(steward, [
      { entityType: 'group', entityId: group.id, permissionLevel: 'READ' },
    ]);
    const dataSetId = await newDataSet(steward, await newType(steward), collectionId, [{ code: 'open' }]);
    const path = `/api/reference-data/${dataSetId}`;
    await one.person.eventually(path, ({ status }) => status === 200);
    await other.person.eventually(path, ({ status }) => status === 200);
    expect((await readUser(one.id)).groups).toMatchObject([{ id: group.id }]);

    done(await setMembers([other.id]));
    await one.person.eventually(path, ({ status }) => status === 404, 5_000);
    expect((await other.person.get(path)).status).toBe(200);
    done(await admin.delete(`/api/groups/${group.id}`));
    await other.person.eventually(path, ({ status }) => status === 404, 5_000);
    const { items } = done(
      await steward.eventually(`/api/collections/${collectionId}/permissions`, ({ body }) => body.total === 0),
    );
    expect(items).toEqual([]);
    expect((await admin.get(`/api/groups/${group.id}/members`)).status).toBe(404);
  });

  it('requires a unique name', async () => {
    const [one, other] = [uniqueName('Group'), uniqueName('Group')];
    expect((await admin.post('/api/groups', { name: '' })).body.error).toBe('Group name is required');
    const { id } = done(await admin.post('/api/groups', { name: one }));
    const second = done(await admin.post('/api/groups', { name: other }));
    expect((await admin.post('/api/groups', { name: ` ${one.toLowerCase()} ` })).body.code).toBe('NAME_TAKEN');
    expect((await admin.patch(`/api/groups/${id}`, { name: other })).body.code).toBe('NAME_TAKEN');
    done(await admin.delete(`/api/groups/${second.id}`));
    expect(done(await admin.patch(`/api/groups/${id}`, { name: other })).revision).toBe(2);
    done(await admin.post('/api/groups', { name: one }));
  });

  it('is read and changed only by administrators', async () => {
    const { id } = done(await admin.post('/api/groups', { name: uniqueName('Group') }));
    expect((await steward.post('/api/groups', { name: uniqueName('Group') })).status).toBe(403);
    expect((await steward.put(`/api/groups/${id}/members`, { userIds: [] })).status).toBe(403);
    expect((await steward.get(`/api/groups/${id}/members`)).status).toBe(403);
    expect((await steward.delete(`/api/groups/${id}`)).status).toBe(403);
  });
});

describe('the audit log', () => {
  it('lists changes of roles, group members and permissions', async () => {
    const { id } = await createUser();
    done(await admin.patch(`/api/users/${id}`, { roleId: 3 }, { ifMatch: (await readUser(id)).revision }));
    const group = done(await admin.post('/api/groups', { name: uniqueName('Audited') }));
    done(await admin.put(`/api/groups/${group.id}/members`, { userIds: [id] }));
    const collectionId = await newCollection(admin, [
      { entityType: 'group', entityId: group.id, permissionLevel: 'WRITE' },
    ]);
    const role = done(
      await admin.post('/api/roles', { name: uniqueName('Audited'), routes: ['/monitor'], abilities: ['types.write'] }),
    );
    const findAuditEntry = async (action: string, entityId: number): Promise<Json> => {
      const filter = {
        logic: 'AND',
        conditions: [
          { field: 'action', operator: 'equals', value: action },
          { field: 'entityId', operator: 'equals', value: entityId },
        ],
      };
      const query = new URLSearchParams({ filter: JSON.stringify(filter) });
      return done(await admin.get(`/api/audit-logs?${query}`)).items[0];
    };
    const noChanges = { roleChange: null, groupChange: null, permissionChange: null };
    expect(await findAuditEntry('UserRoleAssigned', id)).toMatchObject({
      ...noChanges,
      targetUserId: id,
      roleChange: { roleId: 3, name: 'Approver' },
    });
    expect(await findAuditEntry('GroupMembersChanged', group.id)).toMatchObject({
      ...noChanges,
      groupChange: { groupId: group.id, added: [id], removed: [] },
    });
    expect(await findAuditEntry('CollectionPermissionsChanged', collectionId)).toMatchObject({
      ...noChanges,
      permissionChange: {
        granted: [{ entityType: 'group', entityId: group.id, permissionLevel: 'WRITE' }],
        revoked: [],
      },
    });
    expect(await findAuditEntry('RoleDefined', role.id)).toMatchObject({
      ...noChanges,
      permissionChange: { routes: ['/monitor'], abilities: ['types.write'] },
    });
    expect(await findAuditEntry('UserDeactivated', id)).toBeUndefined();
    expect((await findAuditEntry('UserRegistered', id)).roleChange).toEqual({ roleId: 4, name: 'Viewer' });
    expect(done(await admin.get('/api/audit-logs/verify')).intact).toBe(true);
  });
});

describe('erasing a user', () => {
  /** Selects all rows that could contain personal data of a user. */
  const PERSONAL_DATA_QUERY = `
    SELECT 'users' AS place, to_jsonb(t)::text AS row FROM identity.users t
    UNION ALL SELECT 'password_history', to_jsonb(t)::text FROM identity.password_history t WHERE user_id = $1
    UNION ALL SELECT 'sessions', to_jsonb(t)::text FROM identity.sessions t WHERE user_id = $1
    UNION ALL SELECT 'devices', to_jsonb(t)::text FROM identity.devices t WHERE user_id = $1
    UNION ALL SELECT 'reset_tokens', to_jsonb(t)::text FROM identity.reset_tokens t WHERE user_id = $1
    UNION ALL SELECT 'sign_in_locks', to_jsonb(t)::text FROM identity.sign_in_locks t WHERE user_id = $1
    UNION ALL SELECT 'mail_outbox', to_jsonb(t)::text FROM identity.mail_outbox t
    UNION ALL SELECT 'login_attempts', to_jsonb(t)::text FROM identity.login_attempts t
    UNION ALL SELECT 'request_contexts', to_jsonb(t)::text FROM identity.request_contexts t
    UNION ALL SELECT 'outbox', to_jsonb(t)::text FROM identity.outbox t
    UNION ALL SELECT 'commands', to_jsonb(t)::text FROM command.commands t`;
  /** Tables that contain no rows of an erased user. */
  const EMPTIED_TABLES = ['password_history', 'sessions', 'devices', 'reset_tokens', 'sign_in_locks'];

  it('removes their personal data and changes no event', async () => {
    const surname = `Surname${randomUUID().slice(0, 8)}`;
    const { id, username, person } = await createUser({ roleId: 2, lastName: surname, phoneNumber: '+49 555 0100' });
    // Create data of the user: a type, an earlier password and failed sign-ins.
    const typeId = await newType(person);
    done(await person.post('/api/change-password', { currentPassword: PASSWORD, newPassword: 'Story-pass-2' }));
    await new HttpClient().signIn(username, 'Wrong-pass-1');
    await new HttpClient().signIn(`${username}@example.com`, 'Wrong-pass-1');
    const contextsBefore = await queryDatabase('SELECT FROM identity.request_contexts WHERE user_id = $1', [id]);
    expect(contextsBefore.length).toBeGreaterThan(0);
    await waitForUserEvent(id, 'PasswordChanged');
    const head = done(await admin.get('/api/audit-logs/head')).head;
    const before = done(await admin.get('/api/audit-logs/verify'));
    expect(before).toMatchObject({ intact: true });

    done(await admin.post(`/api/users/${id}/erase`));
    done(await admin.post(`/api/users/${id}/erase`));

    const storedRows = await queryDatabase<{ place: string; row: string }>(PERSONAL_DATA_QUERY, [id]);
    expect(storedRows.length).toBeGreaterThan(0);
    expect(
      storedRows.filter(({ row }) => row.includes(username) || row.includes(surname) || row.includes('555 0100')),
    ).toEqual([]);
    expect(storedRows.filter(({ place }) => EMPTIED_TABLES.includes(place))).toEqual([]);
    expect(await queryDatabase('SELECT FROM identity.request_contexts WHERE user_id = $1', [id])).toEqual([]);
    const attempts = await queryDatabase<Json>('SELECT * FROM identity.login_attempts WHERE user_id = $1', [id]);
    expect(attempts.length).toBeGreaterThan(0);
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ username: 'Former user', ip_address: null, user_agent: null });
    }

    // The hash chain of the log before the erasure is still the beginning of the current chain.
    await waitForUserEvent(id, 'UserErased');
    const after = done(await admin.get(`/api/audit-logs/verify?seq=${head.seq}&chainHash=${head.chainHash}`));
    expect(after).toMatchObject({ intact: true, brokenAt: null });
    expect(after.verified).toBeGreaterThan(before.verified);

    // The user's actions are shown as those of a former user.
    const log = done(await admin.get('/api/audit-logs?pageSize=1000&sort=seq&order=DESC')).items;
    const entriesByUser = log.filter((item: Json) => item.userId === id);
    expect(entriesByUser.length).toBeGreaterThan(1);
    for (const item of entriesByUser)
      expect(item).toMatchObject({ username: 'Former user', ipAddress: null, userAgent: null });
    expect(entriesByUser.some((item: Json) => item.entityType === 'referenceType' && item.entityId === typeId)).toBe(
      true,
    );
    const entriesAboutUser = log.filter((item: Json) => item.entityType === 'user' && item.entityId === id);
    for (const item of entriesAboutUser) expect(item.entityName).toBe('Former user');
    expect(done(await steward.get(`/api/users/names?ids=${id}`))).toEqual([
      { id, username: 'Former user', displayName: null },
    ]);
    expect(await readUser(id)).toMatchObject({
      username: 'Former user',
      email: '',
      lastName: null,
      isActive: false,
      isErased: true,
      roleName: 'Viewer',
    });
    const directory = done(await steward.get('/api/users/directory?q=Former'));
    expect(directory.users).toEqual([]);

    expect((await person.get('/api/user')).status).toBe(401);
    expect((await new HttpClient().signIn(username, 'Story-pass-2')).status).toBe(401);
    expect((await new HttpClient().signIn('Former user', 'Story-pass-2')).status).toBe(401);
    for (const verb of ['reactivate', 'unlock', 'require-password-change']) {
      expect([verb, (await admin.post(`/api/users/${id}/${verb}`)).body.code]).toEqual([verb, 'DELETED']);
    }
    expect((await admin.patch(`/api/users/${id}`, { displayName: 'Back' })).body.code).toBe('DELETED');
    // A new user can have the username, and can be erased too.
    const successor = done(
      await admin.post('/api/users', { username, email: `${username}@example.com`, password: PASSWORD, roleId: 4 }),
    );
    done(await admin.post(`/api/users/${successor.id}/erase`));
  });

  it('works for a user of a sign-in provider', async () => {
    const { id } = await createUser();
    await queryDatabase(
      "UPDATE identity.users SET auth_provider = 'okta', okta_id = $2, password_hash = NULL WHERE id = $1",
      [id, `subject-${id}`],
    );
    expect(await admin.post(`/api/users/${id}/require-password-change`)).toMatchObject({
      status: 400,
      body: { error: 'The sign-in provider manages the password of this user' },
    });
    done(await admin.post(`/api/users/${id}/erase`));
    const [row] = await queryDatabase<Json>('SELECT username, email, okta_id FROM identity.users WHERE id = $1', [id]);
    expect(row).toEqual({ username: 'Former user', email: '', okta_id: null });
  });
});
