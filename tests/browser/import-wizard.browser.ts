/** The import wizard from any file to its result: clicks, reloads, a second browser, a phone, and the keyboard alone. */

import type { Page } from '@playwright/test';
import { sheetRows, workbookOf } from '@rdm/command-api/file-imports/sources/fixtures/workbook-files';
import { expectAccessibleInBothThemes } from './axe.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

test.use({ reusesPages: true });

const CLICKS_MAX = 12;
const PRODUCTS = 300;
/** Wrong cells by the number of the product: two columns, four cells each. */
const WRONG = new Map<number, { column: 'price' | 'since'; right: string }>([
  ...[10, 20, 30, 40].map((number) => [number, { column: 'since', right: '28.02.2025' }] as const),
  ...[50, 60, 70, 80].map((number) => [number, { column: 'price', right: '12,5' }] as const),
]);
const codeOf = (number: number) => String(number).padStart(5, '0');

/** Cells of a product as a German spreadsheet shows them. */
function cellsOf(number: number): string[] {
  const day = String((number % 28) + 1).padStart(2, '0');
  const wrong = WRONG.get(number)?.column;
  return [
    codeOf(number),
    `Müller Öse ${number}`,
    wrong === 'price' ? 'auf Anfrage' : `1.${String(number).padStart(3, '0')},50`,
    wrong === 'since' ? '31.02.2025' : `${day}.03.2025`,
    number % 3 ? 'ja' : 'nein',
  ];
}

/** Three of the names contain the tag, so that no data set of another test fits the file. */
const headerOf = (tag: string) => ['Artikelnr', 'Bezeichnung', `Preis ${tag}`, `Gültig ab ${tag}`, `Aktiv ${tag}`];
const tagOf = (name: string) => name.slice(-8);
const numbers = Array.from({ length: PRODUCTS }, (_, index) => index + 1);

/** The price list as a CSV file of a German Windows. */
const priceList = (name: string, tag = tagOf(name)) => ({
  ...{ name: `${name}.csv`, mimeType: 'text/csv' },
  buffer: Buffer.from([headerOf(tag), ...numbers.map(cellsOf)].map((cells) => cells.join(';')).join('\r\n'), 'latin1'),
});

/** The price list as the second sheet of a workbook, below a title; all its cells are texts. */
function workbook(tag: string): Buffer {
  const { rows, strings } = sheetRows([['Preisliste'], headerOf(tag), ...numbers.map(cellsOf)]);
  const cover = '<row r="1"><c r="A1" t="inlineStr"><is><t>Stand</t></is></c></row>';
  return workbookOf({
    sheets: [
      { name: 'Deckblatt', rows: cover },
      { name: 'Preise', rows },
    ],
    strings,
  });
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
const content = (page: Page) => heading(page, 'How is the file read?');
const check = (page: Page) => heading(page, 'What will be imported?');
const next = (page: Page) => page.getByRole('button', { name: 'Next' });
const start = (page: Page) => page.getByRole('button', { name: /^Import \d+ rows/ });
/** Resolves when the next change of a draft is saved. */
const saved = (page: Page) =>
  page.waitForResponse((response) => response.request().method() === 'PATCH' && response.status() === 200);
const cells = (page: Page) => page.getByRole('dialog', { name: 'Edit cells' });

const choose = (page: Page, file: { name: string; mimeType: string; buffer: Buffer }) =>
  page.locator('input[type="file"]').setInputFiles(file);

/** Types the right value into each wrong cell; the Enter key moves to the next cell, and saves after the last one. */
async function editCells(page: Page): Promise<void> {
  await expect(cells(page).getByRole('textbox').first()).toBeFocused();
  for (const { right } of WRONG.values()) {
    await page.keyboard.type(right);
    await page.keyboard.press('Enter');
  }
  await expect(cells(page)).toHaveCount(0);
}

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

/** Counts the clicks of the mouse on the page from now on; Enter on a button is none. */
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

const elementsWiderThanScreen = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, [data-scrolls]:has(main)')]
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
  );

