/**
 * Tests mail through a mail server: delivery, retries and failures. Also tests that no password or token is stored in
 * clear text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMailRelay } from '@rdm/command-api/identity/mail/mail-relay';
import { createLog, createPool } from '@rdm/platform';
import { MAIL_TEXT, seal } from '@rdm/platform/identity/sealing';
import { beforeAll, describe, expect, it } from 'vitest';
import { newName, tokenOf } from './accounts.ts';
import { done } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';
import type { ReceivedMail } from './mail/mail-server.ts';
import {
  admin,
  database,
  inviteUser,
  mailServer,
  mailTo,
  stack,
  startMailStack,
  until,
  waitForMail,
} from './mail/mail-stack.ts';
import { rowsContaining } from './table-search.ts';

startMailStack();

const FIRST = 'Mailed-first-1';
const SECOND = 'Mailed-second-2';
const THIRD = 'Mailed-third-3';
/** A wrong password of the invited user, and the first password of another user. */
const FOURTH = 'Mailed-tried-4';

const receivedMailsTo = (email: string): ReceivedMail[] => mailServer.mails.filter(({ to }) => to.includes(email));
const waitForReceivedMail = (email: string): Promise<ReceivedMail> => until(() => receivedMailsTo(email)[0]);

describe('a mail', () => {
  it('reaches its recipient, and its stored text is removed', async () => {
    const { username, email } = await inviteUser();
    const mail = await waitForReceivedMail(email);
    expect(mail).toMatchObject({ from: 'house@example.com', to: [email] });
    expect(mail.content).toMatch(/^From: Reference data <house@example.com>$/m);
    expect(mail.content).toMatch(/^Subject: Your account for Reference Data Management$/m);
    expect(mail.content).toContain(username);
    expect(mail.content).toContain(`${stack.baseUrl}/reset-password?token=`);
    expect(await waitForMail(email, 'SENT')).toMatchObject({ text: null, attempts: 1, lastError: null });
    const { rows } = await database.query('SELECT sealed_text FROM identity.mail_outbox WHERE recipient = $1', [email]);
    expect(rows).toEqual([{ sealed_text: null }]);
    const person = new HttpClient(stack.baseUrl);
    done(
      await person.post('/api/reset-password', {
        token: tokenOf(mail.content),
        password: FIRST,
        confirmPassword: FIRST,
      }),
    );
    done(await person.signIn(username, FIRST));
  });
  it('proves the e-mail address of an account by its link, until the address changes', async () => {
    const { id, email } = await inviteUser();
    const readIsProved = async () => done(await admin.get(`/api/users/${id}`)).isEmailProved;
    const mail = await waitForReceivedMail(email);
    await waitForMail(email, 'SENT');
    expect(await readIsProved()).toBe(false);
    const token = tokenOf(mail.content);
    done(
      await new HttpClient(stack.baseUrl).post('/api/reset-password', {
        token,
        password: FIRST,
        confirmPassword: FIRST,
      }),
    );
    expect(await readIsProved()).toBe(true);
    expect((await admin.post(`/api/users/${id}/release-email`)).status).toBe(409);
    done(await admin.patch(`/api/users/${id}`, { email: `new.${email}` }));
    expect(await readIsProved()).toBe(false);
    done(await admin.post(`/api/users/${id}/release-email`));
  });
  it('is retried when the server is busy, and sent once', async () => {
    const { email } = await inviteUser();
    await waitForReceivedMail(email);
    mailServer.refusal = { code: 451, text: 'Try again later' };
    done(await new HttpClient(stack.baseUrl).post('/api/reset-password/request', { email }));
    const waitingMail = await until(async () => {
      const mail = await mailTo(email);
      return mail.lastError === null ? undefined : mail;
    });
    expect(waitingMail).toMatchObject({ status: 'WAITING', attempts: 1 });
    expect(waitingMail.lastError).toContain('Try again later');
    mailServer.refusal = undefined;
    await database.query('UPDATE identity.mail_outbox SET next_attempt_at = now() WHERE recipient = $1', [email]);
    expect(await waitForMail(email, 'SENT')).toMatchObject({ attempts: 2, text: null, lastError: null });
    expect(receivedMailsTo(email)).toHaveLength(2);
  });
  it('is marked as failed after one attempt when the server refuses it permanently', async () => {
    mailServer.refusal = { code: 550, text: 'No such mailbox' };
    const { email } = await inviteUser();
    const failed = await waitForMail(email, 'FAILED');
    mailServer.refusal = undefined;
    expect(failed).toMatchObject({ attempts: 1 });
    expect(failed.lastError).toContain('No such mailbox');
    expect(tokenOf(failed.text)).toHaveLength(43);
    expect(receivedMailsTo(email)).toEqual([]);
  });
  it('is sent once by several instances of the service', async () => {
    const secret = JSON.parse(readFileSync(join(stack.dataDir, 'secrets.json'), 'utf8')).sessionSecret;
    const pool = createPool(stack.databaseUrl, { max: 6 });
    const log = createLog('story', 'silent');
    const settings = { SMTP_URL: mailServer.url, MAIL_FROM: 'House <house@example.com>', SESSION_SECRET: secret };
    const relays = [1, 2, 3].map(() => openMailRelay(pool, settings, log));
    const addresses = Array.from({ length: 30 }, (_, index) => `many-${index}-${newName()}@example.com`);
    try {
      await pool.query(
        `INSERT INTO identity.mail_outbox (recipient, subject, sealed_text) SELECT unnest($1::text[]), 'Many', $2`,
        [addresses, seal(secret, MAIL_TEXT, 'Hello')],
      );
      await Promise.all(relays.map((relay) => relay.sendWaiting()));
      await until(() => (addresses.every((address) => receivedMailsTo(address).length > 0) ? true : undefined));
      expect(addresses.map((address) => receivedMailsTo(address).length)).toEqual(addresses.map(() => 1));
    } finally {
      for (const relay of relays) relay.close();
      await pool.end();
    }
  });
});

