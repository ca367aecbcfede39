/**
 * Notifications: a card of a fixed size, which is shown for one second, and the history with links to single items
 * (specification §4 and §9).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, test, uniqueName } from './fixtures.ts';
import { createDrafts, entry } from './notified-drafts.ts';
import { toasts } from './test-users.ts';

test.use({ reusesPages: true });

test('shows a notification for one second as a scrollable card of 250 by 100 pixels, and lists it in the history', async ({
  openFor,
}) => {
  const page = await openFor('steward', { unshared: true });
  await page.clock.install();
  await page.goto('/collections');
  const name = `${uniqueName('Collection with')} ${'a name that describes at length what belongs in it '.repeat(4)}`
    .slice(0, 190)
    .trim();
  await page.getByRole('button', { name: 'Create collection' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create a collection' });
  await dialog.getByLabel(/^Name/).fill(name);
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000);
  await dialog.getByRole('button', { name: 'Create collection' }).click();

  const toast = toasts(page);
  await expect(toast).toContainText('Collection created');
  await expect(toast).toHaveCount(1);
  expect(await toast.boundingBox()).toMatchObject({ width: 250, height: 100 });
  const texts = toast.locator('> div');
  const box = await texts.boundingBox();
  expect(box?.width).toBeLessThanOrEqual(230);
  expect(box?.height).toBeLessThanOrEqual(80);
  expect(await texts.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)).toBe(true);
  expect(
    await texts.evaluate((element) => {
      element.scrollTo(0, 20);
      return element.scrollTop;
    }),
  ).toBe(20);
  // The status element for screen readers gets the text in the next frame.
  await page.clock.runFor(100);
  await expect(page.locator('[role="status"]').filter({ hasText: 'Collection created' }).first()).toBeAttached();

  await page.clock.runFor(899);
  await expect(toast).toHaveAttribute('data-state', 'open');
  await page.clock.runFor(1);
  await expect(toast).toHaveCount(0);
  await page.clock.resume();

  const { items } = await callApi<{ items: { id: number; name: string }[] }>(
    page,
    'GET',
    `/api/collections?q=${encodeURIComponent(name.slice(0, 30))}`,
  );
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.getByRole('dialog', { name: 'Notifications' }).getByRole('link', { name: 'Collection created' }).click();
  await expect(page).toHaveURL(new RegExp(`/collections/${items[0]?.id}$`));
});

test('notifies about changes by other users while another page is open, and opens the item of a notification', async ({
  openFor,
}) => {
  const [steward, approver] = [await openFor('steward'), await openFor('approver')];
  const work = await createDrafts(steward, approver, 1);
  await approver.goto('/reference-types');
  await steward.goto('/reference-types');
  const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ });
  await expect(bell(approver)).toBeVisible();

  await callApi(steward, 'POST', `/api/crosswalks/${work.id}/mappings/submit`, { rows: work.rows, comment: 'Please' });
  await bell(approver).click();
  const reviewEntry = entry(approver, `${work.title} waits for your review`);
  await expect(reviewEntry).toContainText('“Please”');
  await expect(reviewEntry).toContainText('Unread');
  // The icons must differ from the icons of approval and rejection.
  const iconOf = (name: RegExp) => reviewEntry.getByRole('button', { name }).locator('svg');
  await expect(iconOf(/^Mark as read/)).toHaveClass(/lucide-mail-open/);
  await expect(iconOf(/^Dismiss/)).toHaveClass(/lucide-eye-off/);
  await reviewEntry.getByRole('link').click();
  await expect(approver.getByRole('dialog', { name: 'Notifications' })).toHaveCount(0);
  // The list has a header row and the two submitted items: the mapping and its new crosswalk.
  const list = approver.getByRole('grid', { name: 'Approvals: review' });
  await expect(list).toHaveAttribute('aria-rowcount', '3');
  await expect(list.locator('[aria-current="true"]')).toContainText(work.title);
  const queue = approver.getByRole('navigation', { name: 'Queue' });
  await expect(queue.locator('[aria-current="true"]')).toBeInViewport({ ratio: 1 });
  const record = approver.getByRole('region', { name: 'Item', exact: true });
  await expect(record).toContainText(work.title);
  await expect(record.getByRole('button', { name: /^Approve/ })).toBeVisible();
  const approve = record.getByRole('button', { name: /^Approve/ });
  await approve.click();
  await expect(record).toContainText(/^Notified.*The crosswalk starts to serve/);
  // The button is disabled until the server has answered the first decision.
  await expect(approve).toBeEnabled();
  await approve.press('Enter');
  await expect(record).toContainText('You decided on this item, as shown below.');
  await expect(approver.getByText('All items of this group were decided or recalled.')).toBeVisible();
  await expect(record.getByRole('button', { name: 'Show the next item' })).toBeVisible();

  // The steward's list of notifications is updated without a reload, and the link opens the item.
  await bell(steward).click();
  const approvedEntry = entry(steward, `Ada Approver approved the mapping ${work.title} of`);
  await expect(approvedEntry).toContainText('Unread');
  await approvedEntry.getByRole('link').focus();
  await steward.keyboard.press('u');
  await expect(approvedEntry).not.toContainText('Unread');
  await steward.keyboard.press('u');
  await expect(approvedEntry).toContainText('Unread');
  await steward.keyboard.press('Enter');
  await expect(steward).toHaveURL(/\/approvals\?tab=submitted&item=mapping-\d+-\d+/);
  await expect(steward.getByRole('region', { name: 'Item', exact: true })).toContainText(work.title);

  // Marking as read and dismissing apply to all tabs of the user.
  const otherTab = await openFor('steward', { width: 390, height: 800, dark: true });
  await otherTab.goto('/');
  await bell(otherTab).click();
  const entryInOtherTab = entry(otherTab, `Ada Approver approved the mapping ${work.title} of`);
  await expect(entryInOtherTab).toBeVisible();
  await expect(entryInOtherTab).not.toContainText('Unread');
  await bell(steward).click();
  await entry(steward, `Ada Approver approved the mapping ${work.title} of`)
    .getByRole('button', { name: /^Dismiss/ })
    .click();
  await expect(entryInOtherTab).toHaveCount(0);
  await otherTab.reload();
  await bell(otherTab).click();
  await expect(otherTab.getByRole('dialog', { name: 'Notifications' })).toContainText('Unread only');
  await expect(entry(otherTab, `Ada Approver approved the mapping ${work.title} of`)).toHaveCount(0);
});
