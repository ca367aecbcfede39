/** The command palette keeps letters that are typed while it loads, and its selected option while results arrive. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { openPalette, selectedOption } from '../palette.ts';

/** Holds matching requests until the returned function is called. */
async function hold(page: Page, url: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test('keeps the letters that are typed while the palette is loading', async ({ openFor }) => {
  const page = await openFor('steward', { unshared: true });
  const release = await hold(page, /\/assets\/palette-.*\.js/);
  await page.goto('/');
  await expect(page.getByRole('main')).toContainText('Welcome');
  await page.getByRole('button', { name: 'Search and commands' }).press('Enter');
  await page.keyboard.type('deb');
  await expect(page.getByRole('textbox', { name: 'Search and commands' })).toHaveValue('deb');
  release();
  const search = page.getByRole('combobox', { name: 'Search and commands' });
  await expect(search).toBeFocused();
  await page.keyboard.type('ug');
  await expect(search).toHaveValue('debug');
  await expect(selectedOption(page)).toHaveText('Debug schemas');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Search and commands' })).toBeFocused();
});

test('keeps the selected option while results arrive, and offers to search again after an error', async ({
  openFor,
}) => {
  const page = await openFor('steward', { unshared: true });
  // Without live updates, a change by another test cannot cause a search before the button is pressed.
  await page.routeWebSocket(/socket\.io/, () => undefined);
  await page.goto('/');
  await expect(page.getByRole('main')).toContainText('Welcome');
  const release = await hold(page, /\/api\/search\?/);
  await openPalette(page);
  await page.keyboard.type('c');
  await expect(page.getByRole('group', { name: 'Actions' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  const before = { text: await selectedOption(page).textContent(), box: await selectedOption(page).boundingBox() };
  await expect(page.getByRole('group', { name: 'Codes' })).toHaveCount(0);
  release();
  await expect(page.getByRole('group', { name: 'Codes' })).toBeVisible();
  expect(await selectedOption(page).textContent()).toBe(before.text);
  expect(await selectedOption(page).boundingBox()).toEqual(before.box);

  await page.unroute(/\/api\/search\?/);
  await page.route(/\/api\/search\?/, (route) => route.fulfill({ status: 500, json: { error: 'Out of order' } }));
  await page.keyboard.type('h');
  const failed = page.getByRole('alert').filter({ hasText: 'Data sets and codes could not be searched.' });
  await expect(failed).toBeVisible();
  await page.unroute(/\/api\/search\?/);
  await failed.getByRole('button', { name: 'Try Again' }).click();
  await expect(failed).toHaveCount(0);
  await expect(page.getByRole('option', { name: /^CH Switzerland/ }).first()).toBeVisible();
});