describe('disabled registration', () => {
  it.each([[{ email: 'ada@example.com', password: FIRST, confirmPassword: FIRST }], [{ email: 'nothing' }]])(
    'returns 404: %j',
    async (body) => {
      expect(await new HttpClient(stack.baseUrl).post('/api/register', body)).toMatchObject({
        status: 404,
        body: { error: 'Registration is turned off. Ask an administrator for an account.' },
      });
      expect(done(await new HttpClient(stack.baseUrl).get('/api/auth/config')).registration).toBe('off');
    },
  );
});

describe('passwords, and tokens of links, devices and sessions', () => {
  const secrets = new Map<string, string>();
  let username: string;

  beforeAll(async () => {
    const person = new HttpClient(stack.baseUrl);
    const invitee = await inviteUser();
    username = invitee.username;
    const invitationToken = tokenOf((await waitForReceivedMail(invitee.email)).content);
    done(await person.post('/api/reset-password', { token: invitationToken, password: FIRST, confirmPassword: FIRST }));
    await person.post('/api/reset-password', { token: invitationToken, password: SECOND, confirmPassword: SECOND });
    await person.signIn(username, FOURTH);
    done(await person.signIn(username, FIRST));
    await person.post('/api/change-password', { currentPassword: FOURTH, newPassword: SECOND });
    done(await person.post('/api/change-password', { currentPassword: FIRST, newPassword: SECOND }));
    done(await person.post('/api/reset-password/request', { email: invitee.email }));
    const secondMail = await until(() => receivedMailsTo(invitee.email)[1]);
    done(
      await person.post('/api/reset-password', {
        token: tokenOf(secondMail.content),
        password: THIRD,
        confirmPassword: THIRD,
      }),
    );
    done(await person.signIn(username, THIRD));
    const otherUser = { username: newName(), email: `${newName()}@example.com`, password: FOURTH, roleId: 4 };
    done(await admin.post('/api/users', otherUser));
    for (const [name, secret] of Object.entries({ FIRST, SECOND, THIRD, FOURTH })) secrets.set(name, secret);
    secrets.set('token of an invitation', invitationToken);
    secrets.set('token of a reset', tokenOf(secondMail.content));
    for (const cookie of person.cookie.split('; ')) secrets.set(...(cookie.split('=') as [string, string]));
    await admin.eventually('/api/audit-logs?kind=user&pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.action === 'PasswordReset' && item.entityId === invitee.id),
    );
  });

  it('are four passwords, two links, a device and a session in this test', () => {
    expect(secrets.size).toBe(8);
    for (const secret of secrets.values()) expect(secret.length).toBeGreaterThan(12);
  });
  it('are in no table', async () => {
    const toHex = (secret: string) => Buffer.from(secret).toString('hex');
    const texts = [...secrets.values()].flatMap((secret) => [secret, toHex(secret)]);
    const rows = await rowsContaining(database, [username, ...texts]);
    expect(rows).toContain(username);
    for (const [name, secret] of secrets) {
      expect(rows.includes(secret), name).toBe(false);
      expect(rows.includes(toHex(secret)), name).toBe(false);
    }
  });
  it('are in no file of the data directory', () => {
    const secretsInFiles: string[] = [];
    let logBytes = 0;
    let eventFiles = 0;
    for (const { path, content } of filesOf(stack.dataDir)) {
      if (path.endsWith('.log')) logBytes += content.length;
      if (path.startsWith(join(stack.dataDir, 'event-store')) && content.includes('PasswordReset')) eventFiles += 1;
      for (const [name, secret] of secrets) if (content.includes(secret)) secretsInFiles.push(`${name} in ${path}`);
    }
    expect(logBytes).toBeGreaterThan(0);
    expect(eventFiles).toBeGreaterThan(0);
    expect(secretsInFiles).toEqual([]);
  });
  it('belong to a user whose name is in no file outside the database', () => {
    const pathsWithName = [...filesOf(stack.dataDir)]
      .filter(({ path }) => !path.startsWith(join(stack.dataDir, 'postgres')))
      .filter(({ content }) => content.includes(username))
      .map(({ path }) => path);
    expect(pathsWithName).toEqual([]);
  });
});

/** Yields all files below a folder. Skips files that are removed meanwhile. */
function* filesOf(path: string): Generator<{ path: string; content: Buffer }> {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    try {
      if (entry.isDirectory()) yield* filesOf(below);
      else if (entry.isFile()) yield { path: below, content: readFileSync(below) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
