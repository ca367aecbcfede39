/** Undoes imports, from the result of an import and from the menu of a data set. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo } from '../collections.ts';
import { callApi, expect, test, uniqueName } from '../fixtures.ts';

test.use({ reusesPages: true });

const CODES = Array.from({ length: 300 }, (_, index) => String(index).padStart(5, '0'));
const FILE = `code,name\n${CODES.map((code) => `${code},Name ${code}`).join('\n')}\n`;

async function importFile(page: Page, dataSetId: number, description: string): Promise<void> {
  await page.goto(`/reference-data/${dataSetId}/import`);
  const file = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel(/^Job description/).fill(description);
  await page.getByRole('button', { name: /^Import \d+ rows/ }).click();
  await expect(page.getByRole('button', { name: 'Undo import' })).toBeVisible({ timeout: 60_000 });
}

test('undoes an import from its result and from the data set', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Undone'),
    description: '',
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'name', dataType: 'string' },
    ],
  });
  const name = uniqueName('Undone');
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'WRITE')]);
  const { id } = await callApi(steward, 'POST', '/api/reference-data', { name, typeId, collectionId });
  const rows = `/api/reference-data/${id}/instances`;
  const dialog = steward.getByRole('dialog', { name: 'Undo import' });

  await test.step('previews the undo, and names the row that another user edited', async () => {
    await importFile(steward, id, 'Codes of July');
    await expect
      .poll(async () => (await callApi<{ total: number }>(approver, 'GET', rows)).total, { timeout: 30_000 })
      .toBe(300);
    const { items } = await callApi<{ items: { id: number; revision: number; key: string }[] }>(
      approver,
      'GET',
      `${rows}?q=00161`,
    );
    const [row] = items;
    await callApi(approver, 'PATCH', rows, [{ id: row?.id, revision: row?.revision, data: { name: 'Edited' } }]);
    await steward.getByRole('button', { name: 'Undo import' }).click();
    await expect(dialog).toContainText('Removes 299 rows.');
    await expect(dialog).toContainText('Keeps 1 row that was changed after the import:');
    await expect(dialog.getByRole('listitem')).toContainText(/^00161.*changed by Ada Approver, /);
  });

  await test.step('undoes the import, and shows the result and the log of the undo', async () => {
    await dialog.getByRole('button', { name: 'Undo import' }).click();
    await expect(steward.getByText('299 rows undone, 1 not undone.')).toBeVisible({ timeout: 60_000 });
    await expect(steward.getByRole('heading', { name: /^Undo of import \d+: Codes of July$/ })).toBeVisible();
    await steward.getByRole('link', { name: 'Show the log of the undo' }).click();
    const line = steward.getByRole('dialog').getByRole('row').filter({ hasText: '00161' });
    await expect(line).toContainText(/It was changed after the import, on .* UTC, by Ada Approver/);
  });

  await test.step('undoes the last import from the menu of the data set', async () => {
    await importFile(steward, id, 'Codes of August');
    await steward.goto(`/reference-data/${id}`);
    await expect(steward.getByText('1–50 of 300')).toBeVisible();
    await steward.getByRole('button', { name: 'More actions' }).click();
    await steward.getByRole('menuitem', { name: 'Undo last import' }).click();
    await expect(dialog).toContainText('Codes of August');
    await dialog.getByRole('button', { name: 'Undo import' }).click();
    await expect(steward.getByRole('grid', { name })).toHaveAttribute('aria-rowcount', '2', { timeout: 60_000 });
  });
});
