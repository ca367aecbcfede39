/** A session in several tabs of a browser: warning, extension, end and sign-in (specification §4 and §9). */
import type { Page } from '@playwright/test';
import { expect, fillSignIn, signIn, test } from './fixtures.ts';
import { lastActivity, MINUTE, SECOND, signInButton, warning } from './session-warning.ts';
import { createUsername, FIRST_PASSWORD, recordToasts, sessionFlag, toasts } from './test-users.ts';

test.use({ reusesPages: true });

const countdown = (page: Page) => warning(page).getByRole('timer');

test.describe('a session', () => {
  test('shows a warning after 115 minutes without activity, and ends after 120 minutes', async ({ openFor }) => {
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
      const lastActivityAt = await lastActivity(page);
      await clock.pauseAt(lastActivityAt + 115 * MINUTE - 1);
      await expect(warning(page)).toHaveCount(0);
      await clock.runFor(SECOND);
      for (const each of [page, tab]) await expect(countdown(each)).toHaveText('5:00');
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
      const heartbeatResponse = tab.waitForResponse('**/api/session/heartbeat');
      await warning(tab).getByRole('button', { name: 'Stay Active', exact: true }).click();
      expect((await heartbeatResponse).status()).toBe(204);
      await expect(toasts(tab).getByText('Session Extended')).toBeVisible();
      await clock.runFor(SECOND);
      for (const each of [page, tab]) await expect(warning(each)).toHaveCount(0);
    });

    await test.step('ends in all tabs 120 minutes after the last activity', async () => {
      const lastActivityAt = await lastActivity(page);
      await clock.pauseAt(lastActivityAt + 120 * MINUTE - SECOND);
      await clock.runFor(SECOND - 1);
      await expect(countdown(page)).toHaveText('0:01');
      const logoutResponse = page.waitForResponse((response) => response.url().endsWith('/api/logout'));
      await clock.resume();
      await logoutResponse;
      for (const each of [page, tab]) {
        await expect(each).toHaveURL(/\/auth$/);
        await expect(signInButton(each)).toBeVisible();
        expect(await sessionFlag(each)).toBeNull();
        await expect(each.getByRole('main')).toContainText('You have been logged out due to inactivity.');
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
});

test.describe('tabs of one browser', () => {
  test('sign out and sign in together', async ({ openFor }) => {
    const admin = await openFor('admin');
    const [firstUser, secondUser] = [await createUsername(admin), await createUsername(admin)];
    const page = await openFor('anonymous', { unshared: true });
    // Tabs must sign out together even without a socket, which would report the sign-out too.
    await page.context().routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.context().route('**/socket.io/**', (route) => route.abort());
    await signIn(page, firstUser, FIRST_PASSWORD);
    const tab = await page.context().newPage();
    await tab.goto('/monitor');
    await expect(tab.getByText(`Welcome, ${firstUser}`)).toBeVisible();

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await expect(tab).toHaveURL(/\/auth$/);
    await expect(signInButton(tab)).toBeVisible();
    expect(await sessionFlag(tab)).toBeNull();

    await fillSignIn(page, secondUser, FIRST_PASSWORD);
    await expect(tab).toHaveURL(/\/monitor$/);
    await expect(tab.getByText(`Welcome, ${secondUser}`)).toBeVisible();
    await expect(tab.getByText(`Welcome, ${firstUser}`)).toHaveCount(0);
  });
});
