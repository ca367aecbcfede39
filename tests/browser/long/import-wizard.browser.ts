/**
 * The import wizard: a dropped workbook with a reload at each step, a draft in two browsers, and an import by keyboard.
 */
import type { Page } from '@playwright/test';
import { sheetRows, workbookOf } from '@rdm/command-api/file-imports/sources/fixtures/workbook-files';
import { expect, test, uniqueName } from '../fixtures.ts';
import { tabTo } from '../keyboard.ts';
import {
  cellsOf,
  choose,
  contentHeading,
  editCells,
  headerOf,
  heading,
  nextButton,
  numbers,
  priceList,
  startButton,
  tagOf,
} from '../price-list.ts';

test.use({ reusesPages: true });

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
const checkHeading = (page: Page) => heading(page, 'What will be imported?');
/** Resolves when the next change of a draft is saved. */
const waitForSave = (page: Page) =>
  page.waitForResponse((response) => response.request().method() === 'PATCH' && response.status() === 200);

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

  await expect(contentHeading(page)).toBeVisible();
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

  await nextButton(page).click();
  await expect(page.getByRole('button', { name: 'Import 292 rows, skip 8' })).toBeVisible();
  // The page shows the fix before the server has saved it. A reload would cancel the request.
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Skip these rows' }).first().click();
  await expect(page.getByText('1 applied fix')).toBeVisible();
  await saved;
  await expect(startButton(page)).toHaveText('Import 292 rows, skip 8');
  await page.reload();
  await expect(checkHeading(page)).toBeVisible();
  await expect(page.getByText('1 applied fix')).toBeVisible();
  await expect(startButton(page)).toHaveText('Import 292 rows, skip 8');

  await startButton(page).click();
  await expect(page).toHaveURL(/job=/);
  await page.reload();
  await expect(page.getByRole('link', { name: `Open ${name}` })).toBeVisible({ timeout: 60_000 });
  await expect(page.locator('dl')).toContainText('292');
  await expect(page.getByRole('button', { name: 'Undo import' })).toBeVisible();
});

test('refuses a change of a draft that was changed in another browser', async ({ openFor }) => {
  const first = await openFor('steward');
  const second = await openFor('steward');
  await first.goto('/onboarding');
  const name = uniqueName('Zwei');
  await choose(first, priceList(name));
  await expect(contentHeading(first)).toBeVisible();
  await nextButton(first).click();
  await expect(startButton(first)).toBeVisible();

  await second.goto('/onboarding');
  await second.getByRole('button', { name: `${name}.csv`, exact: true }).click();
  await expect(contentHeading(second)).toBeVisible();
  await nextButton(second).click();
  await expect(startButton(second)).toBeVisible();
  // The page shows a change before the server has saved it.
  let changeSaved = waitForSave(second);
  await second.getByRole('button', { name: 'Skip these rows' }).first().click();
  await expect(second.getByText('1 applied fix')).toBeVisible();
  await changeSaved;
  await expect(startButton(second)).toBeVisible();

  await first.getByRole('switch', { name: 'All or nothing' }).click();
  const message = first.getByRole('alertdialog', { name: 'This import was changed in another window' });
  await message.getByRole('button', { name: 'OK' }).click();
  await expect(first.getByText('1 applied fix')).toBeVisible();
  await expect(first.getByRole('switch', { name: 'All or nothing' })).not.toBeChecked();
  changeSaved = waitForSave(first);
  await first.getByRole('switch', { name: 'All or nothing' }).click();
  await expect(first.getByText(/^All or nothing: fix or skip/)).toBeVisible();
  await changeSaved;

  // The second browser starts the import, and the first one shows the job.
  await second.reload();
  await second.getByRole('button', { name: 'Skip these rows' }).first().click();
  await expect(second.getByText('2 applied fixes')).toBeVisible();
  await startButton(second).click();
  await expect(second).toHaveURL(/job=/);
  await first.reload();
  await expect(first).toHaveURL(/job=/);
  await expect(first.getByRole('heading', { level: 2, name: `Import of ${name}.csv` })).toBeVisible();
});

test('imports by the keyboard alone', async ({ openFor }) => {
  // A page that waited for a file chooser cannot be reset for another test.
  const page = await openFor('steward', { unshared: true });
  const name = uniqueName('Tastatur');
  await page.goto('/onboarding');
  const chooser = page.waitForEvent('filechooser');
  await tabTo(page, page.getByRole('button', { name: 'Choose a file' }));
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(priceList(name));
  await expect(contentHeading(page)).toBeFocused();
  await tabTo(page, page.getByRole('combobox', { name: /^Data type of Aktiv/ }));
  await page.keyboard.press('Enter');
  // The list ignores keys until one of its options has the focus.
  await expect(page.getByRole('option', { name: 'boolean' })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(page.getByRole('option', { name: 'string' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: /^Data type of Aktiv/ })).toHaveText('string');
  await tabTo(page, nextButton(page));
  await page.keyboard.press('Enter');
  await expect(checkHeading(page)).toBeFocused();
  await expect(startButton(page)).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: 'Edit cells' }).first());
  await page.keyboard.press('Enter');
  await editCells(page);
  // When no cell is left to fix, the start button gets the focus.
  await expect(page.getByRole('button', { name: 'Import 300 rows' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('300 rows read, all valid.')).toBeVisible({ timeout: 60_000 });
});
