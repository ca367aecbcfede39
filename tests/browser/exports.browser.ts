/** Exports a filtered data set as a spreadsheet, and adds a data set to another collection. */
import { readFile } from 'node:fs/promises';
import { firstSheet } from '../stories/xlsx-reader.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

const CODES = ['007', '008', '100'];

test('saves filtered rows as a spreadsheet, and shows why the server refuses an export', async ({ openFor }) => {
  const page = await openFor('steward');
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: uniqueName('Agent'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const name = uniqueName('Agents & friends');
  const { id } = await callApi(page, 'POST', '/api/reference-data', { name, typeId });
  const rows = CODES.map((code) => ({ data: { code } }));
  await callApi(page, 'POST', `/api/reference-data/${id}/instances`, { rows });

  const filter = { logic: 'AND', conditions: [{ field: 'code', operator: 'starts_with', value: '00' }] };
  await page.goto(`/reference-data/${id}?filter=${encodeURIComponent(JSON.stringify(filter))}`);
  await expect(page.getByRole('gridcell', { name: /^\d{3}$/ })).toHaveText(['007', '008']);
  const save = async (format = 'Excel (XLSX)') => {
    await page.getByRole('button', { name: 'Export', exact: true }).first().click();
    await expect(page.getByText('Rows that match')).toBeVisible();
    await page.getByRole('menuitem', { name: format }).first().click();
  };
  const [download] = await Promise.all([page.waitForEvent('download'), save()]);
  expect(download.suggestedFilename()).toBe(`${name}.xlsx`);
  const { cells } = firstSheet(await readFile(await download.path()));
  expect([...cells].map(([reference, { value }]) => [reference, value])).toEqual([
    ['A1', 'code'],
    ['A2', '007'],
    ['A3', '008'],
  ]);

  await page.route(/\/export\?format=xlsx/, (route) =>
    route.fulfill({
      status: 413,
      json: { error: 'An XLSX export of 250 columns has at most 800 rows', code: 'TOO_LARGE' },
    }),
  );
  await save();
  await expect(page.getByRole('alertdialog', { name: 'The file was not saved' })).toContainText('at most 800 rows');
  await page.getByRole('button', { name: 'OK' }).click();
  const refusal = 'You have 2 downloads under way. Wait until one of them is done and try again.';
  await page.route(/\/export\?format=csv/, (route) =>
    route.fulfill({ status: 429, json: { error: refusal, code: 'TOO_MANY_REQUESTS' } }),
  );
  await save('CSV');
  await expect(page.getByRole('alertdialog', { name: 'The file was not saved' })).toContainText(refusal);
});

test('adds a data set to another collection for a user who administers both', async ({ openFor }) => {
  const page = await openFor('steward');
  const [first, second] = [uniqueName('First'), uniqueName('Second')];
  const { id: collectionId } = await callApi(page, 'POST', '/api/collections', { name: first });
  await callApi(page, 'POST', '/api/collections', { name: second });
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: uniqueName('Colour'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const name = uniqueName('Colours');
  await callApi(page, 'POST', '/api/reference-data', { name, typeId, collectionId });

  await page.goto(`/reference-data?q=${encodeURIComponent(name)}`);
  const row = page.getByRole('grid').getByRole('row').filter({ hasText: name });
  await row.getByRole('button', { name: /^Actions for row/ }).click();
  await page.getByRole('menuitem', { name: 'Add to a collection' }).click();
  const dialog = page.getByRole('dialog', { name: `Add ${name} to a collection` });
  await dialog.getByLabel('Search collections').fill(second);
  await expect(dialog.getByRole('checkbox', { name: first })).toHaveCount(0);
  await dialog.getByRole('checkbox', { name: second }).click();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(row.getByRole('link', { name: second })).toBeVisible();
  await expect(row.getByRole('link', { name: first })).toBeVisible();
});
