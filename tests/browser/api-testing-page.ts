/** Test data and locators for the API Testing page. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, expect, uniqueName } from './fixtures.ts';

type Unmapped = { yields: 'NOTHING' } | { yields: 'FIXED'; value: string };
type RowsAnswer = { results: { id: number; revision: number }[] };

interface ApiTestData {
  /** Creates an approved crosswalk that maps “de” to one target value and “uk” to two. */
  createCrosswalk: (unmapped: Unmapped) => Promise<NamedItem>;
  /** An API key whose only scope is `translate`. */
  key: string;
}

export async function createApiTestData(admin: Page, steward: Page, approver: Page): Promise<ApiTestData> {
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
  const createCrosswalk = async (unmapped: Unmapped): Promise<NamedItem> => {
    const name = uniqueName('Countries');
    const { id } = await callApi(steward, 'POST', '/api/crosswalks', {
      name,
      sourceSystemId,
      targetSystemId,
      sourceAttribute: 'code',
      targetAttribute: 'code',
      unmapped,
    });
    const sendMappings = (action: string, user: Page, rows: unknown) =>
      callApi<RowsAnswer>(user, 'POST', `/api/crosswalks/${id}/mappings${action}`, { rows });
    const sourceByTarget = { DEU: 'de', GBR: 'uk', IMN: 'uk' };
    const drafts = Object.entries(sourceByTarget).map(([targetValue, sourceValue]) => ({ sourceValue, targetValue }));
    const submitted = await sendMappings('/submit', steward, (await sendMappings('', steward, drafts)).results);
    await callApi(approver, 'POST', `/api/crosswalks/${id}/approve`, {});
    await sendMappings('/approve', approver, submitted.results);
    return { id, name };
  };
  const scopes = [{ collectionId, scope: 'translate' }];
  const { key } = await callApi<{ key: string }>(admin, 'POST', '/api/api-keys', { name: uniqueName('Trial'), scopes });
  return { createCrosswalk, key };
}

export const CSV = 'code,name,note\nde,Germany,=1+1\nuk,United Kingdom,\nxx,Nowhere,\n';

export const csvData = (page: Page) => page.getByRole('textbox', { name: 'CSV data' });
export const apiKey = (page: Page) => page.getByRole('textbox', { name: 'API key' });
export const crosswalkField = (page: Page) => page.getByRole('button', { name: 'Crosswalk', exact: true });
export const column = (page: Page) => page.getByRole('combobox', { name: 'Column to translate' });
export const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true });
export const grid = (page: Page) => page.getByRole('grid', { name: 'Transformed rows' });
export const expectComplete = (page: Page, rows: string) =>
  expect(page.getByText(`Run complete: ${rows}`)).toBeVisible();
export const rowOf = (page: Page, value: string) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell', { name: value, exact: true }) });

export async function chooseCrosswalk(page: Page, name: string): Promise<void> {
  await crosswalkField(page).click();
  await page.getByPlaceholder('Type to search').fill(name);
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).click();
}

export async function chooseColumn(page: Page, name: string): Promise<void> {
  await column(page).click();
  await page.getByRole('option', { name, exact: true }).click();
}
