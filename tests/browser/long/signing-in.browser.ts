/**
 * Variations of the sign-in, the end of a session and the password change, and details of the shell (specification §2,
 * §4, §5, §6, §8).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, fillSignIn, signIn, signInByApi, test } from '../fixtures.ts';
import { createUsername, FIRST_PASSWORD, sessionFlag, toasts } from '../test-users.ts';

test.use({ reusesPages: true });

const NEXT_PASSWORD = 'Next-password-2';

const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Sidebar' });

test.describe('signing in', () => {
  test('accepts the e-mail address in place of the username', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const page = await openFor('anonymous');
    await signIn(page, `${username}@example.com`, FIRST_PASSWORD);
    await expect(page.getByText(`Welcome, ${username}`).first()).toBeVisible();
  });

  test('shows a hidden password on request', async ({ openFor }) => {
    const page = await openFor('anonymous');
    await page.goto('/auth');
    const password = page.getByLabel('Password', { exact: true });
    await expect(password).toHaveAttribute('type', 'password');
    await page.getByRole('button', { name: 'Show password' }).click();
    await expect(password).toHaveAttribute('type', 'text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    await expect(password).toHaveAttribute('type', 'password');
  });

  for (const [error, title, text] of [
    [
      'okta_auth_failed',
      'OKTA Authentication Failed',
      'Unable to authenticate with OKTA. Please try again or contact your administrator.',
    ],
    ['callback_error', 'Authentication Callback Error', ''],
    ['access_denied', 'Access Denied', ''],
    ['invalid_request', 'Invalid Request', ''],
    ['server_error&error_description=The+provider+is+down', '', 'The provider is down'],
  ] as const) {
    test(`reports a failed single sign-on in a toast: ${error}`, async ({ openFor }) => {
      const page = await openFor('anonymous');
      await page.goto(`/auth?error=${error}`);
      if (title !== '') await expect(toasts(page).getByText(title, { exact: true })).toBeVisible();
      if (text !== '') await expect(toasts(page).getByText(text, { exact: true })).toBeVisible();
    });
  }
});

test.describe('the session', () => {
  test('is also valid in a new tab', async ({ openFor }) => {
    const page = await openFor('steward');
    const tab = await page.context().newPage();
    await tab.goto('/monitor');
    await expect(tab.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();
    expect(await sessionFlag(tab)).not.toBeNull();
  });

  test('ends on a page without live updates when its next request is refused', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const page = await openFor('anonymous', { unshared: true });
    await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.route('**/socket.io/**', (route) => route.abort());
    await signInByApi(page, username, FIRST_PASSWORD);
    await page.goto('/reference-types');
    await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toHaveAttribute('aria-busy', 'false');
    // When no request of the page is pending, its next request is that of the click.
    await page.waitForLoadState('networkidle');

    await callApi(page, 'POST', '/api/logout');
    const userRequests: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/user')) userRequests.push(request.url());
    });
    // A mouse movement would send a heartbeat, whose answer would end the session on the page before the click.
    await page.evaluate(() =>
      document
        .querySelector('a[href="/monitor"]')
        ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })),
    );
    await expect(page).toHaveURL(/\/auth$/);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(await sessionFlag(page)).toBeNull();
    expect(userRequests).toEqual([]);
  });
});

test.describe('access to pages', () => {
  test('redirects from a page that the user may not open, and shows only permitted entries', async ({ openFor }) => {
    const viewer = await openFor('viewer');
    await viewer.goto('/approvals');
    await expect(viewer).toHaveURL(/:\d+\/$/);
    const entries = sidebar(viewer).getByRole('link');
    await expect(entries.filter({ hasText: 'Reference Data Types' })).toHaveCount(1);
    await expect(entries.filter({ hasText: 'Monitor' })).toHaveCount(1);
    await expect(entries.filter({ hasText: 'Approvals Dashboard' })).toHaveCount(0);

    const approver = await openFor('approver');
    await approver.goto('/');
    await expect(sidebar(approver).getByRole('link', { name: 'Approvals Dashboard' })).toBeVisible();
  });

  test('shows an administrator that an address has no page', async ({ openFor }) => {
    const page = await openFor('admin');
    await page.goto('/no-such-page');
    await expect(page.getByText('There is no page at this address')).toBeVisible();
  });
});

test.describe('the change of a password', () => {
  const field = (page: Page, label: 'Current Password' | 'New Password' | 'Confirm New Password') =>
    page.getByRole('dialog').getByLabel(new RegExp(`^${label}`));

  test('shows a form in place of any page while the change is required', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin, { requirePasswordChange: true });
    const page = await openFor('anonymous');
    await page.goto('/reference-types');
    await fillSignIn(page, username, FIRST_PASSWORD);

    const dialog = page.getByRole('dialog', { name: 'Change Password Required' });
    await expect(dialog).toBeVisible();
    await expect(page.locator('nav')).toHaveCount(0);
    await expect(dialog.getByRole('button', { name: 'Show password' })).toHaveCount(3);
    await expect(dialog).toContainText('For your security, you are signed out after the change');
    await page.goto('/monitor');
    await expect(dialog).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Monitor' })).toHaveCount(0);

    await field(page, 'New Password').fill('Short-1');
    await expect(dialog.getByText('Password must be at least 10 characters')).toBeVisible();
    await field(page, 'New Password').fill('alllowercase1');
    await expect(
      dialog.getByText(
        'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character',
      ),
    ).toBeVisible();
    await field(page, 'New Password').fill(NEXT_PASSWORD);
    await field(page, 'Confirm New Password').fill('Something-else-3');
    await expect(dialog.getByText("Passwords don't match")).toBeVisible();
    await field(page, 'Confirm New Password').fill('');
    await expect(dialog.getByText('Please confirm your password')).toBeVisible();
    await dialog.getByRole('button', { name: 'Change Password' }).click();
    await expect(dialog.getByText('Current password is required')).toBeVisible();

    await field(page, 'Current Password').fill('Not-the-password-1');
    await field(page, 'Confirm New Password').fill(NEXT_PASSWORD);
    await dialog.getByRole('button', { name: 'Change Password' }).click();
    const alert = dialog.getByRole('alert').filter({ hasText: 'Failed to change password' });
    await expect(alert).toBeVisible();
    await expect(alert).toContainText(/current password/i);
  });

  test('signs out when the dialog of a required change is closed', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin, { requirePasswordChange: true });
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await fillSignIn(page, username, FIRST_PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Close and sign out' }).click();
    await expect(page).toHaveURL(/\/auth$/);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  });

  test('opens from the account menu', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/');
    await page.getByRole('button', { name: 'Account of Sam Steward' }).click();
    await expect(page.getByRole('menu')).toContainText('steward@example.com');
    await page.getByRole('menuitem', { name: 'Change Password' }).click();
    await expect(page.getByRole('dialog', { name: 'Change Password' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});

test.describe('the shell', () => {
  test('shows the sidebar as a sheet of 18 rem on a phone', async ({ openFor }) => {
    const page = await openFor('steward', { width: 390, height: 844 });
    await page.goto('/');
    await expect(sidebar(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const sheet = page.getByRole('dialog', { name: 'Navigation' });
    await expect(sheet).toBeVisible();
    await expect.poll(async () => (await sheet.getByRole('navigation').boundingBox())?.width).toBe(18 * 16);
    await sheet.getByRole('link', { name: 'Monitor' }).click();
    await expect(page).toHaveURL(/\/monitor$/);
    await expect(sheet).toBeHidden();
  });

  test('remembers in each tab whether the Administration section is open', async ({ openFor }) => {
    const page = await openFor('admin');
    await page.goto('/');
    const section = sidebar(page).getByRole('button', { name: 'Administration' });
    await expect(section).toHaveAttribute('aria-expanded', 'false');
    await expect(sidebar(page).getByRole('link', { name: 'Audit Logs' })).toHaveCount(0);
    await section.click();
    await expect(sidebar(page).getByRole('link', { name: 'Audit Logs' })).toBeVisible();
    await page.reload();
    await expect(section).toHaveAttribute('aria-expanded', 'true');
    const tab = await page.context().newPage();
    await tab.goto('/');
    await expect(sidebar(tab).getByRole('button', { name: 'Administration' })).toHaveAttribute(
      'aria-expanded',
      'false',
    );
  });

  test('has no right-click menu and prevents dragging of images', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/');
    await expect(page.getByRole('main')).toContainText('Welcome');
    await page.evaluate(() => {
      const recordEvent = (name: string) => (event: Event) =>
        document.body.setAttribute(name, String(event.defaultPrevented));
      window.addEventListener('contextmenu', recordEvent('data-menu-prevented'));
      window.addEventListener('dragstart', recordEvent('data-drag-prevented'));
      const image = document.createElement('img');
      document.body.append(image);
      image.dispatchEvent(new DragEvent('dragstart', { bubbles: true, cancelable: true }));
    });
    await page.getByRole('main').click({ button: 'right' });
    await expect(page.locator('body')).toHaveAttribute('data-menu-prevented', 'true');
    await expect(page.locator('body')).toHaveAttribute('data-drag-prevented', 'true');
  });

  test('zooms the page in steps of ten per cent with the control in the corner', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/');
    const control = page.getByRole('region', { name: 'Zoom' });
    const box = () => page.getByRole('banner').boundingBox();
    const before = (await box())?.height ?? 0;
    // The focus shows the control even if it was hidden.
    await control.getByRole('button', { name: 'Zoom in' }).focus();
    await control.getByRole('button', { name: 'Zoom in' }).click();
    await expect(control).toContainText('110%');
    await expect.poll(async () => Math.round(((await box())?.height ?? 0) * 10)).toBe(Math.round(before * 11));
    await page.reload();
    await expect(control).toContainText('110%');
    await control.getByRole('button', { name: 'Zoom 110%, reset' }).focus();
    await control.getByRole('button', { name: 'Zoom 110%, reset' }).click();
    await expect(control).toContainText('100%');
    for (let zoom = 90; zoom >= 50; zoom -= 10) {
      await control.getByRole('button', { name: 'Zoom out' }).click();
      await expect(control).toContainText(`${zoom}%`);
    }
    await expect(control.getByRole('button', { name: 'Zoom out' })).toBeDisabled();

    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.mouse.move(900, 300);
    await expect(control).toHaveCSS('opacity', '0');
    await page.mouse.move(40, 880);
    await expect(control).toHaveCSS('opacity', '1');
  });

  test('shows one toast at a time, closes it after its duration and keeps it in the history', async ({ openFor }) => {
    const page = await openFor('steward', { unshared: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.clock.install();
    await page.goto('/reference-types-debug');
    await page.getByRole('button', { name: /^\d+ Country v/ }).click();
    const copy = page.getByRole('button', { name: 'Copy stored schema of Country' });
    await expect(copy).toBeVisible();
    // Stop the clock while checking the toast, because it is shown for only one second.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000);
    await copy.click();
    await copy.click();
    await expect(toasts(page)).toHaveCount(1);
    await expect(toasts(page)).toContainText('Copied');
    // Waits until the second toast has replaced the first one.
    await expect.poll(async () => (await toasts(page).boundingBox())?.width).toBe(250);
    await page.clock.runFor(2_000);
    await expect(toasts(page)).toHaveCount(0);
    await page.clock.resume();

    await page.getByRole('button', { name: /^Notifications/ }).click();
    await expect(page.getByRole('dialog', { name: 'Notifications' }).getByText('Copied')).toHaveCount(2);
  });

  test('finds a page in the command palette only if the user may open the page', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/');
    await expect(page.getByRole('main')).toContainText('Welcome');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox');
    await search.fill('debug');
    await expect(page.getByRole('option', { name: 'Debug schemas' })).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/reference-types-debug$/);

    await page.keyboard.press('Control+k');
    await search.fill('audit');
    // The palette offers the help about the page, which every user may read, but not the page.
    await expect(page.getByRole('option', { name: 'Audit Logs', exact: true })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(search).toHaveCount(0);
  });

  test('scrolls back to the top of a page that is scrolled by more than 300 pixels', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/help');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const button = page.getByRole('button', { name: 'Back to top' });
    await expect(button).toHaveCount(0);
    const list = page.locator('[data-scrolls]:has(h1)').last();
    await list.evaluate((element) => element.scrollTo(0, 300));
    await expect.poll(() => list.evaluate(({ scrollTop }) => scrollTop)).toBe(300);
    await expect(button).toHaveCount(0);
    await list.evaluate((element) => element.scrollTo(0, 301));
    await button.click();
    await expect(button).toHaveCount(0);
  });
});
