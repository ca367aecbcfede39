/** Forgotten passwords, invitations and password changes, and the mails with links. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  comparableResponse,
  createAccount,
  failSignIns,
  mailsTo,
  newAnonymousClient,
  newName,
  PASSWORD,
  queryDatabase,
  requestResetToken,
  tokenIn,
  WRONG_PASSWORD,
  waitForResetMails,
  waitForUserEvent,
} from './accounts.ts';
import { done } from './fixtures.ts';
import { type Answer, type HttpClient, signInAs } from './http-client.ts';

let admin: HttpClient;
beforeAll(async () => {
  admin = await signInAs('admin');
});

describe('a forgotten password', () => {
  it('is replaced once through the link of a mail; the replacement ends all sessions of the user', async () => {
    const { id, username, email } = await createAccount(admin);
    const [signedIn, resetting] = [newAnonymousClient(), newAnonymousClient()];
    done(await signedIn.signIn(username, PASSWORD));
    const token = await requestResetToken(admin, email.toUpperCase());
    expect(token).toMatch(/^[\w-]{43}$/);
    const newPassword = { token, password: 'Second-pass-2', confirmPassword: 'Second-pass-2' };
    expect(done(await resetting.post('/api/reset-password', newPassword))).toEqual({ success: true });
    expect((await signedIn.get('/api/user')).status).toBe(401);
    expect((await resetting.get('/api/user')).status).toBe(401);
    done(await resetting.signIn(username, 'Second-pass-2'));
    expect((await newAnonymousClient().signIn(username, PASSWORD)).status).toBe(401);
    expect(
      await resetting.post('/api/reset-password', {
        ...newPassword,
        password: 'Third-pass-3',
        confirmPassword: 'Third-pass-3',
      }),
    ).toMatchObject({
      status: 400,
      body: { error: 'This link is not valid any more. Please ask for a new one.' },
    });
    expect(await waitForUserEvent(admin, id, 'PasswordReset')).toMatchObject({ userId: id });
  });
  it('is replaced only once if several tabs use the same link at the same time', async () => {
    const { email, username } = await createAccount(admin);
    const token = await requestResetToken(admin, email);
    const passwords = ['Second-pass-2', 'Third-pass-3', 'Fourth-pass-4'];
    const answers = await Promise.all(
      passwords.map((password) =>
        newAnonymousClient().post('/api/reset-password', { token, password, confirmPassword: password }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).not.toContain(500);
    const acceptedPasswords = answers.flatMap(({ status }, index) =>
      status === 200 ? [passwords[index] as string] : [],
    );
    expect(acceptedPasswords).toHaveLength(1);
    done(await newAnonymousClient().signIn(username, acceptedPasswords[0] as string));
  });
  it('is replaced only with the newest link, within an hour', async () => {
    const { id, email } = await createAccount(admin);
    const first = await requestResetToken(admin, email);
    const second = await requestResetToken(admin, email);
    const choosePassword = (token: string) =>
      newAnonymousClient().post('/api/reset-password', {
        token,
        password: 'Second-pass-2',
        confirmPassword: 'Second-pass-2',
      });
    expect((await choosePassword(first)).status).toBe(400);
    const [{ minutes }] = (await queryDatabase(
      `SELECT extract(epoch FROM expires_at - created_at)::integer / 60 AS minutes FROM identity.reset_tokens WHERE user_id = $1`,
      [id],
    )) as [{ minutes: number }];
    expect(minutes).toBe(60);
    await queryDatabase(`UPDATE identity.reset_tokens SET expires_at = now() WHERE user_id = $1`, [id]);
    expect((await choosePassword(second)).body.error).toBe(
      'This link is not valid any more. Please ask for a new one.',
    );
    expect((await choosePassword('no-such-token')).body.error).toBe(
      'This link is not valid any more. Please ask for a new one.',
    );
  });
  it('cannot be replaced by itself, and the link stays valid for another attempt', async () => {
    const { username, email } = await createAccount(admin);
    const token = await requestResetToken(admin, email);
    const same = await newAnonymousClient().post('/api/reset-password', {
      token,
      password: PASSWORD,
      confirmPassword: PASSWORD,
    });
    expect(same).toMatchObject({ status: 400, body: { error: 'Choose a password that is not one of your last 5' } });
    done(
      await newAnonymousClient().post('/api/reset-password', {
        token,
        password: 'Second-pass-2',
        confirmPassword: 'Second-pass-2',
      }),
    );
    done(await newAnonymousClient().signIn(username, 'Second-pass-2'));
  });
  it('can be replaced while the account is locked, and the same client can then sign in', async () => {
    const { username, email } = await createAccount(admin);
    await failSignIns(username, 5);
    await failSignIns(email, 5);
    const owner = newAnonymousClient();
    const token = await requestResetToken(admin, email);
    done(
      await owner.post('/api/reset-password', { token, password: 'Second-pass-2', confirmPassword: 'Second-pass-2' }),
    );
    expect((await failSignIns(username, 5)).at(-1)?.status).toBe(429);
    done(await owner.signIn(username, 'Second-pass-2'));
  });
  it('can be reported for any address with the same answer; only active local users get a mail', async () => {
    const account = await createAccount(admin);
    const inactive = await createAccount(admin);
    done(await admin.post(`/api/users/${inactive.id}/deactivate`));
    const foreign = await createAccount(admin);
    await queryDatabase(`UPDATE identity.users SET auth_provider = 'okta' WHERE id = $1`, [foreign.id]);
    const unknown = `${newName()}@example.com`;
    const requestReset = (email: string) => newAnonymousClient().post('/api/reset-password/request', { email });
    const first = comparableResponse(await requestReset(account.email));
    expect(first).toMatchObject({ status: 200, body: { success: true } });
    const others = [inactive.email, foreign.email, unknown];
    for (const email of others) expect(comparableResponse(await requestReset(email))).toEqual(first);
    await waitForResetMails();
    for (const email of others) expect(await mailsTo(admin, email)).toEqual([]);
    expect(await mailsTo(admin, account.email)).toHaveLength(1);
  });
  it('can be reported often with the same answer, but at most three mails are sent per hour', async () => {
    const { email } = await createAccount(admin);
    const answers: Answer[] = [];
    for (let time = 0; time < 5; time++)
      answers.push(await newAnonymousClient().post('/api/reset-password/request', { email }));
    expect(new Set(answers.map((answer) => JSON.stringify(comparableResponse(answer)))).size).toBe(1);
    await waitForResetMails();
    const mails = await mailsTo(admin, email);
    expect(mails).toHaveLength(3);
    done(
      await newAnonymousClient().post('/api/reset-password', {
        token: tokenIn(mails[0]),
        password: 'Second-pass-2',
        confirmPassword: 'Second-pass-2',
      }),
    );
  });
  it.each([
    [{ token: '' }, 'The link from the mail is required'],
    [{ password: 'short' }, 'Password must be at least 10 characters'],
    [{ confirmPassword: 'Other-pass-2' }, "Passwords don't match"],
    [{ confirmPassword: undefined }, 'Please confirm your password'],
  ])('is not replaced by a request with %j', async (change, error) => {
    const body = { token: 'x', password: 'Second-pass-2', confirmPassword: 'Second-pass-2', ...change };
    expect(await newAnonymousClient().post('/api/reset-password', body)).toMatchObject({
      status: 400,
      body: { error },
    });
  });
});

describe('an invitation', () => {
  it('lets a user set their first password within three days', async () => {
    const { id, username, email } = await createAccount(admin, { password: undefined });
    expect((await failSignIns(username, 1))[0]?.status).toBe(401);
    const [mail] = await mailsTo(admin, email);
    // The status is KEPT, because no mail server is configured. Administrators find the mail in the outbox.
    expect(mail).toMatchObject({ status: 'KEPT', subject: 'Your account for Reference Data Management' });
    expect(mail.text).toContain(username);
    const [{ hours }] = (await queryDatabase(
      `SELECT extract(epoch FROM expires_at - created_at)::integer / 3600 AS hours FROM identity.reset_tokens WHERE user_id = $1`,
      [id],
    )) as [{ hours: number }];
    expect(hours).toBe(72);
    done(
      await newAnonymousClient().post('/api/reset-password', {
        token: tokenIn(mail),
        password: PASSWORD,
        confirmPassword: PASSWORD,
      }),
    );
    expect(done(await newAnonymousClient().signIn(username, PASSWORD)).requirePasswordChange).toBe(false);
  });
});

describe('the mail outbox', () => {
  it('shows administrators the mails, and refuses other users', async () => {
    const { email } = await createAccount(admin);
    await requestResetToken(admin, email);
    const [mail] = await mailsTo(admin, email);
    expect(mail).toMatchObject({
      to: email,
      subject: 'Reset your password for Reference Data Management',
      status: 'KEPT',
      attempts: 0,
      lastError: null,
      sentAt: null,
    });
    expect(mail.text).toContain(`/reset-password?token=${tokenIn(mail)}`);
    const list = await admin.get('/api/mail-outbox');
    expect(list.headers.get('Cache-Control')).toBe('no-store');
    expect((await (await signInAs('steward')).get('/api/mail-outbox')).status).toBe(403);
    expect((await newAnonymousClient().get('/api/mail-outbox')).status).toBe(401);
  });
  it('stores no readable token of a link in the mail or in the table of tokens', async () => {
    const { email } = await createAccount(admin);
    const token = await requestResetToken(admin, email);
    const rows = JSON.stringify([
      await queryDatabase(`SELECT m::text, encode(m.sealed_text, 'escape') FROM identity.mail_outbox m`),
      await queryDatabase('SELECT t::text FROM identity.reset_tokens t'),
    ]);
    for (const encoding of [
      token,
      Buffer.from(token).toString('hex'),
      Buffer.from(token, 'base64url').toString('hex'),
    ]) {
      expect(rows).not.toContain(encoding);
    }
  });
});

describe('changing a password', () => {
  const change = (person: HttpClient, currentPassword: string, newPassword: string, confirmNewPassword = newPassword) =>
    person.post('/api/change-password', { currentPassword, newPassword, confirmNewPassword });

  async function createSignedInAccount() {
    const user = await createAccount(admin);
    const person = newAnonymousClient();
    done(await person.signIn(user.username, PASSWORD));
    return { ...user, person };
  }

  it('ends all other sessions at once', async () => {
    const { id, username, person } = await createSignedInAccount();
    const others = [newAnonymousClient(), newAnonymousClient()];
    for (const other of others) done(await other.signIn(username, PASSWORD));
    expect(done(await change(person, PASSWORD, 'Second-pass-2'))).toEqual({ success: true });
    for (const other of others) expect((await other.get('/api/user')).status).toBe(401);
    done(await person.get('/api/user'));
    expect(await waitForUserEvent(admin, id, 'PasswordChanged')).toMatchObject({ userId: id });
  });
  it('refuses the last five passwords, and accepts the sixth last password', async () => {
    const { person } = await createSignedInAccount();
    const passwords = [PASSWORD, 'Number-two-2', 'Number-three-3', 'Number-four-4', 'Number-five-5'];
    for (const [index, password] of passwords.entries()) {
      if (index > 0) done(await change(person, passwords[index - 1] as string, password));
    }
    for (const password of passwords) {
      expect((await change(person, 'Number-five-5', password)).body.error).toBe(
        'Choose a password that is not one of your last 5',
      );
    }
    done(await change(person, 'Number-five-5', 'Number-six-6'));
    done(await change(person, 'Number-six-6', PASSWORD));
  });
  it.each([
    ['', 'Second-pass-2', 'Second-pass-2', 'Current password is required'],
    [WRONG_PASSWORD, 'Second-pass-2', 'Second-pass-2', 'Current password is incorrect'],
    [PASSWORD, 'short', 'short', 'Password must be at least 10 characters'],
    [PASSWORD, 'Second-pass-2', '', 'Please confirm your password'],
    [PASSWORD, 'Second-pass-2', 'Third-pass-3', "Passwords don't match"],
    [
      PASSWORD,
      'NoSpecial1234',
      'NoSpecial1234',
      'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character',
    ],
  ])('refuses %s → %s (%s): %s', async (currentPassword, newPassword, confirmation, error) => {
    const { person } = await createSignedInAccount();
    const answer = await change(person, currentPassword, newPassword, confirmation);
    expect(answer).toMatchObject({ status: 400, body: { error } });
  });
  it('limits the attempts to guess the current password in an open session', async () => {
    const { username, person } = await createSignedInAccount();
    const answers: Answer[] = [];
    for (let time = 0; time < 6; time++)
      answers.push(await change(person, time < 5 ? WRONG_PASSWORD : PASSWORD, 'Second-pass-2'));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 429, 429]);
    expect(answers[5]?.body.error).toBe('Too many wrong passwords. Try again in 15 minutes');
    done(await newAnonymousClient().signIn(username, PASSWORD));
  });
  it('invalidates reset links that were sent before', async () => {
    const { email, person } = await createSignedInAccount();
    const token = await requestResetToken(admin, email);
    done(await change(person, PASSWORD, 'Second-pass-2'));
    expect(
      (
        await newAnonymousClient().post('/api/reset-password', {
          token,
          password: 'Third-pass-3',
          confirmPassword: 'Third-pass-3',
        })
      ).status,
    ).toBe(400);
  });
});
