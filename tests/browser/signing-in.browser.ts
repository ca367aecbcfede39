/** Signing in and out, access to pages, and the frame around every page (specification §2, §4, §5, §6, §8). */
import type { Page } from '@playwright/test';
import { callApi, expect, fillSignIn, holdRequests, signIn, signInByApi, test, visit } from './fixtures.ts';
import { SAMPLE_PASSWORD } from './stack.ts';
import { createUsername, FIRST_PASSWORD, recordToasts, sessionFlag, toasts } from './test-users.ts';

test.use({ reusesPages: true });

const NEXT_PASSWORD = 'Next-password-2';
const ADMINISTRATORS_ONLY = [
  '/manage-users',
  '/roles',
  '/api-keys',
  '/audit-logs',
  '/admin/database-backup',
  '/admin/purge-data',
];

const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Sidebar' });

test.describe('signing in', () => {
  test('leads an anonymous user to the sign-in page and back to their link', async ({ openFor }) => {
    const page = await openFor('anonymous');
    const shownToasts = await recordToasts(page);
    await page.goto('/reference-types?q=Country#somewhere');
    await expect(page).toHaveURL(/\/auth$/);
    expect(await sessionFlag(page)).toBeNull();

    await fillSignIn(page, 'steward', SAMPLE_PASSWORD);
    await expect(page).toHaveURL(/\/reference-types\?q=Country#somewhere$/);
    await expect.poll(() => shownToasts.flat()).toContain('Logged in successfully');
    await expect(page.getByRole('heading', { level: 1, name: 'Reference Data Types' })).toBeVisible();
    expect(await sessionFlag(page)).not.toBeNull();
  });

  test('requires both fields before a request is sent', async ({ openFor }) => {
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('Username is required')).toBeVisible();
    await expect(page.getByText('Password is required')).toBeVisible();
  });

  test('reports a wrong password in a modal dialog, not in a toast', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await fillSignIn(page, username, 'Not-the-password-1');

    const dialog = page.getByRole('alertdialog', { name: 'Login failed' });
    await expect(dialog).toBeVisible();
    await expect(dialog).toContainText(/username or password/i);
    await expect(toasts(page)).toHaveCount(0);
    expect(await sessionFlag(page)).toBeNull();
    await dialog.getByRole('button', { name: 'OK' }).click();
    await expect(dialog).toBeHidden();

    await fillSignIn(page, username, FIRST_PASSWORD);
    await expect(page).toHaveURL(/\/$/);
  });

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
    test(`reports a failed single sign-on once: ${error}`, async ({ openFor }) => {
      const page = await openFor('anonymous');
      await page.goto(`/auth?error=${error}`);
      if (title !== '') await expect(toasts(page).getByText(title, { exact: true })).toBeVisible();
      if (text !== '') await expect(toasts(page).getByText(text, { exact: true })).toBeVisible();
    });
  }
});

