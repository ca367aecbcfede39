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

  test('requires both fields', async ({ openFor }) => {
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

  test('ends on an open page when a request outside the page signs out', async ({ openFor }) => {
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
});

test.describe('a password that has to be changed', () => {
  const field = (page: Page, label: 'Current Password' | 'New Password' | 'Confirm New Password') =>
    page.getByRole('dialog').getByLabel(new RegExp(`^${label}`));

  test('is changed in a dialog that signs the user out', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin, { requirePasswordChange: true });
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await fillSignIn(page, username, FIRST_PASSWORD);
    await field(page, 'Current Password').fill(FIRST_PASSWORD);
    await field(page, 'New Password').fill(NEXT_PASSWORD);
    await field(page, 'Confirm New Password').fill(NEXT_PASSWORD);

    // Hold the request until the test has seen the busy button.
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

  test('folds the sidebar from 256 to 64 pixels and stores its state for seven days', async ({ openFor }) => {
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

  test('marks the sidebar entry to which the current page belongs', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/reference-types-debug');
    await expect(sidebar(page).locator('[aria-current="page"]')).toHaveText('Reference Data Types');
    await visit(page, '/missing-mappings');
    await expect(sidebar(page).locator('[aria-current="page"]')).toHaveText('Crosswalks');
  });

  test('switches the theme and keeps it after a reload', async ({ openFor }) => {
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
});
