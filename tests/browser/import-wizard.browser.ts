/** The import wizard from a file to its result: with a limited number of clicks, and on a phone. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from './axe.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';
import {
  cellsDialog,
  choose,
  codeOf,
  contentHeading,
  editCells,
  headerOf,
  heading,
  nextButton,
  priceList,
  startButton,
  tagOf,
  WRONG_CELLS,
} from './price-list.ts';

test.use({ reusesPages: true });

const CLICKS_MAX = 12;

async function expectImported(page: Page, name: string): Promise<void> {
  await expect(page.getByText('300 rows read, all valid.')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('link', { name: `Open ${name}` }).click();
  await expect(page.getByRole('grid', { name }).locator('[data-row="0"]')).toContainText('00001');
  await expect(page.getByText('1–50 of 300')).toBeVisible();
}

/** Returns the rows of the data set that the page shows, by key. */
async function rowsByKey(page: Page): Promise<Map<string, Record<string, unknown>>> {
  const id = /reference-data\/(\d+)/.exec(page.url())?.[1];
  const { items } = await callApi<{ items: { data: Record<string, string> }[] }>(
    page,
    'GET',
    `/api/reference-data/${id}/instances?pageSize=1000`,
  );
  return new Map(items.map(({ data }) => [String(data['Artikelnr']), data]));
}

/** Counts the mouse clicks on the page from now on. Enter on a button does not count. */
const countClicks = (page: Page) =>
  page.evaluate(() => {
    Object.assign(window, { clicks: 0 });
    const counter = window as unknown as { clicks: number };
    const count = ({ detail }: MouseEvent) => {
      if (detail > 0) counter.clicks += 1;
    };
    window.addEventListener('click', count, true);
  });
const clicksOf = (page: Page) => page.evaluate(() => (window as never as { clicks: number }).clicks);

const overflowingElements = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, [data-scrolls]:has(main)')]
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
  );

test(`imports a German price list and corrects eight cells with at most ${CLICKS_MAX} clicks`, async ({ openFor }) => {
  // The page is not shared, because a page that waited for a file chooser cannot be reset.
  const page = await openFor('steward', { unshared: true });
  const name = uniqueName('Preise');
  await page.goto('/onboarding');
  await expect(heading(page, 'Which file?')).toBeVisible();
  await expectAccessibleInBothThemes(page, 'the file');
  await page.emulateMedia({ colorScheme: 'light' });
  await countClicks(page);

  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await chooser).setFiles(priceList(name));
  await expect(contentHeading(page)).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'Name of the data set' })).toHaveValue(name);
  await expect(page.getByText('4 values do not match the type')).toHaveCount(2);
  await expectAccessibleInBothThemes(page, 'the content');

  await nextButton(page).click();
  await expect(page.getByRole('button', { name: 'Import 292 rows, skip 8' })).toBeVisible();
  await expectAccessibleInBothThemes(page, 'the check');
  await page.getByRole('button', { name: 'Edit cells' }).first().click();
  await expect(cellsDialog(page).getByRole('textbox')).toHaveCount(WRONG_CELLS.size);
  await expectAccessibleInBothThemes(page, 'the cells');
  await editCells(page);
  await expect(page.getByRole('button', { name: 'Import 300 rows' })).toBeFocused();
  await page.getByRole('button', { name: 'Import 300 rows' }).click();
  await expectImported(page, name);
  expect(await clicksOf(page)).toBeLessThanOrEqual(CLICKS_MAX);

  const rows = await rowsByKey(page);
  const [, , price = '', since = '', active = ''] = headerOf(tagOf(name));
  expect(rows.get('00001')).toEqual({
    ...{ Artikelnr: '00001', Bezeichnung: 'Müller Öse 1', [price]: 1001.5, [since]: '2025-03-02', [active]: true },
  });
  for (const [number, { column }] of WRONG_CELLS) {
    const row = rows.get(codeOf(number));
    expect(row?.[column === 'price' ? price : since]).toBe(column === 'price' ? 12.5 : '2025-02-28');
  }
});

test('imports on a phone, and shows before the import that a type name is taken', async ({ openFor }) => {
  const page = await openFor('steward', { width: 390, height: 844 });
  const name = uniqueName('Telefon');
  await page.goto('/onboarding');
  await choose(page, priceList('Country', tagOf(name)));
  const type = page.getByRole('textbox', { name: 'Name of the type' });
  await expect(type).toHaveAttribute('aria-invalid', 'true');
  await expect(nextButton(page)).toBeDisabled();
  await page.getByRole('textbox', { name: 'Name of the data set' }).fill(name);
  await page.getByRole('textbox', { name: 'Name of the data set' }).blur();
  await expect(type).toHaveValue(name);
  await expect(nextButton(page)).toBeEnabled();
  expect(await overflowingElements(page)).toEqual([]);

  await nextButton(page).click();
  await expect(startButton(page)).toBeVisible();
  expect(await overflowingElements(page)).toEqual([]);
  await page.getByRole('button', { name: 'Edit cells' }).first().click();
  await editCells(page);
  await page.getByRole('button', { name: 'Import 300 rows' }).click();
  await expect(page.getByText('300 rows read, all valid.')).toBeVisible({ timeout: 60_000 });
  expect(await overflowingElements(page)).toEqual([]);
});
