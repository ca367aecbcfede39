/**
 * Single sign-on in the browser: refused and cancelled sign-ins, errors in the address, and the new sign-in that the
 * download of a backup requires (specification §2, §4, §8, §9).
 */
import type { Page } from '@playwright/test';
import { ADMINISTRATOR_ROLE_ID } from '@rdm/contracts';
import { ADMIN_PASSWORD, type SsoStack } from '../../sso/stack.ts';
import { expectAccessibleInBothThemes } from '../axe.ts';
import { expect } from '../fixtures.ts';
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
} from '../sso-users.ts';

startProviderForFile();
test.use({ reusesPages: true });

async function signInAs(page: Page, stack: SsoStack, subject: string): Promise<void> {
  await goToProvider(page, stack);
  await chooseUser(page, subject);
  await page.waitForURL((url) => url.origin === stack.baseUrl && !url.pathname.startsWith('/auth'));
}

test.describe('signing in through the provider', () => {
  test('signs out at the provider and in all tabs when the user logs out in one tab', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await signInAs(page, stack, subject);
    const secondTab = await page.context().newPage();
    await secondTab.goto(`${stack.baseUrl}/help`);
    await secondTab.getByRole('button', { name: `Account of Person ${subject}` }).click();
    await secondTab.getByRole('menuitem', { name: 'Logout' }).click();
    await secondTab.getByRole('button', { name: 'Sign out here too' }).click();
    await expect(secondTab).toHaveURL(`${stack.baseUrl}/auth`);
    await expect(page).toHaveURL(/\/auth$/);
  });

  test('starts without a click when the address names the issuer', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack);
    const page = await openFor('anonymous');
    await page.goto(`/reference-types?iss=${encodeURIComponent(stack.provider.issuer)}&q=Country`);
    await chooseUser(page, subject);
    await expect(page).toHaveURL(`${stack.baseUrl}/reference-types?q=Country`);
    await expect(page.getByRole('heading', { level: 1, name: 'Reference Data Types' })).toBeVisible();
  });

  test('shows in a dialog why the product refuses a user', async ({ openFor, stack }) => {
    const subject = addProviderUser(stack, { email: 'admin@example.com' });
    const page = await openFor('anonymous');
    await goToProvider(page, stack);
    await chooseUser(page, subject);
    const dialog = page.getByRole('alertdialog', { name: 'Okta login failed' });
    await expect(dialog).toContainText('An account with your e-mail address exists already');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await expect(page).toHaveURL(`${stack.baseUrl}/auth`);
    expect(await statusOfUserRequest(page, stack)).toBe(401);
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
  const HTML = '<img src=x onerror="document.title=1">';
  for (const [path, query, title, text] of [
    [
      '/auth',
      'error=okta_auth_failed',
      'OKTA Authentication Failed',
      'Unable to authenticate with OKTA. Please try again or contact your administrator.',
    ],
    ['/', `error=else&error_description=${encodeURIComponent(HTML)}`, 'Authentication Failed', HTML],
  ] as const) {
    test(`is shown for several seconds at ${path}, then removed from the address`, async ({ openFor, stack }) => {
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
      // Advance by only two of the eight seconds: the installed clock also runs by itself while a busy machine executes
      // these lines.
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

test('the download of a backup requires a new sign-in at the provider', async ({ openFor, stack }) => {
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
  await chooseUser(page, subject);
  await page.waitForURL((url) => url.pathname === '/admin/database-backup');
  await expect
    .poll(() => toasts(page).allInnerTexts())
    .toContainEqual(expect.stringContaining('You confirmed your identity'));

  const secondDownload = await openDownload();
  await expect(secondDownload.getByText('You signed in again with Okta.')).toBeVisible();
  const file = page.waitForEvent('download');
  await secondDownload.getByRole('button', { name: 'Download' }).click();
  expect((await file).suggestedFilename()).toMatch(/^rdm-.*\.tar\.gz$/);

  // A sign-in confirms one download only. Cancelling the sign-in also leads back to the page.
  const thirdDownload = await openDownload();
  await thirdDownload.getByRole('button', { name: 'Sign in with Okta' }).click();
  await page.waitForURL((url) => url.origin === stack.provider.issuer);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL((url) => url.pathname === '/admin/database-backup');
  await expect(page.getByText('Your identity was not confirmed')).toBeVisible();
});
