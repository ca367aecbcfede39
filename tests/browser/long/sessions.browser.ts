/** Tests logouts, recorded activity and the loading of a session (specification §4 and §9). */
import type { Page } from '@playwright/test';
import { callApi, expect, holdRequests, signIn, test } from '../fixtures.ts';
import { lastActivity, MINUTE, SECOND, signInButton, warning } from '../session-warning.ts';
import { createUsername, FIRST_PASSWORD, sessionFlag } from '../test-users.ts';

test.use({ reusesPages: true });

/** Collects the methods of the heartbeat requests of all tabs. */
function collectHeartbeats(page: Page): string[] {
  const sent: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().endsWith('/api/session/heartbeat')) sent.push(request.method());
  });
  return sent;
}

test.describe('a session', () => {
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

  test('records activity at most once a second, and reports it to the server at most once a minute', async ({
    openFor,
  }) => {
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
    for (const act of [
      move,
      () => page.keyboard.press('Shift'),
      () => page.evaluate(() => document.dispatchEvent(new Event('scroll'))),
      () => page.evaluate(() => document.dispatchEvent(new Event('touchstart'))),
    ]) {
      await act();
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

test('shows Loading... until the user has loaded, and redirects a signed-in user from /auth', async ({ openFor }) => {
  const page = await openFor('steward');
  const hold = await holdRequests(page, '**/api/user');
  await page.goto('/monitor', { waitUntil: 'commit' });
  await expect(page.getByText('Loading...')).toBeVisible();
  hold.release();
  await expect(page.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();
  await page.goto('/auth');
  await expect(page).toHaveURL(/:\d+\/$/);
});

test('keeps the user signed in and reports the error when a logout does not reach the server', async ({ openFor }) => {
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
