/** The API Testing page: administrators translate a CSV with an API key, and see what a system with the key gets. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from './axe.ts';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, expect, fillSignIn, signInByApi, test, uniqueName, visit } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { ADMIN_PASSWORD } from './stack.ts';

test.use({ reusesPages: true });

type Unmapped = { yields: 'NOTHING' } | { yields: 'FIXED'; value: string };
type Rows = { results: { id: number; revision: number }[] };

interface ApiTestData {
  /** Creates an approved crosswalk that maps de to one value and uk to two. */
  crosswalk: (unmapped: Unmapped) => Promise<NamedItem>;
  /** A key that may translate, and nothing else. */
  key: string;
}

async function createApiTestData(admin: Page, steward: Page, approver: Page): Promise<ApiTestData> {
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (side: string, codes: readonly string[]): Promise<number> => {
    const { id } = await callApi(steward, 'POST', '/api/reference-data', {
      name: uniqueName(side),
      typeId,
      collectionId,
    });
    const rows = codes.map((code) => ({ data: { code } }));
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, { rows });
    return id;
  };
  const [sourceSystemId, targetSystemId] = [
    await createDataSet('From', ['de', 'uk']),
    await createDataSet('To', ['DEU', 'GBR', 'IMN']),
  ];
  const crosswalk = async (unmapped: Unmapped): Promise<NamedItem> => {
    const name = uniqueName('Countries');
    const { id } = await callApi(steward, 'POST', '/api/crosswalks', {
      name,
      sourceSystemId,
      targetSystemId,
      sourceAttribute: 'code',
      targetAttribute: 'code',
      unmapped,
    });
    const sendMappings = (verb: string, by: Page, rows: unknown) =>
      callApi<Rows>(by, 'POST', `/api/crosswalks/${id}/mappings${verb}`, { rows });
    const pairs = { DEU: 'de', GBR: 'uk', IMN: 'uk' };
    const drafts = Object.entries(pairs).map(([targetValue, sourceValue]) => ({ sourceValue, targetValue }));
    const submitted = await sendMappings('/submit', steward, (await sendMappings('', steward, drafts)).results);
    await callApi(approver, 'POST', `/api/crosswalks/${id}/approve`, {});
    await sendMappings('/approve', approver, submitted.results);
    return { id, name };
  };
  const scopes = [{ collectionId, scope: 'translate' }];
  const { key } = await callApi<{ key: string }>(admin, 'POST', '/api/api-keys', { name: uniqueName('Trial'), scopes });
  return { crosswalk, key };
}

const CSV = 'code,name,note\nde,Germany,=1+1\nuk,United Kingdom,\nxx,Nowhere,\n';

const csvData = (page: Page) => page.getByRole('textbox', { name: 'CSV data' });
const apiKey = (page: Page) => page.getByRole('textbox', { name: 'API key' });
const crosswalkField = (page: Page) => page.getByRole('button', { name: 'Crosswalk', exact: true });
const column = (page: Page) => page.getByRole('combobox', { name: 'Column to translate' });
const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true });
const grid = (page: Page) => page.getByRole('grid', { name: 'Transformed rows' });
const expectComplete = (page: Page, rows: string) => expect(page.getByText(`Run complete: ${rows}`)).toBeVisible();
const rowOf = (page: Page, value: string) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell', { name: value, exact: true }) });

async function chooseCrosswalk(page: Page, name: string): Promise<void> {
  await crosswalkField(page).click();
  await page.getByPlaceholder('Type to search').fill(name);
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).click();
}

