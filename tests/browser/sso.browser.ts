/** Single sign-on in the browser, and attempts to manipulate it (specification §2, §4, §8, §9). */
import { createHash, randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { ADMINISTRATOR_ROLE_ID } from '@rdm/contracts';
import type { Claims } from '../sso/provider.ts';
import { ADMIN_PASSWORD, type SsoStack, startWithProvider } from '../sso/stack.ts';
import { expectAccessibleInBothThemes } from './axe.ts';
import { test as base, expect } from './fixtures.ts';
import { recordToasts } from './test-users.ts';

// Not a worker fixture: Playwright would run this file alone after all others, because it needs another worker.
let started: SsoStack;
const test = base.extend<{ baseUrl: string; stack: SsoStack }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a pattern even where nothing is used.
  stack: async ({}, use) => {
    await use(started);
  },
  baseUrl: async ({ stack }, use) => {
    await use(stack.baseUrl);
  },
});
test.beforeAll(async () => {
  started = await startWithProvider();
});
test.afterAll(() => started.stop());

test.use({ reusesPages: true });

const WELCOME = ['Welcome', 'Logged in via the single sign-on provider successfully'];
const toasts = (page: Page) => page.locator('[role="region"][aria-label^="Notifications"] li');
const ssoButton = (page: Page) => page.getByRole('button', { name: 'Sign in with Okta' });

/** Adds a user to the provider; returns the subject. */
function addProviderUser(stack: SsoStack, claims: Claims = {}): string {
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
async function goToProvider(page: Page, stack: SsoStack): Promise<void> {
  await page.goto('/auth');
  await ssoButton(page).click();
  await page.waitForURL((url) => url.origin === stack.provider.issuer);
}

/** The address of the sign-in page, also with an error that it shows. */
const signInPage = ({ baseUrl }: SsoStack) => new RegExp(`^${baseUrl}/auth(\\?|$)`);

const choose = (page: Page, subject: string) => page.getByRole('button', { name: subject, exact: true }).click();

async function signInAs(page: Page, stack: SsoStack, subject: string): Promise<void> {
  await goToProvider(page, stack);
  await choose(page, subject);
  await page.waitForURL((url) => url.origin === stack.baseUrl && !url.pathname.startsWith('/auth'));
}

const statusOfUser = async (page: Page, stack: SsoStack): Promise<number> =>
  (await page.request.get(`${stack.baseUrl}/api/user`)).status();

interface StoredFlow {
  verifier: string;
  state: string;
  returnTo: string;
}

/** Reads and changes the flow that the browser stores, as a user of this browser could. */
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
    await choose(page, subject);
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
    await choose(page, subject);
    await expect.poll(() => shownToasts).toContainEqual(WELCOME);
    await expect(page).toHaveURL(`${stack.baseUrl}/`);

    await page.getByRole('button', { name: `Account of Person ${subject}` }).click();
    const menu = page.getByRole('menu');
    await expect(menu.getByText(`${subject}@example.com`)).toBeVisible();
    await expect(menu.getByText('OKTA', { exact: true })).toBeVisible();
    await expect(menu.getByRole('menuitem')).toHaveText(['Your account', 'Logout']);
    await page.keyboard.press('Escape');
    await page.goto('/change-password');
    await expect(page.getByText('Your password is kept by OKTA; change it there.')).toBeVisible();
    await expect(page.getByLabel(/Current Password/)).toHaveCount(0);

    await page.getByRole('button', { name: `Account of Person ${subject}` }).click();
    const ending = page.waitForRequest((request) => request.url().includes('/session/end?'));
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    const parameters = new URL((await ending).url()).searchParams;
    expect(parameters.get('post_logout_redirect_uri')).toBe(`${stack.baseUrl}/auth`);
    expect(parameters.get('id_token_hint')?.split('.')).toHaveLength(3);
    expect(await statusOfUser(page, stack)).toBe(401);
    await page.getByRole('button', { name: 'Sign out here too' }).click();
    await expect(page).toHaveURL(`${stack.baseUrl}/auth`);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain('sso_session');
    // The provider has ended its session as well: it requests the user again.
    await ssoButton(page).click();
    await expect(page.getByRole('button', { name: subject })).toBeVisible();
  });

  test('signs out at the provider from another tab as well', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await signInAs(page, stack, subject);
    const tab = await page.context().newPage();
    await tab.goto(`${stack.baseUrl}/help`);
    await tab.getByRole('button', { name: `Account of Person ${subject}` }).click();
    await tab.getByRole('menuitem', { name: 'Logout' }).click();
    await tab.getByRole('button', { name: 'Sign out here too' }).click();
    await expect(tab).toHaveURL(`${stack.baseUrl}/auth`);
    await expect(page).toHaveURL(/\/auth$/);
  });

  test('starts without a click when the address names the issuer', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await page.goto(`/reference-types?iss=${encodeURIComponent(stack.provider.issuer)}&q=Country`);
    await choose(page, subject);
    await expect(page).toHaveURL(`${stack.baseUrl}/reference-types?q=Country`);
    await expect(page.getByRole('heading', { level: 1, name: 'Reference Data Types' })).toBeVisible();
  });

  test('shows in a dialog why the product refuses a user', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack, { email: 'admin@example.com' });
    const page = await openFor('anonymous');
    await goToProvider(page, stack);
    await choose(page, subject);
    const dialog = page.getByRole('alertdialog', { name: 'Okta login failed' });
    await expect(dialog).toContainText('An account with your e-mail address exists already');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await expect(page).toHaveURL(`${stack.baseUrl}/auth`);
    expect(await statusOfUser(page, stack)).toBe(401);
  });

  test('shows the message of the provider when the user cancels there', async ({ openFor, stack }) => {
    const page = await openFor('anonymous');
    await goToProvider(page, stack);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(toasts(page)).toContainText('Access Denied');
    await expect(toasts(page)).toContainText('You are not assigned to this application');
    await expect(page).toHaveURL(signInPage(stack));
  });

  test('reports a provider that cannot be reached', async ({ openFor, stack }) => {
    const page = await openFor('anonymous');
    await page.route(`${stack.provider.issuer}/**`, (route) => route.abort());
    await page.goto('/auth');
    await ssoButton(page).click();
    const dialog = page.getByRole('alertdialog', { name: 'Okta login failed' });
    await expect(dialog).toContainText('The sign-in provider cannot be reached. Please try again.');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await expect(ssoButton(page)).toBeEnabled();
  });

  test('has an accessible button', async ({ openFor }) => {
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await expect(ssoButton(page)).toBeVisible();
    await expectAccessibleInBothThemes(page, 'the sign-in page');
  });
});

