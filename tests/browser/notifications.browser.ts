/** Notifications: the card and its measures, one at a time, a second each, and the history that leads to the very item (specification §4 and §9). */
import { hearToasts, toasts } from './newcomers.ts';
import { asked, expect, own, test } from './people.ts';

test('a notification is a card of 250 by 100 pixels whose texts scroll, for one second, then kept in the history', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  await page.clock.install();
  await page.goto('/collections');
  const name = `${own('Collection with')} ${'a name that tells at length what belongs in it '.repeat(4)}`
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
  // Said to those who do not see it, too; the words come with the next frame.
  await page.clock.runFor(100);
  await expect(page.locator('[role="status"]').filter({ hasText: 'Collection created' }).first()).toBeAttached();

  await page.clock.runFor(899);
  await expect(toast).toHaveAttribute('data-state', 'open');
  await page.clock.runFor(1);
  await expect(toast).toHaveCount(0);
  await page.clock.resume();

  const { items } = await asked<{ items: { id: number; name: string }[] }>(
    page,
    'GET',
    `/api/collections?q=${encodeURIComponent(name.slice(0, 30))}`,
  );
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.getByRole('dialog', { name: 'Notifications' }).getByRole('link', { name: 'Collection created' }).click();
  await expect(page).toHaveURL(new RegExp(`/collections/${items[0]?.id}$`));
});

test('errors are in the history, never among the toasts', async ({ openFor }) => {
  const page = await openFor('steward');
  const heard = await hearToasts(page);
  await page.goto('/');
  await expect(page.getByRole('main')).toContainText('Welcome');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await page.getByRole('alertdialog', { name: 'Logout failed' }).getByRole('button', { name: 'OK' }).click();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Notifications, 1 new' }).click();
  const history = page.getByRole('dialog', { name: 'Notifications' });
  await expect(history).toContainText('Logout failed');
  await expect(history).toContainText('The server cannot be reached. Check your connection and try again.');
  expect(heard).toEqual([]);
});
