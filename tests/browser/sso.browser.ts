/** Single sign-on in the browser, and attempts to manipulate it (specification §2, §4, §8, §9). */
import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { Claims } from '../sso/provider.ts';
import type { SsoStack } from '../sso/stack.ts';
import { expect } from './fixtures.ts';
import {
  addProviderUser,
  chooseUser,
  goToProvider,
  signInPage,
  ssoButton,
  startProviderForFile,
  statusOfUserRequest,
  test,
  toasts,
} from './sso-users.ts';
import { recordToasts } from './test-users.ts';

startProviderForFile();
test.use({ reusesPages: true });

const WELCOME = ['Welcome', 'Logged in via the single sign-on provider successfully'];

interface StoredFlow {
  verifier: string;
  state: string;
  returnTo: string;
}

/** Changes the sign-in flow that the browser stores, as a user of this browser could, and returns it. */
async function changeStoredFlow(page: Page, stack: SsoStack, change: Partial<StoredFlow> = {}): Promise<StoredFlow> {
  const otherPage = await page.context().newPage();
  await otherPage.goto(`${stack.baseUrl}/favicon.svg`);
  const flow = await otherPage.evaluate((changed) => {
    const flow = { ...JSON.parse(localStorage.getItem('sso_flow') ?? '{}'), ...changed };
    localStorage.setItem('sso_flow', JSON.stringify(flow));
    return flow;
  }, change);
  await otherPage.close();
  return flow;
}

