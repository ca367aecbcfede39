/** The palette finds data sets, definitions and codes, keeps its place while results arrive, and keeps what is typed early. */
import type { Page } from '@playwright/test';
import { createCitiesAndCountries, createCityRelationship } from './cities-and-countries.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';

const selectedOption = (page: Page) => page.getByRole('option', { selected: true });

/** Delays the responses of matching requests until the returned function is called. */
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

async function openPalette(page: Page) {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search and commands' })).toBeFocused();
}

test('opens the row of a code, the data sets of a shared code, and a relationship', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const relationship = uniqueName('Palette relationship');
  await createCityRelationship(steward, approver, relationship);
  const { cities, countries } = await createCitiesAndCountries(steward, approver);
  const code = uniqueName('Q').replaceAll(' ', '-');
  for (const { id } of [cities, countries]) {
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, { data: { code, name: 'Shared town' } });
  }
  await callApi(steward, 'POST', `/api/reference-data/${cities.id}/instances`, {
    data: { code: `${code}-1`, name: 'Lonely town' },
  });
  await steward.goto('/');
  await expect(steward.getByRole('main')).toContainText('Welcome');

  await test.step('opens the row of a code that one data set has', async () => {
    // Rows are found about a second after they were written; an answer is kept for five.
    await openPalette(steward);
    await expect(async () => {
      await steward.keyboard.press('Control+a');
      await steward.keyboard.press('Delete');
      await steward.keyboard.type(`${code}-1`.toLowerCase());
      // Results that arrive later do not move the selection. The text is typed again while its answer is still cached.
      await expect(selectedOption(steward)).toContainText(cities.name, { timeout: 2_000 });
    }).toPass();
    await steward.keyboard.press('Enter');
    await expect(steward.getByRole('dialog', { name: `${code}-1` })).toContainText('Lonely town');
    await steward.keyboard.press('Escape');
    const list = steward.getByRole('grid', { name: cities.name });
    await expect(list.getByRole('row').filter({ hasText: 'Lonely town' })).toBeVisible();
    await expect(list).toHaveAttribute('aria-rowcount', '2');
  });

  await test.step('offers the data sets that share a code', async () => {
    await openPalette(steward);
    await steward.keyboard.type(code);
    const shared = steward.getByRole('option', { name: `${code} Shared town` });
    await expect(shared).toContainText('in 2 data sets');
    await shared.click();
    await expect(steward.getByRole('group', { name: `Data sets with ${code} Shared town` })).toBeVisible();
    // The data set that was opened just now comes first.
    await expect(selectedOption(steward)).toHaveText(cities.name);
    await steward.keyboard.press('ArrowDown');
    await expect(selectedOption(steward)).toHaveText(countries.name);
    await steward.keyboard.press('Enter');
    await expect(steward).toHaveURL(new RegExp(`/reference-data/${countries.id}/instances\\?row=\\d+`));
    await expect(steward.getByRole('dialog', { name: code })).toBeVisible();
    await steward.keyboard.press('Escape');
  });

  await test.step('lists recently opened data sets before anything is typed', async () => {
    await openPalette(steward);
    const recent = steward.getByRole('group', { name: 'Recently opened' }).getByRole('option');
    await expect(recent.first()).toHaveText(countries.name);
    await expect(recent.nth(1)).toHaveText(cities.name);
  });

  await test.step('opens a relationship by the words of its name', async () => {
    await steward.keyboard.type(relationship);
    await steward.getByRole('option', { name: relationship }).click();
    await expect(steward).toHaveURL(/\/relationships\/\d+\/values$/);
  });

  await test.step('finds nothing in data sets that the user may not read', async () => {
    const viewer = await openFor('viewer');
    await viewer.goto('/');
    await expect(viewer.getByRole('main')).toContainText('Welcome');
    await openPalette(viewer);
    await viewer.keyboard.type(code);
    await expect(viewer.getByText('Nothing found.')).toBeVisible();
  });
});

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
  // Without live updates: a change by another test would search again before the button is pressed.
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
