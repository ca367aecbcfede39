/** Creates data sets of a collection, and selects users and groups on the page of its permissions. */
import type { Page } from '@playwright/test';
import { callApi, uniqueName } from './fixtures.ts';

export async function createDataSet(page: Page, collectionId: number): Promise<{ id: number; name: string }> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', { name: uniqueName('Code'), schemas });
  const name = uniqueName('Codes');
  const { id } = await callApi(page, 'POST', '/api/reference-data', { name, typeId, collectionId });
  return { id, name };
}

export async function pick(page: Page, field: string, name: string, option: RegExp): Promise<void> {
  await page.getByLabel(field).click();
  await page.getByPlaceholder('Type to search').fill(name);
  await page.getByRole('option', { name: option }).click();
}
