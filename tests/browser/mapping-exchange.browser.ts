/** Exports mappings in every format, and imports them after a preview. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import pg from 'pg';
import { waitForProgressReport, whilePaused } from '../stories/paused-job.ts';
import { callApi, expect, lastAction, test, uniqueName } from './fixtures.ts';
import { recordToasts } from './test-users.ts';

test.use({ reusesPages: true });

test('imports mappings after a preview, undoes and submits them, and exports them in standard formats', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (name: string, codes: string[]) => {
    const { id } = await callApi(page, 'POST', '/api/reference-data', { name: uniqueName(name), typeId });
    await callApi(page, 'POST', `/api/reference-data/${id}/instances`, {
      rows: codes.map((code) => ({ data: { code } })),
    });
    return id;
  };
  const name = uniqueName('To long codes');
  const { id } = await callApi(page, 'POST', '/api/crosswalks', {
    name,
    sourceSystemId: await createDataSet('Short', ['de', 'fr', '007']),
    targetSystemId: await createDataSet('Long', ['DEU', 'FRA', '0007']),
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  await callApi(page, 'POST', `/api/crosswalks/${id}/mappings`, { sourceValue: 'de', targetValue: 'GER' });

  await page.goto(`/crosswalks/${id}/mappings?tab=draft`);
  await expect(page.getByRole('tab', { name: 'Draft 1' })).toBeVisible();
  const dialog = page.getByRole('dialog', { name: 'Import mappings' });
  const preview = async (lines: string[], submit = false) => {
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Mappings' }).fill(lines.join('\n'));
    if (submit) await dialog.getByRole('switch', { name: 'Submit them for approval immediately' }).click();
    await dialog.getByRole('button', { name: 'Preview' }).click();
  };
  await preview(['sourceValue,targetValue,confidence', 'de,DEU,90', 'fr,FRA,', '007,0007,sure', 'it,ITA,']);
  await expect(dialog.getByRole('status')).toHaveText('Read as CSV: 4 rows, of which 3 can be imported.');
  await expect(dialog.getByRole('row', { name: /confidence/ })).toContainText('not a number from 0 to 100');
  await expect(dialog.getByText(/^No row of Short .* has this code \(row 5\)$/)).toBeVisible();
  await dialog.getByRole('tab', { name: 'Changed 1' }).click();
  await expect(dialog.getByRole('row', { name: /^2 de/ })).toContainText('GERDEU');
  await dialog.getByRole('button', { name: 'Import 3 mappings' }).click();
  await expect(page.getByText('Imported: 3 mappings.')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Draft 3' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  // The two added mappings are removed again, and the edited mapping has its previous value.
  await expect(page.getByRole('tab', { name: 'Draft 1' })).toBeVisible();
  await expect(page.getByRole('row', { name: /de GER/ })).toBeVisible();

  await preview(['[{"sourceValue":"007","targetValue":"0007"}]'], true);
  await expect(dialog.getByRole('status')).toHaveText('Read as JSON: 1 row, of which 1 can be imported.');
  await dialog.getByRole('button', { name: 'Import and submit 1 mapping' }).click();
  await page.getByRole('tab', { name: 'Pending 1' }).click();
  await expect(page.getByRole('row', { name: /007/ })).toBeVisible();

  const save = async (label: string) => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    // The first of the two entries exports only this tab.
    await page.getByRole('menuitem', { name: label }).first().click();
  };
  const [map] = await Promise.all([page.waitForEvent('download'), save('FHIR ConceptMap')]);
  expect(map.suggestedFilename()).toBe(`${name}.json`);
  expect(JSON.parse(await readFile(await map.path(), 'utf8')).group[0].element).toMatchObject([
    { code: '007', target: [{ code: '0007' }] },
  ]);
  const [set] = await Promise.all([page.waitForEvent('download'), save('SSSOM (TSV)')]);
  expect(set.suggestedFilename()).toBe(`${name}.sssom.tsv`);
  expect(await readFile(await set.path(), 'utf8')).toContain('\nsource:007\t\tskos:exactMatch\ttarget:0007\t');
});

/** Starts an import of `count` mappings and an invalid one into a new crosswalk. */
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
  const [all, some] = [count + 1, count].map((each) => each.toLocaleString('en'));
  await expect(dialog.getByRole('status')).toHaveText(`Read as CSV: ${all} rows, of which ${some} can be imported.`, {
    timeout: 120_000,
  });
  const started = page.waitForResponse((response) => response.url().endsWith('/mappings/import'));
  await dialog.getByRole('button', { name: `Import ${some} mappings` }).click();
  const job = (await (await started).json()) as { jobId: number; commandId: string };
  await expect(page.getByRole('region', { name: 'Import under way' }).getByRole('progressbar')).toBeVisible();
  return { crosswalkId: id, ...job };
}

test('continues a large import while its page reloads, and undoes it as a whole', async ({ openFor }) => {
  const page = await openFor('steward');
  await startImport(page, 20_000);
  await page.reload();
  await expect(page.getByText('Imported: 20,000 mappings.')).toBeVisible({ timeout: 90_000 });
  await expect(page.getByRole('region', { name: 'Import under way' })).toBeHidden();
  await expect(page.getByRole('tab', { name: 'Draft 20,000' })).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('tab', { name: 'Draft 0' })).toBeVisible({ timeout: 90_000 });
});

test('continues a large import after its tab was closed, cancels it, and undoes it in the monitor', async ({
  openFor,
}) => {
  const first = await openFor('steward');
  const { crosswalkId, jobId, commandId } = await startImport(first, 40_000);
  const address = first.url();
  const page = await first.context().newPage();
  await first.close();
  const countDrafts = async () =>
    (await callApi<{ draft: number }>(page, 'GET', `/api/crosswalks/${crosswalkId}/mappings/counts`)).draft;
  const countAtReturn = await countDrafts();
  await expect.poll(countDrafts, { timeout: 60_000 }).toBeGreaterThan(countAtReturn);

  const shownToasts = await recordToasts(page);
  const underWay = page.getByRole('region', { name: 'Import under way' });
  const database = new pg.Pool({ connectionString: process.env['STACK_DATABASE_URL'] ?? '', max: 2 });
  // However fast the import is, it is under way when it is cancelled.
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
  await drawer.getByRole('link', { name: 'Download the refused rows' }).click();
  // The file can be corrected and imported again.
  expect(await readFile(await (await saved).path(), 'utf8')).toMatch(
    /^\ufeffrdm:reason,sourceValue,targetValue\r\n"Line \d+: sourceValue: The source value is missing\.[^"]*",,T\r\n/,
  );
  await drawer.getByRole('button', { name: /^Undo [\d,]+ rows$/ }).click();
  const question = page.getByRole('dialog', { name: /^Undo [\d,]+ rows\?$/ });
  await expect(question).toContainText('Added records are deleted');
  await question.getByRole('button', { name: /^Undo/ }).click();
  await expect.poll(countDrafts, { timeout: 90_000 }).toBe(0);
  // An undone import offers no undo.
  await expect(drawer.getByRole('button', { name: /^Undo/ })).toHaveCount(0, { timeout: 30_000 });
});
