/** Starts the product with a sign-in provider, adds users to the provider, and sends their tokens to the product. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { Flow } from '../sso/browser-flow.ts';
import type { Claims } from '../sso/provider.ts';
import { ADMIN_PASSWORD, type SsoStack, startWithProvider } from '../sso/stack.ts';
import { done } from './fixtures.ts';
import { type Answer, HttpClient } from './http-client.ts';

export let stack: SsoStack;
export let anonymous: HttpClient;
export let admin: HttpClient;
export let database: pg.Pool;

/** Adds a new user to the provider. */
export function addProviderUser(claims: Claims = {}): { subject: string; email: string } {
  const name = `p${randomUUID().slice(0, 8)}`;
  const email = `${name}@example.com`;
  stack.provider.people.set(name, { email, email_verified: true, preferred_username: name, name, ...claims });
  return { subject: name, email };
}

let addressCount = 0;
/** Returns another IP address on each call. */
export const newAddress = () => `198.18.${Math.floor(++addressCount / 256)}.${addressCount % 256}`;

/** Sends the token of the provider to the product, as the browser of this flow. */
export const postToken = (
  idToken: string,
  flow: Pick<Flow, 'cookie'>,
  headers: Record<string, string> = {},
  address = newAddress(),
): Promise<Answer> =>
  new HttpClient(stack.baseUrl, address).post(
    '/api/okta-login',
    { id_token: idToken },
    { headers: { Cookie: flow.cookie, ...headers } },
  );

/** Starts the product and its provider before the tests of a file. */
export function startSsoStack(): void {
  beforeAll(async () => {
    stack = await startWithProvider();
    anonymous = new HttpClient(stack.baseUrl);
    admin = new HttpClient(stack.baseUrl);
    done(await admin.signIn('admin', ADMIN_PASSWORD));
    database = new pg.Pool({ connectionString: stack.stack.databaseUrl, max: 2 });
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
  });
}