test.describe('signing in through the provider', () => {
  test('uses PKCE, and leads back to the link that the user came with', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await page.goto('/reference-types?q=Country');
    await expect(page).toHaveURL(/\/auth$/);
    const requests = page.waitForRequest((request) => request.url().startsWith(`${stack.provider.issuer}/auth?`));
    await ssoButton(page).click();
    const parameters = new URL((await requests).url()).searchParams;
    await expect(page.getByRole('button', { name: subject })).toBeVisible();

    const cookie = (await page.context().cookies(`${stack.baseUrl}/api/user`)).find(({ name }) => name === 'sso_flow');
    const [verifier = '', state] = cookie?.value.split('.') ?? [];
    expect(cookie).toMatchObject({ sameSite: 'Lax', path: '/api', domain: '127.0.0.1' });
    expect(cookie?.expires).toBeLessThanOrEqual(Date.now() / 1_000 + 600);
    // 64 random bytes in URL-safe base64.
    expect(Buffer.from(verifier, 'base64url')).toHaveLength(64);
    expect(verifier).toMatch(/^[\w-]{86}$/);
    expect(await changeStoredFlow(page, stack)).toMatchObject({
      verifier,
      state,
      returnTo: '/reference-types?q=Country',
    });
    expect(Object.fromEntries(parameters)).toMatchObject({
      client_id: 'reference-data',
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${stack.baseUrl}/auth/callback`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
    });

    const shownToasts = await recordToasts(page);
    await chooseUser(page, subject);
    await expect.poll(() => shownToasts).toContainEqual(WELCOME);
    await expect(page).toHaveURL(/\/reference-types\?q=Country$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Reference Data Types' })).toBeVisible();
    const remainingCookies = (await page.context().cookies(`${stack.baseUrl}/api/user`)).map(({ name }) => name);
    expect(remainingCookies).not.toContain('sso_flow');
    expect(await page.evaluate(() => localStorage.getItem('sso_flow'))).toBeNull();
  });

  test('welcomes on the home page, shows the sign-in method, and signs out at the provider too', async ({
    openFor,
    stack,
  }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await goToProvider(page, stack);
    const shownToasts = await recordToasts(page);
    await chooseUser(page, subject);
    await expect.poll(() => shownToasts).toContainEqual(WELCOME);
    await expect(page).toHaveURL(`${stack.baseUrl}/`);

    await page.getByRole('button', { name: `Account of Person ${subject}` }).click();
    const menu = page.getByRole('menu');
    await expect(menu.getByText(`${subject}@example.com`)).toBeVisible();
    await expect(menu.getByText('OKTA', { exact: true })).toBeVisible();
    await expect(menu.getByRole('menuitem')).toHaveText(['Your account', 'Logout']);
    await page.keyboard.press('Escape');
    await page.goto('/change-password');
    await expect(page.getByText('Your password is stored by OKTA. Change it there.')).toBeVisible();
    await expect(page.getByLabel(/Current Password/)).toHaveCount(0);

    await page.getByRole('button', { name: `Account of Person ${subject}` }).click();
    const ending = page.waitForRequest((request) => request.url().includes('/session/end?'));
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    const parameters = new URL((await ending).url()).searchParams;
    expect(parameters.get('post_logout_redirect_uri')).toBe(`${stack.baseUrl}/auth`);
    expect(parameters.get('id_token_hint')?.split('.')).toHaveLength(3);
    expect(await statusOfUserRequest(page, stack)).toBe(401);
    await page.getByRole('button', { name: 'Sign out here too' }).click();
    await expect(page).toHaveURL(`${stack.baseUrl}/auth`);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain('sso_session');
    // The provider has ended its own session too, so it shows its sign-in page.
    await ssoButton(page).click();
    await expect(page.getByRole('button', { name: subject })).toBeVisible();
  });
});

test.describe('a manipulated sign-in', () => {
  /** Manipulated responses to a sign-in. `sso-callback.spec.tsx` tests further manipulations. */
  const MANIPULATIONS: [name: string, title: string, manipulate: (page: Page, stack: SsoStack) => Promise<void>][] = [
    [
      'a response with another state',
      'Authentication Callback Error',
      async (page, stack) => {
        await page.goto(`/auth/callback?code=stolen&state=another&iss=${encodeURIComponent(stack.provider.issuer)}`);
      },
    ],
    [
      'an id_token with another nonce',
      'OKTA Authentication Failed',
      async (page, stack) => {
        await changeIdToken(page, stack, (claims) => ({ ...claims, nonce: 'another' }));
        await chooseUser(page, firstProviderUser(stack));
      },
    ],
  ];

  /** Returns the first user: the provider's page has buttons only for the users that existed when it was loaded. */
  const firstProviderUser = (stack: SsoStack): string => [...stack.provider.people.keys()][0] ?? '';

  /** Changes the claims of the id_token in the token response, and signs them with the key of the provider. */
  async function changeIdToken(page: Page, stack: SsoStack, change: (claims: Claims) => Claims): Promise<void> {
    await page.route(`${stack.provider.issuer}/token`, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { id_token: string };
      const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
      await route.fulfill({ response, json: { ...body, id_token: await stack.provider.sign(change(claims)) } });
    });
  }

  for (const [name, title, manipulate] of MANIPULATIONS) {
    test(`is refused: ${name}`, async ({ openFor, stack }) => {
      if (stack.provider.people.size === 0) addProviderUser(stack);
      const page = await openFor('anonymous');
      await goToProvider(page, stack);
      await manipulate(page, stack);
      await expect(toasts(page).getByText(title, { exact: true })).toBeVisible();
      await expect(page).toHaveURL(signInPage(stack));
      expect(await statusOfUserRequest(page, stack)).toBe(401);
    });
  }

  test('is refused: a response that was used before', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await goToProvider(page, stack);
    const back = page.waitForRequest((request) => request.url().includes('/auth/callback?'));
    await chooseUser(page, subject);
    const responseUrl = (await back).url();
    await expect(page).toHaveURL(`${stack.baseUrl}/`);
    await page.request.post(`${stack.baseUrl}/api/logout`, { headers: { Origin: stack.baseUrl } });
    await page.goto(responseUrl);
    await expect(toasts(page).getByText('Authentication Callback Error', { exact: true })).toBeVisible();
    expect(await statusOfUserRequest(page, stack)).toBe(401);
  });

  test('does not redirect to another site after the sign-in', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    const foreignRequests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('evil.example')) foreignRequests.push(request.url());
    });
    await goToProvider(page, stack);
    await changeStoredFlow(page, stack, { returnTo: '/.//evil.example/' });
    await chooseUser(page, subject);
    await expect(page.getByRole('button', { name: `Account of Person ${subject}` })).toBeVisible();
    expect(new URL(page.url()).origin).toBe(stack.baseUrl);
    expect(foreignRequests).toEqual([]);
  });

  test('does not start with an unknown issuer or on the callback page', async ({ openFor, stack }) => {
    const page = await openFor('anonymous');
    const requests: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(stack.baseUrl)) requests.push(request.url());
    });
    for (const path of [
      '/?iss=https%3A%2F%2Fevil.example',
      `/?issuer=${encodeURIComponent(`${stack.provider.issuer}.evil.example`)}`,
      `/auth?iss=${encodeURIComponent(`${stack.provider.issuer}@evil.example`)}`,
      `/auth/callback?iss=${encodeURIComponent(stack.provider.issuer)}`,
    ]) {
      await page.goto(path);
      await expect(ssoButton(page)).toBeVisible();
      expect(requests).toEqual([]);
    }
  });
});
