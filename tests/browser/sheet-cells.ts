/** Creates data sets and opens them as sheets, finds their cells, pastes texts, and reads the stored rows. */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { callApi, expect, uniqueName } from './fixtures.ts';

interface Row {
  id: number;
  revision: number;
  key: string;
  data: Record<string, string | number | boolean | null>;
}
export interface RowPage {
  items: Row[];
  total: number;
}

export const cell = (page: Page, row: number, column: string): Locator =>
  page.locator(`[data-row="${row}"] td[data-column="${column}"]`);
export const expectSaved = (page: Page) => expect(page.getByText('Everything is saved')).toBeVisible();

/** The position of the last write by any recorded browser context. */
let lastPosition = '0';
const commitOf = (position: string): bigint => BigInt(position.split('/')[0] ?? 0);

/** Records the writes of a page and of all other pages in its browser context; `readStoredRows` waits for them. */
export function recordWritePosition(page: Page): void {
  page.context().on('response', (response) => {
    const position = response.headers()['x-position'];
    if (response.request().method() === 'GET' || position === undefined) return;
    if (commitOf(position) > commitOf(lastPosition)) lastPosition = position;
  });
}

/** Creates a data set with these rows and opens it in the page. */
export async function openSheet(page: Page, rows: Record<string, unknown>[], collectionId?: number): Promise<number> {
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: uniqueName('Activity'),
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'title', dataType: 'string' },
      { name: 'note', dataType: 'string' },
      { name: 'level', dataType: 'number' },
      { name: 'active', dataType: 'boolean' },
      { name: 'since', dataType: 'date' },
    ],
  });
  const { id } = await callApi(page, 'POST', '/api/reference-data', {
    name: uniqueName('Activities'),
    typeId,
    collectionId,
  });
  if (rows.length > 0) {
    await callApi(page, 'POST', `/api/reference-data/${id}/instances`, { rows: rows.map((data) => ({ data })) });
  }
  recordWritePosition(page);
  await page.goto(`/reference-data/${id}`);
  if (rows.length > 0) await expect(page.locator('[data-row="0"] td[data-column="code"]')).toBeVisible();
  return id;
}

/** Returns the cells of the stored rows by key. Waits until all recorded writes are readable. */
export async function readStoredRows(page: Page, id: number): Promise<Record<string, Row['data']>> {
  const rows: Row[] = [];
  for (let pageNumber = 1; ; ) {
    const response = await page.request.get(
      `${process.env['BASE_URL']}/api/reference-data/${id}/instances?pageSize=1000&page=${pageNumber}`,
      { headers: { 'X-Min-Position': lastPosition } },
    );
    expect(response.ok(), await response.text()).toBe(true);
    if (response.headers()['x-behind'] === 'true') continue;
    const { items, total } = (await response.json()) as RowPage;
    rows.push(...items);
    if (rows.length >= total) return Object.fromEntries(rows.map(({ key, data }) => [key, data]));
    pageNumber += 1;
  }
}

/** Returns rows with the codes 0001, 0002 and so on. */
export const codedRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    code: String(index + 1).padStart(4, '0'),
    title: `Title ${index + 1}`,
    level: index,
  }));

/** Puts a text on the clipboard of the machine, as another program would, and pastes it. */
export async function paste(page: Page, text: string): Promise<void> {
  await (page.context() as BrowserContext).grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
}
