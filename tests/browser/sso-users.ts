/** Starts the product with a sign-in provider, adds users to the provider, and signs them in. */
import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { Claims } from '../sso/provider.ts';
import { type SsoStack, startWithProvider } from '../sso/stack.ts';
import { test as base } from './fixtures.ts';

// `stack` is no worker fixture, because Playwright would run files with such a fixture in a separate worker at the end.
let started: SsoStack;
export const test = base.extend<{ baseUrl: string; stack: SsoStack }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a pattern even if the fixture uses no other fixture.
  stack: async ({}, use) => {
    await use(started);
  },
  baseUrl: async ({ stack }, use) => {
    await use(stack.baseUrl);
  },
});

/** Starts the product and the provider before the tests of a file, and stops both after them. */
export function startProviderForFile(): void {
  test.beforeAll(async () => {
    started = await startWithProvider();
  });
  test.afterAll(() => started.stop());
}

export const toasts = (page: Page) => page.locator('[role="region"][aria-label^="Notifications"] li');
export const ssoButton = (page: Page) => page.getByRole('button', { name: 'Sign in with Okta' });

/** Adds a user to the provider; returns the subject, the id of the user at the provider. */
export function addProviderUser(stack: SsoStack, claims: Claims = {}): string {
  const name = `p${randomUUID().slice(0, 8)}`;
  stack.provider.people.set(name, {
    email: `${name}@example.com`,
    email_verified: true,
    preferred_username: name,
    name: `Person ${name}`,
    ...claims,
  });
  return name;
}

/** Goes to the provider from the sign-in page. */
export async function goToProvider(page: Page, stack: SsoStack): Promise<void> {
  await page.goto('/auth');
  await ssoButton(page).click();
  await page.waitForURL((url) => url.origin === stack.provider.issuer);
}

/** Matches the address of the sign-in page with or without a query. */
export const signInPage = ({ baseUrl }: SsoStack) => new RegExp(`^${baseUrl}/auth(\\?|$)`);

export const chooseUser = (page: Page, subject: string) =>
  page.getByRole('button', { name: subject, exact: true }).click();

export const statusOfUserRequest = async (page: Page, stack: SsoStack): Promise<number> =>
  (await page.request.get(`${stack.baseUrl}/api/user`)).status();
