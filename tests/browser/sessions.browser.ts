/**
 * A session in several tabs of one browser: the warning before its end, its extension and its end; all tabs sign in and out
 * together (specification §4 and §9).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, fillSignIn, holdRequests, signIn, test } from './fixtures.ts';
import { createUsername, FIRST_PASSWORD, recordToasts, sessionFlag, toasts } from './test-users.ts';

test.use({ reusesPages: true });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const warning = (page: Page) => page.getByRole('dialog', { name: 'Session Timeout' });
const countdown = (page: Page) => warning(page).getByRole('timer');
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in' });
const lastActivity = (page: Page) => page.evaluate(() => Number(localStorage.getItem('last-activity')));

/** Collects the calls of any tab that report user activity to the server. */
function collectHeartbeats(page: Page): string[] {
  const sent: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().endsWith('/api/session/heartbeat')) sent.push(request.method());
  });
  return sent;
}

test.describe('a session', () => {
  test('shows a warning after 115 minutes without activity, is extended in any tab, and ends after 120', async ({
    openFor,
  }) => {
    const username = await createUsername(await openFor('admin'));
    const page = await openFor('anonymous', { unshared: true });
    const { clock } = page.context();
    await clock.install();
    const shownToasts = await recordToasts(page);
    await signIn(page, username, FIRST_PASSWORD);
    await page.goto('/reference-types?q=Country');
    await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toHaveAttribute('aria-busy', 'false');
    const tab = await page.context().newPage();
    const toastsInTab = await recordToasts(tab);
    await tab.goto('/monitor');
    await expect(tab.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();

    await test.step('warns 115 minutes after the last activity, with five minutes left', async () => {
      const since = await lastActivity(page);
      await clock.pauseAt(since + 115 * MINUTE - 1);
      await expect(warning(page)).toHaveCount(0);
      await clock.runFor(SECOND);
      for (const one of [page, tab]) await expect(countdown(one)).toHaveText('5:00');
      await expect(warning(page).getByRole('button', { name: 'Stay Active', exact: true })).toBeFocused();
      await expect(warning(page).getByRole('button', { name: 'Logout Now' })).toBeVisible();
      await clock.runFor(61 * SECOND);
      await expect(countdown(page)).toHaveText('3:59');
    });

    await test.step('ignores mouse movement while it warns', async () => {
      await page.mouse.move(300, 300);
      await clock.runFor(SECOND);
      await expect(countdown(page)).toHaveText('3:58');
    });

    await test.step('is extended by Stay Active, in every tab and on the server', async () => {
      const beat = tab.waitForResponse('**/api/session/heartbeat');
      await warning(tab).getByRole('button', { name: 'Stay Active', exact: true }).click();
      expect((await beat).status()).toBe(204);
      await expect(toasts(tab).getByText('Session Extended')).toBeVisible();
      await clock.runFor(SECOND);
      for (const one of [page, tab]) await expect(warning(one)).toHaveCount(0);
    });

    await test.step('ends 120 minutes after the last activity in all tabs, with a message', async () => {
      const since = await lastActivity(page);
      await clock.pauseAt(since + 120 * MINUTE - SECOND);
      await clock.runFor(SECOND - 1);
      await expect(countdown(page)).toHaveText('0:01');
      const logoutResponse = page.waitForResponse((response) => response.url().endsWith('/api/logout'));
      await clock.resume();
      await logoutResponse;
      for (const one of [page, tab]) {
        await expect(one).toHaveURL(/\/auth$/);
        await expect(signInButton(one)).toBeVisible();
        expect(await sessionFlag(one)).toBeNull();
        await expect(one.getByRole('main')).toContainText('You have been logged out due to inactivity.');
      }
      for (const toasted of [shownToasts, toastsInTab]) {
        await expect
          .poll(() => toasted)
          .toContainEqual(['Session Expired', 'You have been logged out due to inactivity.']);
      }
      expect((await page.request.get('/api/user')).status()).toBe(401);
    });

    await test.step('returns to the same pages in all tabs after signing in again', async () => {
      await fillSignIn(page, username, FIRST_PASSWORD);
      await expect(page).toHaveURL(/\/reference-types\?q=Country$/);
      await expect(tab).toHaveURL(/\/monitor$/);
      await expect(warning(page)).toHaveCount(0);
    });
  });

  test('ends at once with Logout Now in the warning', async ({ openFor }) => {
    const username = await createUsername(await openFor('admin'));
    const page = await openFor('anonymous', { unshared: true });
    await page.clock.install();
    await signIn(page, username, FIRST_PASSWORD);
    await expect(page.getByRole('main')).toContainText('Welcome');
    await page.clock.fastForward(116 * MINUTE);
    await warning(page).getByRole('button', { name: 'Logout Now' }).click();
    await expect(page).toHaveURL(/\/auth$/);
    await expect(signInButton(page)).toBeVisible();
    await expect(page.getByText('You have been logged out due to inactivity.')).toHaveCount(0);
  });

  test('records activity once a second, and reports it to the server once a minute', async ({ openFor }) => {
    const page = await openFor('steward', { unshared: true });
    const beats = collectHeartbeats(page);
    await page.clock.install();
    await page.goto('/');
    await expect(page.getByRole('main')).toContainText('Welcome');
    const start = await page.evaluate(() => Date.now());
    await page.clock.pauseAt(start + MINUTE);
    const now = () => page.evaluate(() => Date.now());
    let x = 300;
    const move = () => page.mouse.move(x++, 400);

    await move();
    const first = await now();
    expect(await lastActivity(page)).toBe(first);
    await page.clock.runFor(SECOND - 1);
    await move();
    expect(await lastActivity(page)).toBe(first);
    await page.clock.runFor(1);
    for (const sign of [
      move,
      () => page.keyboard.press('Shift'),
      () => page.evaluate(() => document.dispatchEvent(new Event('scroll'))),
      () => page.evaluate(() => document.dispatchEvent(new Event('touchstart'))),
    ]) {
      await sign();
      expect(await lastActivity(page)).toBe(await now());
      await page.clock.runFor(SECOND);
    }
    await expect.poll(() => beats.length).toBe(1);

    await page.clock.pauseAt(first + MINUTE - 1);
    await move();
    await page.clock.runFor(SECOND);
    expect(beats.length).toBe(1);
    await move();
    await expect.poll(() => beats.length).toBe(2);
  });
});

test.describe('tabs of one browser', () => {
  test('are signed out together, and signed in together by a sign-in in one of them', async ({ openFor }) => {
    const admin = await openFor('admin');
    const [one, other] = [await createUsername(admin), await createUsername(admin)];
    const page = await openFor('anonymous', { unshared: true });
    // The socket would report the sign-out too. It is closed, because the tabs must not depend on it.
    await page.context().routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.context().route('**/socket.io/**', (route) => route.abort());
    await signIn(page, one, FIRST_PASSWORD);
    const tab = await page.context().newPage();
    await tab.goto('/monitor');
    await expect(tab.getByText(`Welcome, ${one}`)).toBeVisible();

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await expect(tab).toHaveURL(/\/auth$/);
    await expect(signInButton(tab)).toBeVisible();
    expect(await sessionFlag(tab)).toBeNull();

    await fillSignIn(page, other, FIRST_PASSWORD);
    await expect(tab).toHaveURL(/\/monitor$/);
    await expect(tab.getByText(`Welcome, ${other}`)).toBeVisible();
    await expect(tab.getByText(`Welcome, ${one}`)).toHaveCount(0);
  });
});

test('show Loading... until the user is known, and lead a signed-in user on from /auth', async ({ openFor }) => {
  const page = await openFor('steward');
  const hold = await holdRequests(page, '**/api/user');
  await page.goto('/monitor', { waitUntil: 'commit' });
  await expect(page.getByText('Loading...')).toBeVisible();
  hold.release();
  await expect(page.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();
  await page.goto('/auth');
  await expect(page).toHaveURL(/:\d+\/$/);
});

test('stay signed in and report the error when a logout does not reach the server', async ({ openFor }) => {
  const username = await createUsername(await openFor('admin'));
  const page = await openFor('anonymous');
  await signIn(page, username, FIRST_PASSWORD);
  await expect(page.getByRole('main')).toContainText('Welcome');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Logout failed' });
  await expect(dialog).toContainText('The server cannot be reached. Check your connection and try again.');
  await dialog.getByRole('button', { name: 'OK' }).click();
  expect(await sessionFlag(page)).not.toBeNull();
  await page.context().setOffline(false);
  expect((await callApi<{ username: string }>(page, 'GET', '/api/user')).username).toBe(username);
});