test.describe('an error in the address', () => {
  const LITERALLY = '<img src=x onerror="document.title=1">';
  for (const [path, query, title, text] of [
    [
      '/auth',
      'error=okta_auth_failed',
      'OKTA Authentication Failed',
      'Unable to authenticate with OKTA. Please try again or contact your administrator.',
    ],
    ['/', `error=else&error_description=${encodeURIComponent(LITERALLY)}`, 'Authentication Failed', LITERALLY],
  ] as const) {
    test(`is shown for eight seconds at ${path}, and is removed from the address with its toast`, async ({
      openFor,
      stack,
    }) => {
      const page = await openFor('anonymous', { unshared: true });
      await page.clock.install();
      await page.goto(`${path}?${query}`);
      const toast = toasts(page);
      await expect(toast.getByText(title, { exact: true })).toBeVisible();
      await expect(toast.getByText(text, { exact: true })).toBeVisible();
      // An anonymous user at `/` is redirected to the sign-in page.
      const addressWithToast = path === '/auth' ? `/auth?${query}` : '/auth';
      await expect(page).toHaveURL(`${stack.baseUrl}${addressWithToast}`);
      expect(await page.title()).not.toBe('1');
      // The clock keeps running: a busy machine takes seconds for these lines.
      await page.clock.fastForward(2_000);
      await expect(toast.getByText(title, { exact: true })).toBeVisible();
      await page.clock.fastForward(8_000);
      await expect(toast).toHaveCount(0);
      await expect(page).toHaveURL(`${stack.baseUrl}/auth`);
    });
  }

  test('offers to write to the administrator when access is denied', async ({ openFor }) => {
    const page = await openFor('anonymous');
    await page.goto('/auth?error=access_denied');
    await expect(toasts(page).getByRole('link', { name: 'Contact Admin' })).toHaveAttribute(
      'href',
      /^mailto:it@example\.com\?/,
    );
  });
});

