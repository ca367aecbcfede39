/** Imports large data sets, and finds their rows in the list. */
import type { Locator, Page } from '@playwright/test';
import { callApi, expect, uniqueName } from './fixtures.ts';

export const codeOf = (row: number): string => `L${String(row).padStart(5, '0')}`;

/** Creates a data set and imports rows into it from a file. */
export async function importDataSet(page: Page, name: string, fields: readonly string[], lines: readonly string[]) {
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: uniqueName(name),
    description: '',
    schemas: fields.map((field, place) => ({ name: field, dataType: 'string', isPrimaryKey: place === 0 })),
  });
  const dataSet = { name: uniqueName(name), id: 0 };
  dataSet.id = (await callApi(page, 'POST', '/api/reference-data', { name: dataSet.name, typeId })).id;
  const baseUrl = process.env['BASE_URL'] ?? '';
  const sent = await page.request.post(`${baseUrl}/api/imports`, {
    headers: { Origin: baseUrl },
    multipart: {
      dataSetId: String(dataSet.id),
      file: { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from([fields.join(','), ...lines].join('\n')) },
    },
  });
  expect(sent.ok(), await sent.text()).toBe(true);
  const { id: fileId } = (await sent.json()) as { id: string };
  await callApi(page, 'POST', `/api/imports/${fileId}/start`, { description: name });
  await expect
    .poll(
      async () =>
        (await callApi<{ instanceCount: number }>(page, 'GET', `/api/reference-data/${dataSet.id}`)).instanceCount,
      { timeout: 60_000 },
    )
    .toBe(lines.length);
  return dataSet;
}

export const rowAt = (grid: Locator, index: number) => grid.locator(`[data-row="${index}"]`);
export const keyAt = (grid: Locator, index: number) => rowAt(grid, index).locator('td[data-column]').first();

/** Expects the centre of the cell to be on screen and not covered. */
export async function expectInSight(cell: Locator): Promise<void> {
  await expect
    .poll(() =>
      cell.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && element.contains(hit);
      }),
    )
    .toBe(true);
}

export async function expectRow(grid: Locator, index: number): Promise<void> {
  await expect(keyAt(grid, index)).toHaveText(codeOf(index));
  await expectInSight(keyAt(grid, index));
}
