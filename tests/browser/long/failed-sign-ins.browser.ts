/**
 * The list of failed sign-ins in the audit logs: for administrators, and not part of the event log (specification §2,
 * §4).
 */
import type { Page } from '@playwright/test';
import { expect, test, uniqueName } from '../fixtures.ts';
import { createUsername, FIRST_PASSWORD } from '../test-users.ts';

test.use({ reusesPages: true });

const list = (page: Page) => page.getByRole('grid', { name: 'Failed sign-ins' });
const attempts = (page: Page) => list(page).locator('[data-row]');

/** Sends a sign-in, and expects it to succeed only with the right password. */
async function trySignIn(page: Page, username: string, password: string): Promise<void> {
  const headers = { Origin: process.env['BASE_URL'] ?? '' };
  const answer = await page.request.post('/api/login', { data: { username, password }, headers });
  expect(answer.status()).toBe(password === FIRST_PASSWORD ? 200 : 401);
}

test('lists failed sign-ins with the entered name, the account and the address, but not as events', async ({
  openFor,
}) => {
  const admin = await openFor('admin');
  const username = await createUsername(admin);
  const unknownName = uniqueName('unknown').replace(' ', '-');
  const visitor = await openFor('anonymous');
  for (const name of [username, unknownName, unknownName]) await trySignIn(visitor, name, 'Wrong-password-1');
  await trySignIn(visitor, username, FIRST_PASSWORD);

  await test.step('has a separate tab', async () => {
    await admin.goto('/audit-logs');
    await admin.getByRole('tab', { name: 'Sign-ins' }).click();
    await expect(admin).toHaveURL(/[?&]tab=sign-ins/);
    await expect(admin.getByText('stored outside of the event log')).toBeVisible();
  });

  await test.step('lists the failed attempt of an existing user, but not their successful sign-in', async () => {
    await admin.getByRole('searchbox').fill(username);
    await expect(attempts(admin)).toHaveCount(1);
    await expect(attempts(admin)).toContainText(username);
    await expect(attempts(admin)).toContainText('127.0.0.1');
    await expect(attempts(admin)).not.toContainText('Unknown user');
  });

  await test.step('lists every attempt under an unknown name', async () => {
    await admin.getByRole('searchbox').fill(unknownName);
    await expect(attempts(admin)).toHaveCount(2);
    for (const attempt of await attempts(admin).all()) await expect(attempt).toContainText('Unknown user');
    await admin.reload();
    await expect(attempts(admin)).toHaveCount(2);
  });

  await test.step('lists no failed sign-in as an event', async () => {
    await admin.getByRole('tab', { name: 'Events' }).click();
    await expect(list(admin)).toHaveCount(0);
    await admin.getByRole('searchbox').fill(unknownName);
    await expect(admin.getByText('Nothing matches')).toBeVisible();
  });
});

test('shows that the list cannot be loaded, and loads it again on request', async ({ openFor }) => {
  // The page is not reused, because this test exposes a function to it.
  const admin = await openFor('admin', { unshared: true });
  // All requests fail until the click, because the list also repeats its request by itself.
  let isFailing = true;
  await admin.exposeFunction('stopFailing', () => {
    isFailing = false;
  });
  await admin.route('**/api/login-attempts?*', (route) =>
    isFailing ? route.fulfill({ status: 500, json: {} }) : route.continue(),
  );
  await admin.goto('/audit-logs?kind=user&part=failed-sign-ins');
  const tryAgain = admin.getByRole('button', { name: 'Try again' });
  await expect(tryAgain).toBeVisible();
  await admin.evaluate(() =>
    document.addEventListener('click', () => (window as unknown as { stopFailing: () => void }).stopFailing(), true),
  );
  await tryAgain.click();
  await expect(list(admin)).toHaveAttribute('aria-busy', 'false');
  await expect(tryAgain).toHaveCount(0);
});