test.describe('a manipulated sign-in', () => {
  /** Each starts a sign-in and ends it with an answer that the provider would not send; `sso-callback.spec.tsx` tests the other manipulations. */
  const MANIPULATIONS: [what: string, title: string, manipulate: (page: Page, stack: SsoStack) => Promise<void>][] = [
    [
      'an answer with another state',
      'Authentication Callback Error',
      async (page, stack) => {
        await page.goto(`/auth/callback?code=stolen&state=another&iss=${encodeURIComponent(stack.provider.issuer)}`);
      },
    ],
    [
      'an id_token with another nonce',
      'OKTA Authentication Failed',
      async (page, stack) => {
        await answerTokens(page, stack, (claims) => ({ ...claims, nonce: 'another' }));
        await choose(page, firstProviderUser(stack));
      },
    ],
  ];

  /** The user must exist before the page of the provider is loaded, because the page has a button for each user. */
  const firstProviderUser = (stack: SsoStack): string => [...stack.provider.people.keys()][0] ?? '';

  /** Replaces the id_token in the response, signed with the key of the provider. */
  async function answerTokens(page: Page, stack: SsoStack, change: (claims: Claims) => Claims): Promise<void> {
    await page.route(`${stack.provider.issuer}/token`, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { id_token: string };
      const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
      await route.fulfill({ response, json: { ...body, id_token: await stack.provider.sign(change(claims)) } });
    });
  }

  for (const [what, title, manipulate] of MANIPULATIONS) {
    test(`is refused: ${what}`, async ({ openFor, stack }) => {
      if (stack.provider.people.size === 0) addProviderUser(stack);
      const page = await openFor('anonymous');
      await goToProvider(page, stack);
      await manipulate(page, stack);
      await expect(toasts(page).getByText(title, { exact: true })).toBeVisible();
      await expect(page).toHaveURL(signInPage(stack));
      expect(await statusOfUser(page, stack)).toBe(401);
    });
  }

  test('is refused: a response that was used before', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await goToProvider(page, stack);
    const back = page.waitForRequest((request) => request.url().includes('/auth/callback?'));
    await choose(page, subject);
    const answer = (await back).url();
    await expect(page).toHaveURL(`${stack.baseUrl}/`);
    await page.request.post(`${stack.baseUrl}/api/logout`, { headers: { Origin: stack.baseUrl } });
    await page.goto(answer);
    await expect(toasts(page).getByText('Authentication Callback Error', { exact: true })).toBeVisible();
    expect(await statusOfUser(page, stack)).toBe(401);
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
    await choose(page, subject);
    await expect(page.getByRole('button', { name: `Account of Person ${subject}` })).toBeVisible();
    expect(new URL(page.url()).origin).toBe(stack.baseUrl);
    expect(foreignRequests).toEqual([]);
  });

  test('does not start with an unknown issuer, nor on the page that the provider redirects to', async ({
    openFor,
    stack,
  }) => {
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

test('an administrator of the provider signs in there again to download a backup', async ({ openFor, stack }) => {
  const subject = addProviderUser(stack);
  const page = await openFor('anonymous');
  await signInAs(page, stack, subject);
  const administrator = await openFor('anonymous');
  const call = (method: string, path: string, data?: object) =>
    administrator.request.fetch(`${stack.baseUrl}${path}`, { method, data, headers: { Origin: stack.baseUrl } });
  await call('POST', '/api/login', { username: 'admin', password: ADMIN_PASSWORD });
  const { id } = await (await page.request.get(`${stack.baseUrl}/api/user`)).json();
  expect((await call('PATCH', `/api/users/${id}`, { roleId: ADMINISTRATOR_ROLE_ID })).ok()).toBe(true);

  await page.goto('/admin/database-backup');
  await page.getByRole('button', { name: 'Back up now' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Back up' }).click();
  const row = page.getByRole('row').filter({ hasText: '.tar.gz' });
  await expect(row).toContainText('Intact');
  const openDownload = async () => {
    await row.getByRole('button', { name: /^Actions for row/ }).click();
    await page.getByRole('menuitem', { name: 'Download', exact: true }).click();
    return page.getByRole('dialog', { name: 'Download this backup' });
  };

  const dialog = await openDownload();
  await expect(dialog.getByRole('button', { name: 'Download' })).toBeDisabled();
  await expectAccessibleInBothThemes(page, 'a dialog that requires a new sign-in');
  await dialog.getByRole('button', { name: 'Sign in with Okta' }).click();
  await page.waitForURL((url) => url.origin === stack.provider.issuer);
  await choose(page, subject);
  await page.waitForURL((url) => url.pathname === '/admin/database-backup');
  await expect.poll(() => toasts(page).allInnerTexts()).toContainEqual(expect.stringContaining('You signed in again'));

  const secondDownload = await openDownload();
  await expect(secondDownload.getByText('You signed in again with Okta.')).toBeVisible();
  const file = page.waitForEvent('download');
  await secondDownload.getByRole('button', { name: 'Download' }).click();
  expect((await file).suggestedFilename()).toMatch(/^rdm-.*\.tar\.gz$/);

  // A sign-in confirms one action, so the next one requires another; if it is cancelled, the user returns to the page as well.
  const third = await openDownload();
  await third.getByRole('button', { name: 'Sign in with Okta' }).click();
  await page.waitForURL((url) => url.origin === stack.provider.issuer);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL((url) => url.pathname === '/admin/database-backup');
  await expect(page.getByText('You did not sign in again')).toBeVisible();
});
