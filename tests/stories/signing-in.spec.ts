/** Signing in and sessions: locks after wrong passwords, known devices, and the expiry of sessions. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  comparableResponse,
  createAccount,
  failSignIns,
  newAnonymousClient,
  newName,
  PASSWORD,
  queryDatabase,
  WRONG_PASSWORD,
  waitForUserEvent,
} from './accounts.ts';
import { done } from './fixtures.ts';
import { type Answer, type HttpClient, signInAs } from './http-client.ts';

let admin: HttpClient;
beforeAll(async () => {
  admin = await signInAs('admin');
});

describe('signing in', () => {
  it('accepts the username or the e-mail address, regardless of case', async () => {
    const { id, username, email } = await createAccount(admin);
    for (const name of [username, username.toUpperCase(), email, ` ${email.toUpperCase()} `]) {
      expect(done(await newAnonymousClient().signIn(name, PASSWORD)).id).toBe(id);
    }
  });
  it('sets HttpOnly and SameSite cookies', async () => {
    const { username } = await createAccount(admin);
    const cookies = (await newAnonymousClient().signIn(username, PASSWORD)).headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['session', 'device']);
    for (const cookie of cookies) expect(cookie).toMatch(/Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+/);
  });
  it('is refused for a deactivated user, with the message for a wrong password', async () => {
    const { id, username } = await createAccount(admin);
    done(await admin.post(`/api/users/${id}/deactivate`));
    const [wrongPassword] = await failSignIns(username, 1);
    const rightPassword = await newAnonymousClient().signIn(username, PASSWORD);
    expect(wrongPassword).toMatchObject({ status: 401, body: { error: 'Invalid username or password' } });
    expect(comparableResponse(rightPassword)).toEqual(comparableResponse(wrongPassword as Answer));
  });
  it('records each attempt, but no unknown name in the audit log', async () => {
    const { id, username } = await createAccount(admin);
    await failSignIns(username, 1);
    done(await newAnonymousClient().signIn(username, PASSWORD));
    const unknownName = newName();
    await failSignIns(unknownName, 1);
    const readAttempts = async (name: string) => done(await admin.get(`/api/login-attempts?q=${name}`)).items;
    expect(await readAttempts(username)).toMatchObject([
      { username, userId: id, success: true },
      { username, userId: id, success: false, ipAddress: expect.stringMatching(/^2001:db8:/) },
    ]);
    expect(await readAttempts(unknownName)).toMatchObject([{ username: unknownName, userId: null, success: false }]);
    const failedAttempts = done(await admin.get(`/api/login-attempts?q=${username}&success=false`));
    expect(failedAttempts.total).toBe(1);
    expect((await (await signInAs('viewer')).get('/api/login-attempts')).status).toBe(403);
    const userEvents = done(await admin.get(`/api/audit-logs?kind=user&pageSize=1000&sort=seq&order=DESC`));
    expect(JSON.stringify(userEvents)).not.toContain(unknownName);
  });
});

describe('wrong passwords', () => {
  it('lock the account for 15 minutes after five attempts, even for the right password', async () => {
    const { id, username } = await createAccount(admin);
    const answers = await failSignIns(username, 5);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429]);
    const refused = await newAnonymousClient().signIn(username, PASSWORD);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'Account temporarily locked. Try again in 15 minutes', code: 'LOCKED_OUT' },
    });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(14 * 60);
    expect(done(await admin.get(`/api/users/${id}`))).toMatchObject({ isLocked: true });
    expect(await waitForUserEvent(admin, id, 'UserLocked')).toMatchObject({ userId: null, severity: 'WARN' });
  });
  it('append UserLocked to the log although an event of another stream cannot be appended', async () => {
    const eventId = randomUUID();
    await queryDatabase(
      `INSERT INTO identity.outbox (event_id, stream, type, data, metadata) VALUES ($1, 'user-999999', 'NoSuchType', '{}', '{}')`,
      [eventId],
    );
    try {
      const { id, username } = await createAccount(admin);
      await failSignIns(username, 5);
      expect(await waitForUserEvent(admin, id, 'UserLocked')).toMatchObject({ severity: 'WARN' });
      expect(
        await queryDatabase('SELECT FROM identity.outbox WHERE event_id = $1 AND sent_at IS NULL', [eventId]),
      ).toHaveLength(1);
    } finally {
      await queryDatabase('DELETE FROM identity.outbox WHERE event_id = $1', [eventId]);
    }
  });
  it('lock the account for twice as long the second time, but not after a successful sign-in', async () => {
    const { id, username } = await createAccount(admin);
    const ageLock = (minutes: number) =>
      queryDatabase(
        `UPDATE identity.sign_in_locks SET locked_until = locked_until - $2 * interval '1 minute' WHERE user_id = $1`,
        [id, minutes],
      );
    await failSignIns(username, 5);
    await ageLock(10);
    expect((await newAnonymousClient().signIn(username, PASSWORD)).body.error).toBe(
      'Account temporarily locked. Try again in 5 minutes',
    );
    await ageLock(5);
    const laterFailures = await failSignIns(username, 5);
    expect(laterFailures.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429]);
    expect(laterFailures[4]?.body.error).toBe('Account temporarily locked. Try again in 30 minutes');
    await ageLock(30);
    done(await newAnonymousClient().signIn(username, PASSWORD));
    const afterSignIn = await failSignIns(username, 5);
    expect(afterSignIn[4]?.body.error).toBe('Account temporarily locked. Try again in 15 minutes');
  });
  it('are counted from zero again after a successful sign-in', async () => {
    const { username } = await createAccount(admin);
    await failSignIns(username, 4);
    done(await newAnonymousClient().signIn(username, PASSWORD));
    expect((await failSignIns(username, 4)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    done(await newAnonymousClient().signIn(username, PASSWORD));
  });
  it('get the same answers for an unknown name', async () => {
    const { username } = await createAccount(admin);
    const knownAnswers = await failSignIns(username, 7);
    const unknownAnswers = await failSignIns(newName(), 7);
    expect(unknownAnswers.map(comparableResponse)).toEqual(knownAnswers.map(comparableResponse));
    expect(knownAnswers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429, 429, 429]);
  });
  it('do not reveal that a username and an address belong to the same user', async () => {
    const { username, email } = await createAccount(admin);
    await failSignIns(username, 4);
    expect((await failSignIns(email, 1))[0]?.status).toBe(401);
    const unknownName = newName();
    await failSignIns(unknownName, 4);
    expect((await failSignIns(`${unknownName}@example.com`, 1))[0]?.status).toBe(401);
  });
  it('lock the account also when sent concurrently', async () => {
    const { username } = await createAccount(admin);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => newAnonymousClient().signIn(username, WRONG_PASSWORD)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(16);
  });
  it('are counted without storing the entered name or the IP address', async () => {
    const { username } = await createAccount(admin);
    const unknownName = newName();
    await failSignIns(username, 1);
    await failSignIns(unknownName, 1);
    const storedText = JSON.stringify([
      await queryDatabase('SELECT l::text FROM identity.sign_in_locks l'),
      await queryDatabase('SELECT t::text FROM identity.throttles t'),
    ]);
    expect(storedText).not.toContain(username);
    expect(storedText).not.toContain(unknownName);
    expect(storedText).not.toContain('2001:db8');
  });
});

describe('a device from which a user signed in before', () => {
  it('lets that user sign in while failures from other devices lock the account', async () => {
    const { username } = await createAccount(admin);
    const owner = newAnonymousClient();
    done(await owner.signIn(username, PASSWORD));
    done(await owner.post('/api/logout'));
    await failSignIns(username, 6);
    done(await owner.signIn(username, PASSWORD));
    expect((await newAnonymousClient().signIn(username, PASSWORD)).status).toBe(429);
    expect((await failSignIns(username, 1))[0]?.status).toBe(429);
    done(await owner.get('/api/user'));
  });
  it('is locked by its own failures, which do not lock other devices', async () => {
    const { username } = await createAccount(admin);
    const owner = newAnonymousClient();
    done(await owner.signIn(username, PASSWORD));
    const statuses: number[] = [];
    for (let time = 0; time < 5; time++) statuses.push((await owner.signIn(username, WRONG_PASSWORD)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429]);
    expect(await owner.signIn(username, PASSWORD)).toMatchObject({
      status: 429,
      body: { error: 'Account temporarily locked. Try again in 15 minutes' },
    });
    done(await newAnonymousClient().signIn(username, PASSWORD));
  });
  it('is known only for its own user and by a genuine cookie', async () => {
    const [ownAccount, otherAccount] = [await createAccount(admin), await createAccount(admin)];
    const client = newAnonymousClient();
    done(await client.signIn(ownAccount.username, PASSWORD));
    await failSignIns(otherAccount.username, 5);
    expect((await client.signIn(otherAccount.username, PASSWORD)).status).toBe(429);
    const headers = { Cookie: `device=${'A'.repeat(43)}` };
    const body = { username: otherAccount.username, password: PASSWORD };
    expect((await newAnonymousClient().post('/api/login', body, { headers })).status).toBe(429);
    const third = await createAccount(admin);
    const answer = await newAnonymousClient().post('/api/login', { ...body, username: third.username }, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().join()).not.toContain('A'.repeat(43));
  });
  it('is known for each user who signed in from it', async () => {
    const [one, other] = [await createAccount(admin), await createAccount(admin)];
    const shared = newAnonymousClient();
    done(await shared.signIn(one.username, PASSWORD));
    done(await shared.signIn(other.username, PASSWORD));
    for (const { username } of [one, other]) {
      await failSignIns(username, 5);
      done(await shared.signIn(username, PASSWORD));
    }
  });
  it('is stored only as a hash of its cookie', async () => {
    const { username } = await createAccount(admin);
    const owner = newAnonymousClient();
    done(await owner.signIn(username, PASSWORD));
    const token = /device=([\w-]{43})/.exec(owner.cookie)?.[1] ?? '';
    expect(token).toHaveLength(43);
    const rows = await queryDatabase(`SELECT d::text FROM identity.devices d`);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  });
});

describe('a session', () => {
  const ageSession = (id: number, column: string, minutes: number) =>
    queryDatabase(`UPDATE identity.sessions SET ${column} = now() - $2 * interval '1 minute' WHERE user_id = $1`, [
      id,
      minutes,
    ]);

  it('ends 120 minutes after the last activity, such as a heartbeat', async () => {
    const { id, username } = await createAccount(admin);
    const person = newAnonymousClient();
    done(await person.signIn(username, PASSWORD));
    await ageSession(id, 'last_active_at', 119);
    done(await person.get('/api/user'));
    expect((await person.post('/api/session/heartbeat')).status).toBe(204);
    const [{ minutes }] = (await queryDatabase(
      `SELECT extract(epoch FROM now() - last_active_at)::integer / 60 AS minutes FROM identity.sessions WHERE user_id = $1`,
      [id],
    )) as [{ minutes: number }];
    expect(minutes).toBe(0);
    await ageSession(id, 'last_active_at', 121);
    expect((await person.get('/api/user')).status).toBe(401);
    expect((await person.post('/api/session/heartbeat')).status).toBe(401);
  });
  it('ends a day after the sign-in', async () => {
    const { id, username } = await createAccount(admin);
    const person = newAnonymousClient();
    done(await person.signIn(username, PASSWORD));
    const shortenExpiry = (minutes: number) =>
      queryDatabase(
        `UPDATE identity.sessions SET expires_at = expires_at - $2 * interval '1 minute' WHERE user_id = $1`,
        [id, minutes],
      );
    await shortenExpiry(24 * 60 - 1);
    done(await person.get('/api/user'));
    await shortenExpiry(1);
    expect((await person.get('/api/user')).status).toBe(401);
  });
});