async function chooseColumn(page: Page, name: string): Promise<void> {
  await column(page).click();
  await page.getByRole('option', { name, exact: true }).click();
}

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
  const { crosswalk, key } = await createApiTestData(admin, steward, approver);
  const [plain, fixed] = [await crosswalk({ yields: 'NOTHING' }), await crosswalk({ yields: 'FIXED', value: 'ZZZ' })];

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

  await test.step('keeps its state across navigation and stores the key nowhere', async () => {
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
    await admin.getByRole('checkbox', { name: 'Record unmapped values as missing' }).click();
    await run(admin).click();
    await expectComplete(admin, '3 rows');
    await expect(rowOf(admin, 'xx')).toContainText(/ZZZ\s*Fallback\s*Fixed value of the crosswalk/);
    await expect.poll(() => missingOf(steward, fixed.id)).toEqual(['xx']);
    // Requests are recorded in order: a value of the previous run, which was not to record it, would be listed by now.
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

test('explains refused keys and invalid input, and keeps the input', async ({ openFor }) => {
  const [admin, steward, approver] = await Promise.all([openFor('admin'), openFor('steward'), openFor('approver')]);
  const { crosswalk } = await createApiTestData(admin, steward, approver);
  const { name } = await crosswalk({ yields: 'NOTHING' });
  await admin.goto('/api-test');

  await test.step('names the missing inputs of a run', async () => {
    await run(admin).click();
    for (const what of ['CSV data', 'API key', 'Crosswalk', 'Column']) {
      await expect(admin.getByText(`${what} is required`)).toBeVisible();
    }
    await expect(csvData(admin)).toBeFocused();
  });

  await test.step('shows an error in each row if the key is wrong, and keeps the user signed in', async () => {
    await csvData(admin).fill(CSV);
    await chooseCrosswalk(admin, name);
    await chooseColumn(admin, 'code');
    await apiKey(admin).fill('rdm_wrong');
    await run(admin).click();
    await expectComplete(admin, '3 rows');
    await expect(grid(admin).getByText('401: This API key is unknown, revoked or expired')).toHaveCount(3);
    await expect(rowOf(admin, 'de')).toContainText('Failed');
    await expect(admin).toHaveURL(/\/api-test$/);
    await visit(admin, '/monitor');
    await expect(admin.getByRole('heading', { name: 'Monitor' })).toBeVisible();
    await visit(admin, '/api-testing');
    await expectComplete(admin, '3 rows');
  });

  await test.step('keeps the rows when a file has another encoding', async () => {
    const file = { name: 'latin.csv', mimeType: 'text/csv', buffer: Buffer.from('code\nd\xe9', 'latin1') };
    await admin.getByLabel('CSV file').setInputFiles(file);
    await expect(admin.getByText('latin.csv is not UTF-8 text.')).toBeVisible();
    await expect(csvData(admin)).toHaveValue(CSV);
  });

  await test.step('names the row of an unclosed quotation mark', async () => {
    await csvData(admin).fill('code,name\nde,Germany\nuk,"United Kingdom\n');
    await run(admin).click();
    await expect(admin.getByText('A quotation mark in row 2 is not closed.')).toBeVisible();
    await expect(csvData(admin)).toHaveValue(/United Kingdom/);
  });
});

test('shows the rows of a long dropped file 50 per page', async ({ openFor }) => {
  const [admin, steward, approver] = await Promise.all([openFor('admin'), openFor('steward'), openFor('approver')]);
  const { crosswalk, key } = await createApiTestData(admin, steward, approver);
  const { name } = await crosswalk({ yields: 'NOTHING' });
  await admin.goto('/api-testing');
  const csv = `code\n${Array.from({ length: 10_060 }, (_, index) => (index === 10_059 ? 'de' : `x${index}`)).join('\n')}`;
  await csvData(admin).evaluate((field, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'long.csv'));
    field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, csv);
  await expect(csvData(admin)).toHaveValue(/^long\.csv, \d+ KiB$/);
  // The only column is selected.
  await expect(column(admin)).toHaveText('code');
  await apiKey(admin).fill(key);
  await chooseCrosswalk(admin, name);
  await run(admin).click();
  await expectComplete(admin, '10,060 rows');

  await test.step('shows the rows of a run without scrolling on a phone, where they are below the form', async () => {
    await admin.setViewportSize({ width: 390, height: 844 });
    await run(admin).scrollIntoViewIfNeeded();
    await run(admin).click();
    await expectComplete(admin, '10,060 rows');
    await expect(grid(admin).getByRole('row').nth(3)).toBeInViewport({ ratio: 1 });
    await expect(run(admin)).toBeFocused();
    await admin.setViewportSize({ width: 1440, height: 900 });
  });
  await expect(admin.getByText('1–50 of 10,060')).toBeVisible();
  await admin.getByRole('combobox', { name: 'Status of rows' }).click();
  await admin.getByRole('option', { name: 'Unmapped' }).click();
  await admin.getByRole('button', { name: 'Next page' }).click();
  await expect(admin.getByText('51–100 of 10,059')).toBeVisible();
  await expect(rowOf(admin, 'x50')).toBeVisible();
  await expect(admin).toHaveURL(/\/api-testing$/);

  await test.step('shows the reason for a status, and leaves the page buttons free, on a phone', async () => {
    await admin.setViewportSize({ width: 390, height: 844 });
    await expect(rowOf(admin, 'x50').getByText('No approved mapping')).toBeInViewport({ ratio: 1 });
    await grid(admin).evaluate((list) => list.closest('[data-scrolls]')?.scrollTo(0, 400));
    await admin.getByRole('contentinfo').scrollIntoViewIfNeeded();
    await expect(admin.getByRole('button', { name: 'Back to top' })).toBeVisible();
    await admin.getByRole('button', { name: 'Next page' }).click();
    await expect(admin.getByText('101–150 of 10,059')).toBeVisible();
  });
});

test('translates a CSV by keyboard alone', async ({ openFor }) => {
  const [admin, steward, approver] = await Promise.all([openFor('admin'), openFor('steward'), openFor('approver')]);
  const { crosswalk, key } = await createApiTestData(admin, steward, approver);
  const { name } = await crosswalk({ yields: 'NOTHING' });
  await admin.goto('/api-testing');
  await tabTo(admin, csvData(admin));
  await admin.keyboard.insertText(CSV);
  await tabTo(admin, apiKey(admin));
  await admin.keyboard.insertText(key);
  await tabTo(admin, crosswalkField(admin));
  await admin.keyboard.press('Enter');
  await expect(admin.getByPlaceholder('Type to search')).toBeFocused();
  await admin.keyboard.insertText(name);
  await expect(admin.getByRole('option')).toHaveText([new RegExp(name)]);
  await admin.keyboard.press('Enter');
  await expect(crosswalkField(admin)).toHaveText(name);
  await tabTo(admin, column(admin));
  await admin.keyboard.press('Enter');
  await expect(admin.getByRole('option', { name: 'code' })).toBeVisible();
  await admin.keyboard.press('Home');
  await admin.keyboard.press('Enter');
  await expect(column(admin)).toHaveText('code');
  await tabTo(admin, run(admin));
  await admin.keyboard.press('Enter');
  await expectComplete(admin, '3 rows');
  await expect(rowOf(admin, 'de')).toContainText('DEU');
  // The focus does not move, so that the user reaches the next control with one Tab.
  await expect(run(admin)).toBeFocused();
  await tabTo(admin, admin.getByRole('button', { name: 'Clear', exact: true }));
  await admin.keyboard.press('Space');
  await expect(admin.getByText('No transformed rows yet')).toBeVisible();
});

test('removes the results when the session of the tab ends', async ({ openFor }) => {
  // A session of its own, because this test ends it.
  const admin = await openFor('anonymous');
  await signInByApi(admin, 'admin', ADMIN_PASSWORD);
  await admin.goto('/api-testing');
  await apiKey(admin).fill('rdm_left_behind');
  await csvData(admin).fill(CSV);
  await callApi(admin, 'POST', '/api/logout', {});
  // The next call returns 401: the sign-in page appears without a load.
  await visit(admin, '/api-keys');
  await expect(admin).toHaveURL(/\/auth/);
  await fillSignIn(admin, 'admin', ADMIN_PASSWORD);
  await expect(admin.getByRole('button', { name: /^Account of/ })).toBeVisible();
  await visit(admin, '/api-testing');
  await expect(apiKey(admin)).toHaveValue('');
  await expect(csvData(admin)).toHaveValue('');
});

test('empties the page on a reload', async ({ openFor }) => {
  const admin = await openFor('admin');
  await admin.goto('/api-testing');
  await apiKey(admin).fill('rdm_forgotten');
  await csvData(admin).fill(CSV);
  await admin.reload();
  await expect(apiKey(admin)).toHaveValue('');
  await expect(csvData(admin)).toHaveValue('');
});

test('does not open for users who are not administrators', async ({ openFor }) => {
  const steward = await openFor('steward');
  for (const path of ['/api-testing', '/api-test']) {
    await steward.goto(path);
    await expect(steward).toHaveURL(/\/$/);
  }
  await expect(steward.getByRole('link', { name: 'API Testing' })).toHaveCount(0);
});
