/** Tests registrations: the created account and its username, refusals, and repeated or interrupted requests. */
import { randomUUID } from 'node:crypto';
import { deleteExpired } from '@rdm/command-api/identity/retention';
import { connectEventStore, createPool, openAccess } from '@rdm/platform';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createAccount, newAnonymousClient, newName, PASSWORD, queryDatabase, waitForUserEvent } from './accounts.ts';
import { done } from './fixtures.ts';
import { type HttpClient, signInAs } from './http-client.ts';

let admin: HttpClient;
beforeAll(async () => {
  admin = await signInAs('admin');
});

describe('registration', () => {
  const registration = () => {
    const name = newName();
    return { email: `${name}@example.com`, password: PASSWORD, confirmPassword: PASSWORD, name };
  };

  it('creates a Viewer, signs the user in, and uses the first part of the e-mail address as the username', async () => {
    const { name, ...credentials } = registration();
    const person = newAnonymousClient();
    const answer = await person.post('/api/register', { ...credentials, firstName: 'Ada', department: 'Codes' });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        username: name,
        email: credentials.email,
        roleName: 'Viewer',
        isAdmin: false,
        requirePasswordChange: false,
      },
    });
    expect(answer.body.password).toBeUndefined();
    expect(done(await person.get('/api/user')).id).toBe(answer.body.id);
    done(await newAnonymousClient().signIn(credentials.email, PASSWORD));
    expect(await waitForUserEvent(admin, answer.body.id, 'UserRegistered')).toMatchObject({ sourceType: 'UI' });
    expect(done(await admin.get(`/api/users/${answer.body.id}`))).toMatchObject({
      firstName: 'Ada',
      department: 'Codes',
    });
  });
  it('accepts a requested username, and refuses the username of another user regardless of case', async () => {
    const { name, ...credentials } = registration();
    const username = `my-${name}`;
    expect(done(await newAnonymousClient().post('/api/register', { ...credentials, username })).username).toBe(
      username,
    );
    const { name: _, ...other } = registration();
    expect(
      await newAnonymousClient().post('/api/register', { ...other, username: username.toUpperCase() }),
    ).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN', error: 'This username is taken' },
    });
  });
  it('refuses a username that is reserved or looks like another username', async () => {
    const refused = {
      status: 409,
      body: {
        code: 'NAME_TAKEN',
        error: 'This username looks like one that is taken or reserved. Choose another one.',
      },
    };
    for (const username of ['\u0430dmin', 'adm\u0131n', 'System']) {
      const { name: _, ...credentials } = registration();
      expect(await newAnonymousClient().post('/api/register', { ...credentials, username }), username).toMatchObject(
        refused,
      );
    }
    const { id } = await createAccount(admin);
    expect(await admin.patch(`/api/users/${id}`, { username: 'stew\u0430rd' })).toMatchObject(refused);
    // The server derives a missing username from the e-mail address, and adds a number to a reserved name.
    const created = done(
      await newAnonymousClient().post('/api/register', {
        email: `system@${newName()}.example.com`,
        password: PASSWORD,
        confirmPassword: PASSWORD,
      }),
    );
    expect(created.username).toMatch(/^system\d+$/);
  });
  it('adds a number to a username from the e-mail address if the username is taken', async () => {
    const name = newName();
    const names: string[] = [];
    for (const host of ['a', 'b', 'c']) {
      const body = { email: `${name}@${host}.example.com`, password: PASSWORD, confirmPassword: PASSWORD };
      names.push(done(await newAnonymousClient().post('/api/register', body)).username);
    }
    expect(names).toEqual([name, `${name}2`, `${name}3`]);
  });
  it('creates unique usernames for concurrent registrations', async () => {
    const name = newName();
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((host) =>
        newAnonymousClient().post('/api/register', {
          email: `${name}@${host}.example.com`,
          password: PASSWORD,
          confirmPassword: PASSWORD,
        }),
      ),
    );
    expect(new Set(answers.map((answer) => done(answer).username)).size).toBe(4);
  });
  it('refuses the e-mail address of another account', async () => {
    const { name: _, ...credentials } = registration();
    done(await newAnonymousClient().post('/api/register', credentials));
    expect(
      await newAnonymousClient().post('/api/register', { ...credentials, email: credentials.email.toUpperCase() }),
    ).toMatchObject({
      status: 409,
      body: { error: 'This e-mail address is taken' },
    });
  });
  it('creates one account for a repeated request, and signs the user in each time', async () => {
    const { name: _, ...credentials } = registration();
    const key = randomUUID();
    const people = Array.from({ length: 5 }, () => newAnonymousClient());
    const answers = await Promise.all(people.map((person) => person.post('/api/register', credentials, { key })));
    const ids = answers.map((answer) => done(answer).id);
    expect(new Set(ids).size).toBe(1);
    for (const person of people) expect(done(await person.get('/api/user')).id).toBe(ids[0]);
    const [{ users }] = (await queryDatabase('SELECT count(*)::integer AS users FROM identity.users WHERE email = $1', [
      credentials.email,
    ])) as [{ users: number }];
    expect(users).toBe(1);
    expect(
      await newAnonymousClient().post(
        '/api/register',
        { ...credentials, password: 'Other-pass-1', confirmPassword: 'Other-pass-1' },
        { key },
      ),
    ).toMatchObject({ status: 422 });
  });
  it('does not sign the user in if the request is repeated after the password was changed', async () => {
    const { name: _, ...credentials } = registration();
    const key = randomUUID();
    const person = newAnonymousClient();
    done(await person.post('/api/register', credentials, { key }));
    done(await person.post('/api/change-password', { currentPassword: PASSWORD, newPassword: 'Second-pass-2' }));
    const repeated = await newAnonymousClient().post('/api/register', credentials, { key });
    expect(repeated).toMatchObject({ status: 401, body: { error: 'Invalid username or password' } });
    expect(repeated.headers.getSetCookie()).toEqual([]);
  });
  it.each([
    [{ email: 'nobody' }, 'Invalid email format'],
    [{ password: 'Short-1', confirmPassword: 'Short-1' }, 'Password must be at least 10 characters'],
    [
      { password: 'lower-case-1', confirmPassword: 'lower-case-1' },
      'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character',
    ],
    [{ confirmPassword: '' }, 'Please confirm your password'],
    [{ confirmPassword: undefined }, 'Please confirm your password'],
    [{ confirmPassword: 'Other-pass-1' }, "Passwords don't match"],
  ])('refuses %j', async (change, error) => {
    const { name: _, ...credentials } = registration();
    const answer = await newAnonymousClient().post('/api/register', { ...credentials, ...change });
    expect(answer).toMatchObject({ status: 400, body: { error } });
  });
  it('creates a Viewer even if the request contains roleId, isActive, isAdmin and id', async () => {
    const { name: _, ...credentials } = registration();
    const person = newAnonymousClient();
    done(await person.post('/api/register', { ...credentials, roleId: 1, isActive: false, isAdmin: true, id: 1 }));
    expect(done(await person.get('/api/user'))).toMatchObject({ roleId: 4, isAdmin: false });
  });
  it('releases the name of an interrupted registration after an hour', async () => {
    const pool = createPool(inject('databaseUrl'), { max: 2 });
    const store = connectEventStore(inject('eventStoreUrl'));
    const storeUser = async (id: number, minutesAgo: number) => {
      const name = newName();
      await pool.query(
        `INSERT INTO identity.users (id, username, email, updated_at) VALUES ($1, $2, $2, now() - $3 * interval '1 minute')`,
        [id, name, minutesAgo],
      );
      return name;
    };
    const countRemaining = async (name: string) =>
      (await pool.query('SELECT FROM identity.users WHERE username = $1', [name])).rowCount;
    try {
      const registered = await createAccount(admin);
      await pool.query(`UPDATE identity.users SET updated_at = now() - interval '1 day' WHERE id = $1`, [
        registered.id,
      ]);
      const interruptedName = await storeUser(2_000_000_001, 61);
      const runningName = await storeUser(2_000_000_002, 59);
      await deleteExpired(pool, openAccess(store));
      expect(await Promise.all([registered.username, interruptedName, runningName].map(countRemaining))).toEqual([
        1, 0, 1,
      ]);
      await pool.query('DELETE FROM identity.users WHERE username = $1', [runningName]);
    } finally {
      await Promise.all([pool.end(), store.close()]);
    }
  });
});
