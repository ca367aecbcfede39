/** Starts a product that sends its mails to the mail server of the tests, and waits for mails. */
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestStack, type TestStack } from '../../test-stack.ts';
import { newName } from '../accounts.ts';
import { done } from '../fixtures.ts';
import { HttpClient, type Json } from '../http-client.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

const ADMIN_PASSWORD = 'Mail-admin-1';

export let stack: TestStack;
export let mailServer: MailServer;
export let admin: HttpClient;
export let database: pg.Client;

/** Polls `read` until it returns a value; throws after the timeout. */
export async function until<T>(read: () => Promise<T | undefined> | T | undefined, timeoutMs = 20_000): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error('The expected value did not appear');
  }
}
export const mailTo = async (email: string): Promise<Json> =>
  done(await admin.get(`/api/mail-outbox?q=${encodeURIComponent(email)}`)).items[0];
export const waitForMail = (email: string, status: string): Promise<Json> =>
  until(async () => {
    const mail = await mailTo(email);
    return mail?.status === status ? mail : undefined;
  });

export async function inviteUser() {
  const username = newName();
  const email = `${username}@example.com`;
  const user = { username, email, roleId: 4, displayName: 'Zoë Müller' };
  const { id, mail } = done(await admin.post('/api/users', user));
  expect(mail).toBe('WAITING');
  return { id, username, email };
}

/** Starts the product and the mail server before the tests of a file, and stops them after the tests. */
export function startMailStack(): void {
  beforeAll(async () => {
    mailServer = await startMailServer();
    stack = await startTestStack('mail', {
      adminPassword: ADMIN_PASSWORD,
      env: {
        SMTP_URL: mailServer.url,
        MAIL_FROM: 'Reference data <house@example.com>',
        REGISTRATION: 'off',
        LOG_LEVEL: 'trace',
      },
    });
    database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
    admin = new HttpClient(stack.baseUrl);
    done(await admin.signIn('admin', ADMIN_PASSWORD));
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await mailServer?.stop();
  });
}