test(`imports a German price list and corrects eight cells with at most ${CLICKS_MAX} clicks`, async ({ openFor }) => {
  // A page that waited for a file chooser cannot be reset.
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
  await expect(content(page)).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'Name of the data set' })).toHaveValue(name);
  await expect(page.getByText('4 values do not fit')).toHaveCount(2);
  await expectAccessibleInBothThemes(page, 'the content');

  await next(page).click();
  await expect(page.getByRole('button', { name: 'Import 292 rows, skip 8' })).toBeVisible();
  await expectAccessibleInBothThemes(page, 'the check');
  await page.getByRole('button', { name: 'Edit cells' }).first().click();
  await expect(cells(page).getByRole('textbox')).toHaveCount(WRONG.size);
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
  for (const [number, { column }] of WRONG) {
    const row = rows.get(codeOf(number));
    expect(row?.[column === 'price' ? price : since]).toBe(column === 'price' ? 12.5 : '2025-02-28');
  }
});

test('continues a dropped workbook at the same step after each reload', async ({ openFor }) => {
  const page = await openFor('steward');
  const name = uniqueName('Arbeitsmappe');
  await page.goto('/onboarding');
  await expect(heading(page, 'Which file?')).toBeVisible();
  const dropped = await page.evaluateHandle(
    ({ base64, fileName }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], fileName));
      return transfer;
    },
    { base64: workbook(tagOf(name)).toString('base64'), fileName: `${name}.xlsx` },
  );
  // The file is dropped outside of the dashed area, because a drop works anywhere on the page.
  await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: dropped });
  await expect(page).toHaveURL(/import=/);
  await page.reload();

  await expect(content(page)).toBeVisible();
  await page.getByRole('combobox', { name: 'Sheet' }).click();
  await page.getByRole('option', { name: 'Preise' }).click();
  await expect(page.getByText('300 rows')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Field for the column Artikelnr', exact: true })).toBeVisible();
  await page.getByRole('textbox', { name: /^Field for the column Aktiv/ }).fill('');
  await page.getByRole('textbox', { name: /^Field for the column Aktiv/ }).blur();
  await expect(page.getByText('4 of 5 columns are used')).toBeVisible();
  await expect(page.getByRole('region', { name: 'First rows' }).last()).toContainText('ignored');
  await page.reload();
  await expect(page.getByText('4 of 5 columns are used')).toBeVisible();

  await next(page).click();
  await expect(page.getByRole('button', { name: 'Import 292 rows, skip 8' })).toBeVisible();
  // The page shows the fix before it is saved; a reload would cancel the request.
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Skip these rows' }).first().click();
  await expect(page.getByText('1 fix applies')).toBeVisible();
  await saved;
  await expect(start(page)).toHaveText('Import 292 rows, skip 8');
  await page.reload();
  await expect(check(page)).toBeVisible();
  await expect(page.getByText('1 fix applies')).toBeVisible();
  await expect(start(page)).toHaveText('Import 292 rows, skip 8');

  await start(page).click();
  await expect(page).toHaveURL(/job=/);
  await page.reload();
  await expect(page.getByRole('link', { name: `Open ${name}` })).toBeVisible({ timeout: 60_000 });
  await expect(page.locator('dl')).toContainText('292');
  await expect(page.getByRole('button', { name: 'Undo import' })).toBeVisible();
});