test.describe('the session', () => {
  test('ends with Logout and leaves no data of the user in the tab', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const page = await openFor('anonymous');
    await signIn(page, username, FIRST_PASSWORD);
    await page.evaluate(() => {
      sessionStorage.setItem('preferredPageSize', '25');
      sessionStorage.setItem('sidebar-expanded-sections', '["administration"]');
    });

    await page.getByRole('button', { name: /^Account of/ }).click();
    const menu = page.getByRole('menu');
    await expect(menu).toContainText(username);
    await expect(menu).toContainText(`${username}@example.com`);
    await expect(menu.getByRole('menuitem', { name: 'Change Password' })).toBeVisible();
    await menu.getByRole('menuitem', { name: 'Logout' }).click();

    await expect(page).toHaveURL(/\/auth$/);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(
      await page.evaluate(() =>
        ['session_exists', 'preferredPageSize', 'sidebar-expanded-sections'].map((key) => sessionStorage.getItem(key)),
      ),
    ).toEqual([null, null, null]);
    await page.goto('/reference-types');
    await expect(page).toHaveURL(/\/auth$/);
  });

  test('opens links in a new tab without signing in again', async ({ openFor }) => {
    const page = await openFor('steward');
    const tab = await page.context().newPage();
    await tab.goto('/monitor');
    await expect(tab.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();
    expect(await sessionFlag(tab)).not.toBeNull();
  });

  test('ends on an open page at once when another request has ended it', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const page = await openFor('anonymous');
    await signInByApi(page, username, FIRST_PASSWORD);
    await page.goto('/reference-types');
    await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toBeVisible();
    await callApi(page, 'POST', '/api/logout');
    await expect(page).toHaveURL(/\/auth$/);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  });

  test('ends on an open page without live updates at the next call, and the page does not request the user again', async ({
    openFor,
  }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const page = await openFor('anonymous', { unshared: true });
    await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.route('**/socket.io/**', (route) => route.abort());
    await signInByApi(page, username, FIRST_PASSWORD);
    await page.goto('/reference-types');
    await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toHaveAttribute('aria-busy', 'false');
    // Once all calls of the page are answered, its next call is that of the click.
    await page.waitForLoadState('networkidle');

    await callApi(page, 'POST', '/api/logout');
    const userRequests: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/user')) userRequests.push(request.url());
    });
    // The test does not move the mouse: a movement counts as activity, for which the page sends another call. By this call it
    // would notice the end of the session before the click, and no longer show this link.
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
  test('redirects non-administrators from administration pages to the start page', async ({ openFor }) => {
    const page = await openFor('steward');
    for (const path of ADMINISTRATORS_ONLY) {
      await visit(page, path);
      await expect(page, path).toHaveURL(/:\d+\/$/);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Welcome');
    }
    await expect(page.getByRole('button', { name: 'Administration' })).toHaveCount(0);
  });

  test('redirects a user without the route to the start page, and shows only permitted entries', async ({
    openFor,
  }) => {
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

test.describe('a password that has to be changed', () => {
  const field = (page: Page, label: 'Current Password' | 'New Password' | 'Confirm New Password') =>
    page.getByRole('dialog').getByLabel(new RegExp(`^${label}`));

  test('shows a form with the texts of the specification in place of any page', async ({ openFor }) => {
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

  test('signs out once it was changed, and accepts the new password', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin, { requirePasswordChange: true });
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await fillSignIn(page, username, FIRST_PASSWORD);
    await field(page, 'Current Password').fill(FIRST_PASSWORD);
    await field(page, 'New Password').fill(NEXT_PASSWORD);
    await field(page, 'Confirm New Password').fill(NEXT_PASSWORD);

    // The call is held until the test saw the busy button.
    const hold = await holdRequests(page, '**/api/change-password');
    await page.getByRole('button', { name: 'Change Password', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Changing Password...' })).toBeDisabled();
    hold.release();

    await expect(toasts(page).getByText('Password changed', { exact: true })).toBeVisible();
    await expect(toasts(page).getByText('Your password has been successfully updated.')).toBeVisible();
    await expect(page).toHaveURL(/\/auth$/);
    await fillSignIn(page, username, NEXT_PASSWORD);
    await expect(page.getByText(`Welcome, ${username}`).first()).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('signs out when the dialog is closed', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin, { requirePasswordChange: true });
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await fillSignIn(page, username, FIRST_PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Close and sign out' }).click();
    await expect(page).toHaveURL(/\/auth$/);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  });

  test('can be changed from the account menu too', async ({ openFor }) => {
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
  test('has a title, a welcome line, documentation and support', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/');
    const header = page.getByRole('banner');
    await expect(header).toContainText('Reference Data Management');
    await expect(header).toContainText('Welcome, steward');
    await expect(page.getByRole('contentinfo')).toContainText('Reference Data Management');

    await header.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('menuitem', { name: 'Get Support' }).click();
    const support = page.getByRole('dialog', { name: 'Help and support' });
    for (const topic of ['Getting started', 'Key features', 'User management', 'Visualization']) {
      await expect(support.getByRole('heading', { name: topic })).toBeVisible();
    }
    await page.keyboard.press('Escape');
    await header.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('menuitem', { name: 'Documentation' }).click();
    await expect(page).toHaveURL(/\/help$/);
  });

  test('folds the sidebar from 256 to 64 pixels and remembers it for seven days', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/');
    const width = async () => (await sidebar(page).boundingBox())?.width;
    await expect.poll(width).toBe(256);
    await page.keyboard.press('Control+b');
    await expect.poll(width).toBe(64);

    const cookie = (await page.context().cookies()).find(({ name }) => name === 'sidebar_state');
    expect(cookie?.value).toBe('false');
    expect(Math.abs((cookie?.expires ?? 0) - Date.now() / 1000 - 604_800)).toBeLessThan(300);
    await page.reload();
    await expect.poll(width).toBe(64);
    await expect(sidebar(page).getByRole('link', { name: 'Crosswalks' })).toBeVisible();

    await page.keyboard.press('Meta+b');
    await expect.poll(width).toBe(256);
    await page.getByRole('button', { name: 'Toggle sidebar' }).click();
    await expect.poll(width).toBe(64);
  });

  test('marks the entry of the current page', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/reference-types-debug');
    await expect(sidebar(page).locator('[aria-current="page"]')).toHaveText('Reference Data Types');
    await visit(page, '/missing-mappings');
    await expect(sidebar(page).locator('[aria-current="page"]')).toHaveText('Crosswalks');
  });

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

  test('keeps the Administration section folded until it is opened, per tab', async ({ openFor }) => {
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

  test('switches the theme and remembers it', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/');
    const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await colour();
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect.poll(colour).not.toBe(light);
    const dark = await colour();
    await page.reload();
    await expect.poll(colour).toBe(dark);
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'System' }).click();
    await expect.poll(colour).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(colour).toBe(dark);
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

  test('zooms the page in steps of ten per cent, from the corner', async ({ openFor }) => {
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

  test('shows one toast at a time, closes it after its time and keeps it in the history', async ({ openFor }) => {
    const page = await openFor('steward', { unshared: true });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.clock.install();
    await page.goto('/reference-types-debug');
    await page.getByRole('button', { name: /^\d+ Country v/ }).click();
    const copy = page.getByRole('button', { name: 'Copy stored schema of Country' });
    await expect(copy).toBeVisible();
    // The clock is stopped while the toast is checked: it is shown for one second.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000);
    await copy.click();
    await copy.click();
    await expect(toasts(page)).toHaveCount(1);
    await expect(toasts(page)).toContainText('Copied');
    // The second toast replaces the first one, which may still be on the page.
    await expect.poll(async () => (await toasts(page).boundingBox())?.width).toBe(250);
    await page.clock.runFor(2_000);
    await expect(toasts(page)).toHaveCount(0);
    await page.clock.resume();

    await page.getByRole('button', { name: /^Notifications/ }).click();
    await expect(page.getByRole('dialog', { name: 'Notifications' }).getByText('Copied')).toHaveCount(2);
  });

  test('finds pages and actions in the command palette', async ({ openFor }) => {
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
    // The help about a page is open to every user; the page itself is not offered.
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
