/** Mail through a server: mails are sent once, retried and given up; and no secret of the sign-in is stored in clear text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMailRelay } from '@rdm/command-api/identity/mail/mail-relay';
import { createLog, createPool } from '@rdm/platform';
import { MAIL_TEXT, seal } from '@rdm/platform/identity/sealing';
import { beforeAll, describe, expect, it } from 'vitest';
import { newName, tokenOf } from './accounts.ts';
import { done } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';
import type { Letter } from './mail/mail-server.ts';
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
const TRIED = 'Mailed-tried-4';

const lettersTo = (email: string): Letter[] => mailServer.letters.filter(({ to }) => to.includes(email));
const letterTo = (email: string): Promise<Letter> => until(() => lettersTo(email)[0]);

describe('a mail', () => {
  it('reaches its recipient, and its stored text is removed', async () => {
    const { username, email } = await inviteUser();
    const letter = await letterTo(email);
    expect(letter).toMatchObject({ from: 'house@example.com', to: [email] });
    expect(letter.content).toMatch(/^From: Reference data <house@example.com>$/m);
    expect(letter.content).toMatch(/^Subject: Your account for Reference Data Management$/m);
    expect(letter.content).toContain(username);
    expect(letter.content).toContain(`${stack.baseUrl}/reset-password?token=`);
    expect(await waitForMail(email, 'SENT')).toMatchObject({ text: null, attempts: 1, lastError: null });
    const { rows } = await database.query('SELECT sealed_text FROM identity.mail_outbox WHERE recipient = $1', [email]);
    expect(rows).toEqual([{ sealed_text: null }]);
    const person = new HttpClient(stack.baseUrl);
    done(
      await person.post('/api/reset-password', {
        token: tokenOf(letter.content),
        password: FIRST,
        confirmPassword: FIRST,
      }),
    );
    done(await person.signIn(username, FIRST));
  });
  it('proves the address of an account when its link is used, until the account gets another address', async () => {
    const { id, email } = await inviteUser();
    const readIsProved = async () => done(await admin.get(`/api/users/${id}`)).isEmailProved;
    const letter = await letterTo(email);
    await waitForMail(email, 'SENT');
    expect(await readIsProved()).toBe(false);
    const token = tokenOf(letter.content);
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
    await letterTo(email);
    mailServer.refusing = { code: 451, words: 'Try again later' };
    done(await new HttpClient(stack.baseUrl).post('/api/reset-password/request', { email }));
    const waitingMail = await until(async () => {
      const mail = await mailTo(email);
      return mail.lastError === null ? undefined : mail;
    });
    expect(waitingMail).toMatchObject({ status: 'WAITING', attempts: 1 });
    expect(waitingMail.lastError).toContain('Try again later');
    mailServer.refusing = undefined;
    await database.query('UPDATE identity.mail_outbox SET next_attempt_at = now() WHERE recipient = $1', [email]);
    expect(await waitForMail(email, 'SENT')).toMatchObject({ attempts: 2, text: null, lastError: null });
    expect(lettersTo(email)).toHaveLength(2);
  });
  it('is given up at once when the server refuses it permanently, and shown to administrators', async () => {
    mailServer.refusing = { code: 550, words: 'No such mailbox' };
    const { email } = await inviteUser();
    const failed = await waitForMail(email, 'FAILED');
    mailServer.refusing = undefined;
    expect(failed).toMatchObject({ attempts: 1 });
    expect(failed.lastError).toContain('No such mailbox');
    expect(tokenOf(failed.text)).toHaveLength(43);
    expect(lettersTo(email)).toEqual([]);
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
      await Promise.all(relays.map((office) => office.sendWaiting()));
      await until(() => (addresses.every((address) => lettersTo(address).length > 0) ? true : undefined));
      expect(addresses.map((address) => lettersTo(address).length)).toEqual(addresses.map(() => 1));
    } finally {
      for (const office of relays) office.close();
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
    const invitationToken = tokenOf((await letterTo(invitee.email)).content);
    done(await person.post('/api/reset-password', { token: invitationToken, password: FIRST, confirmPassword: FIRST }));
    await person.post('/api/reset-password', { token: invitationToken, password: SECOND, confirmPassword: SECOND });
    await person.signIn(username, TRIED);
    done(await person.signIn(username, FIRST));
    await person.post('/api/change-password', { currentPassword: TRIED, newPassword: SECOND });
    done(await person.post('/api/change-password', { currentPassword: FIRST, newPassword: SECOND }));
    done(await person.post('/api/reset-password/request', { email: invitee.email }));
    const second = await until(() => lettersTo(invitee.email)[1]);
    done(
      await person.post('/api/reset-password', {
        token: tokenOf(second.content),
        password: THIRD,
        confirmPassword: THIRD,
      }),
    );
    done(await person.signIn(username, THIRD));
    const byAdmin = { username: newName(), email: `${newName()}@example.com`, password: TRIED, roleId: 4 };
    done(await admin.post('/api/users', byAdmin));
    for (const [what, secret] of Object.entries({ FIRST, SECOND, THIRD, TRIED })) secrets.set(what, secret);
    secrets.set('token of an invitation', invitationToken);
    secrets.set('token of a reset', tokenOf(second.content));
    for (const cookie of person.cookie.split('; ')) secrets.set(...(cookie.split('=') as [string, string]));
    await admin.eventually('/api/audit-logs?kind=user&pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.action === 'PasswordReset' && item.entityId === invitee.id),
    );
  });

  it('are known to this test: four passwords, two links, a device and a session', () => {
    expect(secrets.size).toBe(8);
    for (const secret of secrets.values()) expect(secret.length).toBeGreaterThan(12);
  });
  it('are in no table', async () => {
    const toHex = (secret: string) => Buffer.from(secret).toString('hex');
    const texts = [...secrets.values()].flatMap((secret) => [secret, toHex(secret)]);
    const rows = await rowsContaining(database, [username, ...texts]);
    expect(rows).toContain(username);
    for (const [what, secret] of secrets) {
      expect(rows.includes(secret), what).toBe(false);
      expect(rows.includes(toHex(secret)), what).toBe(false);
    }
  });
  it('are in no file of the event log, the tables and the debug logs', () => {
    const found: string[] = [];
    let logs = 0;
    let facts = 0;
    for (const { path, content } of filesOf(stack.dataDir)) {
      if (path.endsWith('.log')) logs += content.length;
      if (path.startsWith(join(stack.dataDir, 'event-store')) && content.includes('PasswordReset')) facts += 1;
      for (const [what, secret] of secrets) if (content.includes(secret)) found.push(`${what} in ${path}`);
    }
    expect(logs).toBeGreaterThan(0);
    expect(facts).toBeGreaterThan(0);
    expect(found).toEqual([]);
  });
  it('leave no user name in the files of the event log and in the service logs', () => {
    const naming = [...filesOf(stack.dataDir)]
      .filter(({ path }) => !path.startsWith(join(stack.dataDir, 'postgres')))
      .filter(({ content }) => content.includes(username))
      .map(({ path }) => path);
    expect(naming).toEqual([]);
  });
});

/** Returns all files below a folder; skips those that vanish meanwhile. */
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