test('shows the same draft in a second browser, and refuses a change in the first one, whose draft is older', async ({
  openFor,
}) => {
  const first = await openFor('steward');
  const second = await openFor('steward');
  await first.goto('/onboarding');
  const name = uniqueName('Zwei');
  await choose(first, priceList(name));
  await expect(content(first)).toBeVisible();
  await next(first).click();
  await expect(start(first)).toBeVisible();

  await second.goto('/onboarding');
  await second.getByRole('button', { name: `${name}.csv`, exact: true }).click();
  await expect(content(second)).toBeVisible();
  await next(second).click();
  await expect(start(second)).toBeVisible();
  // The page shows a change before it is saved.
  let changeSaved = saved(second);
  await second.getByRole('button', { name: 'Skip these rows' }).first().click();
  await expect(second.getByText('1 fix applies')).toBeVisible();
  await changeSaved;
  await expect(start(second)).toBeVisible();

  await first.getByRole('switch', { name: 'All or nothing' }).click();
  const message = first.getByRole('alertdialog', { name: 'This import was changed in another window' });
  await message.getByRole('button', { name: 'OK' }).click();
  await expect(first.getByText('1 fix applies')).toBeVisible();
  await expect(first.getByRole('switch', { name: 'All or nothing' })).not.toBeChecked();
  changeSaved = saved(first);
  await first.getByRole('switch', { name: 'All or nothing' }).click();
  await expect(first.getByText(/^All or nothing: fix or skip/)).toBeVisible();
  await changeSaved;

  // The second browser starts the import, and the first one shows the job.
  await second.reload();
  await second.getByRole('button', { name: 'Skip these rows' }).first().click();
  await expect(second.getByText('2 fixes apply')).toBeVisible();
  await start(second).click();
  await expect(second).toHaveURL(/job=/);
  await first.reload();
  await expect(first).toHaveURL(/job=/);
  await expect(first.getByRole('heading', { level: 2, name: `Import of ${name}.csv` })).toBeVisible();
});

test('marks a taken name of a type before the start, and imports on a phone', async ({ openFor }) => {
  const page = await openFor('steward', { width: 390, height: 844 });
  const name = uniqueName('Telefon');
  await page.goto('/onboarding');
  await choose(page, priceList('Country', tagOf(name)));
  const type = page.getByRole('textbox', { name: 'Name of the type' });
  await expect(type).toHaveAttribute('aria-invalid', 'true');
  await expect(next(page)).toBeDisabled();
  await page.getByRole('textbox', { name: 'Name of the data set' }).fill(name);
  await page.getByRole('textbox', { name: 'Name of the data set' }).blur();
  await expect(type).toHaveValue(name);
  await expect(next(page)).toBeEnabled();
  expect(await elementsWiderThanScreen(page)).toEqual([]);

  await next(page).click();
  await expect(start(page)).toBeVisible();
  expect(await elementsWiderThanScreen(page)).toEqual([]);
  await page.getByRole('button', { name: 'Edit cells' }).first().click();
  await editCells(page);
  await page.getByRole('button', { name: 'Import 300 rows' }).click();
  await expect(page.getByText('300 rows read, all valid.')).toBeVisible({ timeout: 60_000 });
  expect(await elementsWiderThanScreen(page)).toEqual([]);
});

test('imports by the keyboard alone', async ({ openFor }) => {
  // A page that waited for a file chooser cannot be reset.
  const page = await openFor('steward', { unshared: true });
  const name = uniqueName('Tastatur');
  await page.goto('/onboarding');
  const chooser = page.waitForEvent('filechooser');
  await tabTo(page, page.getByRole('button', { name: 'Choose a file' }));
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(priceList(name));
  await expect(content(page)).toBeFocused();
  // The type of a column is a list box.
  await tabTo(page, page.getByRole('combobox', { name: /^Data type of Aktiv/ }));
  await page.keyboard.press('Enter');
  // Keys before the list has the focus are lost.
  await expect(page.getByRole('option', { name: 'boolean' })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(page.getByRole('option', { name: 'string' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: /^Data type of Aktiv/ })).toHaveText('string');
  await tabTo(page, next(page));
  await page.keyboard.press('Enter');
  await expect(check(page)).toBeFocused();
  await expect(start(page)).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: 'Edit cells' }).first());
  await page.keyboard.press('Enter');
  await editCells(page);
  // The start has the focus once nothing is left to fix.
  await expect(page.getByRole('button', { name: 'Import 300 rows' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('300 rows read, all valid.')).toBeVisible({ timeout: 60_000 });
});
