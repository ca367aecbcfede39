/**
 * Creates accounts and anonymous clients for sign-in tests; reads the database, the audit log and the mails to an
 * account.
 */
import { randomInt, randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { done } from './fixtures.ts';
import { type Answer, HttpClient, type Json } from './http-client.ts';

export const PASSWORD = 'Right-pass-1';
export const WRONG_PASSWORD = 'Wrong-pass-1';

export async function queryDatabase<T = Json>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}

export const newName = (): string => `in-${randomUUID().slice(0, 8)}`;

/** Returns a client without a session. No other test uses its address, because limits are counted per address. */
export const newAnonymousClient = (): HttpClient =>
  new HttpClient(inject('baseUrl'), `2001:db8:${[1, 2].map(() => randomInt(0x10000).toString(16)).join(':')}::1`);

export interface Account {
  id: number;
  username: string;
  email: string;
}

/** Creates a user who has a password and has never signed in. */
export async function createAccount(admin: HttpClient, user: Json = {}): Promise<Account> {
  const username = newName();
  const email = `${username}@example.com`;
  const profile = { username, email, password: PASSWORD, roleId: 4, requirePasswordChange: false, ...user };
  return { id: done(await admin.post('/api/users', profile)).id, username, email };
}

/** Tries a wrong password several times, each time from a new client. */
export async function failSignIns(name: string, times: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let time = 0; time < times; time++) answers.push(await newAnonymousClient().signIn(name, WRONG_PASSWORD));
  return answers;
}

/** Returns the parts of a response that an attacker can compare, without the values that differ in every response. */
export const comparableResponse = ({ status, body, headers }: Answer) => ({
  status,
  body: { ...body, requestId: '' },
  headers: [...headers]
    .filter(([name]) => !['date', 'x-request-id'].includes(name))
    .map(([name, value]) => [name, comparableHeader(name, value)]),
});

/** Removes the value of `ETag`, and rounds `Retry-After`, which decreases during the test, up to minutes. */
function comparableHeader(name: string, value: string): string {
  if (name === 'etag') return '';
  return name === 'retry-after' ? String(Math.ceil(Number(value) / 60)) : value;
}

/** Waits until the audit log has an entry about the user with this action; returns the entry. */
export async function waitForUserEvent(admin: HttpClient, id: number, action: string): Promise<Json> {
  const isMatch = (item: Json) => item.action === action && item.entityId === id;
  const { body } = await admin.eventually('/api/audit-logs?kind=user&pageSize=1000&sort=seq&order=DESC', (answer) =>
    answer.body.items.some(isMatch),
  );
  return body.items.find(isMatch);
}

function outboxPath(email: string): string {
  const condition = { field: 'to', operator: 'equals', value: email.toLowerCase() };
  return `/api/mail-outbox?filter=${encodeURIComponent(JSON.stringify({ logic: 'AND', conditions: [condition] }))}`;
}

/** Returns the mails to an address, newest first. */
export async function mailsTo(admin: HttpClient, email: string): Promise<Json[]> {
  return done(await admin.get(outboxPath(email))).items;
}

/** Returns the token of the reset link in a text; an empty text if there is no link. */
export const tokenOf = (text: string): string => /reset-password\?token=([\w-]+)/.exec(text)?.[1] ?? '';

export const tokenIn = (mail: Json): string => tokenOf(mail.text);

/** Waits until all requests for a reset link are processed, because the answers precede the mails. */
export async function waitForResetMails(): Promise<void> {
  for (;;) {
    const [{ waiting }] = (await queryDatabase('SELECT count(*)::integer AS waiting FROM identity.reset_requests')) as [
      { waiting: number },
    ];
    if (waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Requests a reset link; returns the token in the mail. */
export async function requestResetToken(admin: HttpClient, email: string): Promise<string> {
  done(await newAnonymousClient().post('/api/reset-password/request', { email }));
  await waitForResetMails();
  return tokenIn((await mailsTo(admin, email))[0]);
}
