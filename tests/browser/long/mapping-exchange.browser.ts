/** Imports of tens of thousands of mappings continue while the page reloads or is closed, and are undone as a whole. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import pg from 'pg';
import { waitForProgressReport, whilePaused } from '../../stories/paused-job.ts';
import { callApi, expect, lastAction, test, uniqueName } from '../fixtures.ts';
import { recordToasts } from '../test-users.ts';

test.use({ reusesPages: true });

/** Starts an import of `count` valid rows and one invalid row into a new crosswalk. */
async function startImport(
  page: Page,
  count: number,
): Promise<{ crosswalkId: number; jobId: number; commandId: string }> {
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: uniqueName('Part'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async () =>
    (await callApi(page, 'POST', '/api/reference-data', { name: uniqueName('Parts'), typeId })).id as number;
  const { id } = await callApi(page, 'POST', '/api/crosswalks', {
    name: uniqueName('Parts to parts'),
    sourceSystemId: await createDataSet(),
    targetSystemId: await createDataSet(),
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  const rows = Array.from({ length: count }, (_, index) => `S${index},T${index}`);
  await page.goto(`/crosswalks/${id}/mappings?tab=draft`);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import mappings' });
  await dialog.getByLabel('File of mappings').setInputFiles({
    name: 'parts.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`sourceValue,targetValue\n${rows.join('\n')}\n,T\n`),
  });
  await expect(dialog.getByText('parts.csv')).toBeVisible();
  await dialog.getByRole('button', { name: 'Preview' }).click();
  const [rowCount, validCount] = [count + 1, count].map((each) => each.toLocaleString('en'));
  await expect(dialog.getByRole('status')).toHaveText(
    `Read as CSV: ${rowCount} rows, of which ${validCount} can be imported.`,
    {
      timeout: 120_000,
    },
  );
  const started = page.waitForResponse((response) => response.url().endsWith('/mappings/import'));
  await dialog.getByRole('button', { name: `Import ${validCount} mappings` }).click();
  const job = (await (await started).json()) as { jobId: number; commandId: string };
  await expect(page.getByRole('region', { name: 'Import under way' }).getByRole('progressbar')).toBeVisible();
  return { crosswalkId: id, ...job };
}

test('continues a large import while its page reloads, and undoes the whole import', async ({ openFor }) => {
  const page = await openFor('steward');
  await startImport(page, 20_000);
  await page.reload();
  await expect(page.getByText('Imported: 20,000 mappings.')).toBeVisible({ timeout: 90_000 });
  await expect(page.getByRole('region', { name: 'Import under way' })).toBeHidden();
  await expect(page.getByRole('tab', { name: 'Draft 20,000' })).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('tab', { name: 'Draft 0' })).toBeVisible({ timeout: 90_000 });
});

test('continues a large import after its tab was closed, and cancels and undoes the import', async ({ openFor }) => {
  const first = await openFor('steward');
  const { crosswalkId, jobId, commandId } = await startImport(first, 40_000);
  const address = first.url();
  const page = await first.context().newPage();
  await first.close();
  const countDrafts = async () =>
    (await callApi<{ draft: number }>(page, 'GET', `/api/crosswalks/${crosswalkId}/mappings/counts`)).draft;
  const countAfterClosing = await countDrafts();
  await expect.poll(countDrafts, { timeout: 60_000 }).toBeGreaterThan(countAfterClosing);

  const shownToasts = await recordToasts(page);
  const underWay = page.getByRole('region', { name: 'Import under way' });
  const database = new pg.Pool({ connectionString: process.env['STACK_DATABASE_URL'] ?? '', max: 2 });
  // A paused import cannot end before the cancellation.
  await whilePaused(database, commandId, async () => {
    await page.goto(address);
    const cancelled = page.waitForResponse((response) => response.url().endsWith(`/api/jobs/${jobId}/cancel`));
    await underWay.getByRole('button', { name: 'Cancel the import' }).click();
    expect((await cancelled).status()).toBe(202);
    await waitForProgressReport(database, jobId);
  });
  await database.end();
  await expect.poll(() => shownToasts.flat(), { timeout: 120_000 }).toContain('Import cancelled: imported rows stay');
  await expect(underWay).toBeHidden();
  const bar = lastAction(page);
  await expect(bar).toContainText(/^Imported: [\d,]+ mappings\./);

  await page.goto(`/monitor?job=${jobId}`);
  const drawer = page.getByRole('dialog', { name: /^Import into/ });
  const saved = page.waitForEvent('download');
  await drawer.getByRole('link', { name: 'Download the failed rows' }).click();
  // The file has the columns of an import, so that the user can correct and import the file again.
  expect(await readFile(await (await saved).path(), 'utf8')).toMatch(
    /^\ufeffrdm:reason,sourceValue,targetValue\r\n"Line \d+: sourceValue: The source value is missing\.[^"]*",,T\r\n/,
  );
  await drawer.getByRole('button', { name: /^Undo [\d,]+ rows$/ }).click();
  const confirmation = page.getByRole('dialog', { name: /^Undo [\d,]+ rows\?$/ });
  await expect(confirmation).toContainText('Added records are deleted');
  await confirmation.getByRole('button', { name: /^Undo/ }).click();
  await expect.poll(countDrafts, { timeout: 90_000 }).toBe(0);
  // An undone import offers no undo.
  await expect(drawer.getByRole('button', { name: /^Undo/ })).toHaveCount(0, { timeout: 30_000 });
});
