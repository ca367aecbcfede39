/** Creates data sets that the approver may read, adds rows to them, and reads the codes that a list shows. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo } from './collections.ts';
import { callApi, uniqueName } from './fixtures.ts';

export const grid = (page: Page, name: string) => page.getByRole('grid', { name });

/** Creates a data set that the approver may read. */
export async function createDataSet(
  steward: Page,
  approver: Page,
  codes: readonly string[],
): Promise<{ id: number; name: string }> {
  const { id: collectionId } = await createCollection(
    steward,
    [await grantTo(approver, 'APPROVER')],
    uniqueName('Watched'),
  );
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    description: '',
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'note', dataType: 'string', isPrimaryKey: false },
    ],
  });
  const name = uniqueName('Codes');
  const { id } = await callApi(steward, 'POST', '/api/reference-data', { name, typeId, collectionId });
  await addRows(steward, id, codes);
  // Wait until the rows are projected, because a page that opens later does not know the position to wait for.
  await callApi(approver, 'GET', `/api/reference-data/${id}/instances`);
  return { id, name };
}

export const addRows = (page: Page, dataSetId: number, codes: readonly string[]) =>
  callApi(page, 'POST', `/api/reference-data/${dataSetId}/instances`, {
    rows: codes.map((code) => ({ data: { code, note: 'as it was' } })),
  });

/** Returns the codes of the displayed rows; a code has four digits and begins with 0. */
export const shownCodes = (page: Page, name: string) =>
  grid(page, name)
    .locator('[data-row]')
    .evaluateAll((rows) =>
      rows
        .flatMap((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? ''))
        .filter((text) => /^0\d{3}$/.test(text)),
    );
