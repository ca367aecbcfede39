/** The API Testing page: administrators translate a CSV with an API key, and see what a system with the key gets. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import {
  apiKey,
  CSV,
  chooseColumn,
  chooseCrosswalk,
  column,
  createApiTestData,
  crosswalkField,
  csvData,
  expectComplete,
  grid,
  rowOf,
  run,
} from './api-testing-page.ts';
import { expectAccessibleInBothThemes } from './axe.ts';
import { callApi, expect, test } from './fixtures.ts';

test.use({ reusesPages: true });

async function missingOf(page: Page, crosswalkId: number): Promise<string[]> {
  const path = `/api/missing-mappings?crosswalkId=${crosswalkId}`;
  const { items } = await callApi<{ items: { sourceValue: string }[] }>(page, 'GET', path);
  return items.map(({ sourceValue }) => sourceValue);
}

test('translates a CSV with the results that a system gets, copies the call as curl, exports and clears the result', async ({
  openFor,
  baseUrl,
}) => {
  const [admin, steward, approver] = await Promise.all([openFor('admin'), openFor('steward'), openFor('approver')]);
  await admin.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
  const { createCrosswalk, key } = await createApiTestData(admin, steward, approver);
  const plain = await createCrosswalk({ yields: 'NOTHING' });
  const fixed = await createCrosswalk({ yields: 'FIXED', value: 'ZZZ' });

  await test.step('opens from the Administration menu', async () => {
    await admin.goto('/');
    await admin.getByRole('button', { name: 'Administration' }).click();
    await admin.getByRole('navigation').getByRole('link', { name: 'API Testing' }).click();
    await expect(admin.getByText('No transformed rows yet')).toBeVisible();
  });

  await test.step('shows the status of each row', async () => {
    await csvData(admin).fill(CSV);
    await apiKey(admin).fill(key);
    await chooseCrosswalk(admin, plain.name);
    await chooseColumn(admin, 'code');
    const [request] = await Promise.all([admin.waitForRequest(/\/translate/), run(admin).click()]);
    await expectComplete(admin, '3 rows');
    expect(request.url()).toBe(`${baseUrl}/api/crosswalks/${plain.id}/translate?record=false`);
    const headers = await request.allHeaders();
    expect(headers['authorization']).toBe(`Bearer ${key}`);
    expect(headers['cookie']).toBeUndefined();
    await expect(rowOf(admin, 'de')).toContainText(/DEU\s*Mapped/);
    await expect(rowOf(admin, 'uk')).toContainText(/GBR\s*IMN\s*Mapped\s*2 target values/);
    await expect(rowOf(admin, 'xx')).toContainText(/Unmapped\s*No approved mapping/);
    await expectAccessibleInBothThemes(admin, 'transformed rows');
  });

  await test.step('copies a curl command with the value and a variable for the key', async () => {
    await admin.getByRole('button', { name: 'Copy as curl' }).click();
    const readClipboard = () => admin.evaluate(() => navigator.clipboard.readText());
    await expect.poll(readClipboard).toContain(`"${baseUrl}/api/crosswalks/${plain.id}/translate?record=false"`);
    const command = await readClipboard();
    expect(command).toContain('Authorization: Bearer $API_KEY');
    expect(command).toContain(`-d '{"values":["de"]}'`);
    expect(command).not.toContain(key);
  });

  await test.step('exports all rows with neutralised formulas', async () => {
    await admin.getByRole('button', { name: 'Export' }).click();
    const save = () => admin.getByRole('menuitem', { name: 'CSV' }).first().click();
    const [download] = await Promise.all([admin.waitForEvent('download'), save()]);
    expect(download.suggestedFilename()).toBe(`${plain.name} (transformed).csv`);
    expect((await readFile(await download.path(), 'utf8')).split('\r\n')).toEqual([
      '\uFEFFcode,name,note,Translation,Status,Detail',
      `de,Germany,"'=1+1",DEU,Mapped,`,
      'uk,United Kingdom,,GBR | IMN,Mapped,2 target values',
      'xx,Nowhere,,,Unmapped,No approved mapping',
    ]);
  });

  await test.step('keeps its state across navigation without storing the key', async () => {
    await admin.getByRole('navigation').getByRole('link', { name: 'Monitor' }).click();
    await expect(admin.getByRole('heading', { name: 'Monitor' })).toBeVisible();
    await admin.goBack();
    await expectComplete(admin, '3 rows');
    await expect(apiKey(admin)).toHaveValue(key);
    expect(admin.url()).not.toContain(key);
    const stored = await admin.evaluate(async () =>
      JSON.stringify([localStorage, sessionStorage, document.cookie, await indexedDB.databases()]),
    );
    expect(stored).not.toContain(key);
  });

  await test.step('marks fallbacks, and records unmapped values on request', async () => {
    await chooseCrosswalk(admin, fixed.name);
    await admin.getByRole('checkbox', { name: 'Record unmapped values as missing mappings' }).click();
    await run(admin).click();
    await expectComplete(admin, '3 rows');
    await expect(rowOf(admin, 'xx')).toContainText(/ZZZ\s*Fallback\s*Fixed value of the crosswalk/);
    await expect.poll(() => missingOf(steward, fixed.id)).toEqual(['xx']);
    // Requests are recorded in order. If the first run had recorded its unmapped value, the list would have it by now.
    expect(await missingOf(steward, plain.id)).toEqual([]);
    await admin.getByRole('combobox', { name: 'Status of rows' }).click();
    await admin.getByRole('option', { name: 'Mapped', exact: true }).click();
    await expect(grid(admin).getByRole('row')).toHaveCount(3);
    await expect(rowOf(admin, 'xx')).toHaveCount(0);
  });

  await test.step('empties the page with Clear', async () => {
    await admin.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect(admin.getByText('No transformed rows yet')).toBeVisible();
    await expect(csvData(admin)).toHaveValue('');
    await expect(apiKey(admin)).toHaveValue('');
    await expect(crosswalkField(admin)).toHaveText('Choose…');
    await expect(column(admin)).toHaveText('Add CSV data first');
  });
});

test('does not open for users who are not administrators', async ({ openFor }) => {
  const steward = await openFor('steward');
  for (const path of ['/api-testing', '/api-test']) {
    await steward.goto(path);
    await expect(steward).toHaveURL(/\/$/);
  }
  await expect(steward.getByRole('link', { name: 'API Testing' })).toHaveCount(0);
});
