/** Notifications about errors and bulk decisions, and a history that cannot be loaded (specification §4 and §9). */
import { callApi, expect, test } from '../fixtures.ts';
import { createDrafts, entry } from '../notified-drafts.ts';
import { recordToasts } from '../test-users.ts';

test.use({ reusesPages: true });

test('puts errors in the history, never in a toast', async ({ openFor }) => {
  const page = await openFor('steward');
  const shownToasts = await recordToasts(page);
  await page.goto('/');
  await expect(page.getByRole('main')).toContainText('Welcome');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await page.getByRole('alertdialog', { name: 'Logout failed' }).getByRole('button', { name: 'OK' }).click();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: /^Notifications, \d+ new$/ }).click();
  const history = page.getByRole('dialog', { name: 'Notifications' });
  await expect(history).toContainText('Logout failed');
  await expect(history).toContainText('The server cannot be reached. Check your connection and try again.');
  expect(shownToasts).toEqual([]);
});

test('creates one notification per bulk decision, with a link to all decided items', async ({ openFor }) => {
  const [steward, approver] = [await openFor('steward'), await openFor('approver')];
  const work = await createDrafts(steward, approver, 30);
  const { results } = await callApi<{ results: { id: number; revision: number }[] }>(
    steward,
    'POST',
    `/api/crosswalks/${work.id}/mappings/submit`,
    { rows: work.rows },
  );
  await callApi(approver, 'POST', `/api/crosswalks/${work.id}/mappings/reject`, {
    rows: results.map(({ id, revision }) => ({ id, revision })),
    comment: `Not these ${work.title}`,
  });
  await steward.goto('/');
  await steward.getByRole('button', { name: /^Notifications/ }).click();
  const rejected = entry(steward, `Not these ${work.title}`);
  await expect(rejected).toHaveCount(1);
  await expect(rejected).toContainText('rejected 30 mappings of');
  await rejected.getByRole('link').click();
  await expect(steward.getByRole('grid', { name: 'Approvals: submitted' })).toHaveAttribute('aria-rowcount', '31');
});

test('shows that the notifications could not be loaded, and loads them again', async ({ openFor }) => {
  const page = await openFor('viewer');
  let isFailing = true;
  await page.route('**/api/notifications?*', (route) =>
    isFailing
      ? route.fulfill({ status: 503, json: { error: 'A part of the system is restarting' } })
      : route.continue(),
  );
  await page.goto('/');
  await page.getByRole('button', { name: /^Notifications/ }).click();
  const panel = page.getByRole('dialog', { name: 'Notifications' });
  await expect(panel.getByRole('alert')).toContainText('This could not be loaded');
  isFailing = false;
  await panel.getByRole('button', { name: 'Try Again' }).click();
  await expect(panel.getByRole('alert')).toHaveCount(0);
});
