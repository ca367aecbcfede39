/** A list of 20,000 rows and one of 200 columns, scrolled by keys, wheel, scrollbar and link at several zoom levels. */
import type { Locator, Page } from '@playwright/test';
import { callApi, expect, removeAfterStory, test, uniqueName } from './fixtures.ts';

// A trace copies the page at each step, which takes longer than the steps with tables of this size.
test.use({ trace: 'off', reusesPages: true });

const ROWS = 20_000;
const COLUMNS = 200;
const codeOf = (row: number): string => `L${String(row).padStart(5, '0')}`;

/** Creates a data set and imports rows into it from a file. */
async function importDataSet(page: Page, name: string, fields: readonly string[], lines: readonly string[]) {
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
  const { id: jobId } = (await sent.json()) as { id: string };
  await callApi(page, 'POST', `/api/imports/${jobId}/start`, { description: name });
  await expect
    .poll(
      async () =>
        (await callApi<{ instanceCount: number }>(page, 'GET', `/api/reference-data/${dataSet.id}`)).instanceCount,
      { timeout: 60_000 },
    )
    .toBe(lines.length);
  return dataSet;
}

const rowAt = (grid: Locator, index: number) => grid.locator(`[data-row="${index}"]`);
const keyAt = (grid: Locator, index: number) => rowAt(grid, index).locator('td[data-column]').first();
const toolbox = (page: Page) => page.getByRole('navigation', { name: 'Pages' });

/** Expects the cell to be on screen with nothing over it. */
async function expectInSight(cell: Locator): Promise<void> {
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

async function expectRow(grid: Locator, index: number): Promise<void> {
  await expect(keyAt(grid, index)).toHaveText(codeOf(index));
  await expectInSight(keyAt(grid, index));
}

const scrollerOf = (page: Page) => page.locator('[data-scrolls]', { has: page.getByRole('grid') }).last();

test('scrolls 20,000 rows as one list by keys, number, wheel, scrollbar and link', async ({ openFor }) => {
  const steward = await openFor('steward');
  const lines = Array.from({ length: ROWS }, (_, row) => `${codeOf(row)},Name of ${row},${row % 7}`);
  const dataSet = await importDataSet(steward, 'Long', ['code', 'name', 'group'], lines);
  await steward.goto(`/reference-data/${dataSet.id}`);
  const grid = steward.getByRole('grid', { name: dataSet.name });

  await test.step('moves to the very last row with Ctrl+End and to the first with Ctrl+Home, with the focus', async () => {
    await expectRow(grid, 0);
    await steward.keyboard.press('j');
    await steward.keyboard.press('Control+End');
    await expectRow(grid, ROWS - 1);
    await expect(rowAt(grid, ROWS - 1)).toBeFocused();
    await expect(rowAt(grid, ROWS - 1)).toHaveAttribute('aria-rowindex', String(ROWS + 1));
    await expect(grid).toHaveAttribute('aria-rowcount', String(ROWS + 1));
    await expect(toolbox(steward)).toContainText('19,951–20,000 of 20,000');
    await steward.keyboard.press('ArrowUp');
    await expect(rowAt(grid, ROWS - 2)).toBeFocused();
    await steward.keyboard.press('Control+Home');
    await expectRow(grid, 0);
    await expect(rowAt(grid, 0)).toBeFocused();
    await steward.keyboard.press('PageDown');
    await expect(rowAt(grid, 0)).not.toBeFocused();
  });

  await test.step('jumps to a row by its number, and keeps its page in the link', async () => {
    await steward.getByRole('textbox', { name: 'Go to row' }).fill('12,346');
    await steward.keyboard.press('Enter');
    await expectRow(grid, 12_345);
    await expect(rowAt(grid, 12_345)).toBeFocused();
    await expect(steward).toHaveURL(/[?&]page=247\b/);
    await steward.reload();
    await expectRow(grid, 12_300);
    await steward.getByRole('button', { name: 'Next page' }).click();
    await expectRow(grid, 12_350);
  });

  await test.step('scrolls by the pixels of the wheel, and in proportion to the scrollbar', async () => {
    const top = async () => (await keyAt(grid, 12_355).boundingBox())?.y ?? Number.NaN;
    const before = await top();
    const box = await scrollerOf(steward).boundingBox();
    await steward.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
    await steward.mouse.wheel(0, 100);
    await expect.poll(async () => Math.round(before - (await top()))).toBe(100);
    await scrollerOf(steward).evaluate((element) => {
      element.scrollTop = (element.scrollHeight - element.clientHeight) / 4;
    });
    await expectRow(grid, ROWS / 4);
    await expect(steward).toHaveURL(/[?&]page=100\b/);
  });

  await test.step('selects a range with rows that were never loaded', async () => {
    await steward.getByRole('textbox', { name: 'Go to row' }).fill('1');
    await steward.keyboard.press('Enter');
    await expectRow(grid, 0);
    await rowAt(grid, 0).getByRole('checkbox').click();
    await scrollerOf(steward).evaluate((element) => {
      element.scrollTop = 32 * 500;
    });
    await expectRow(grid, 505);
    await rowAt(grid, 505)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await expect(steward.getByText('506 selected')).toBeVisible();
    await steward.getByRole('button', { name: 'Clear selection' }).click();
  });

  await test.step('starts at the top after a sort or a search', async () => {
    await grid.getByRole('button', { name: 'code' }).click();
    await expect(keyAt(grid, 0)).toHaveText(codeOf(ROWS - 1));
    await steward.getByRole('searchbox').fill('L0123');
    await expect(toolbox(steward)).toContainText('of 10');
    await expect(keyAt(grid, 0)).toHaveText('L01239');
  });
});

for (const zoom of [0.5, 2]) {
  test(`reaches the last of many rows at zoom ${zoom}`, async ({ openFor }) => {
    const steward = await openFor('steward');
    const lines = Array.from({ length: 5_000 }, (_, row) => `${codeOf(row)},Name of ${row}`);
    const dataSet = await importDataSet(steward, 'Zoomed', ['code', 'name'], lines);
    removeAfterStory(steward, await steward.addInitScript((to) => localStorage.setItem('zoom', String(to)), zoom));
    await steward.goto(`/reference-data/${dataSet.id}`);
    const grid = steward.getByRole('grid', { name: dataSet.name });
    await expectRow(grid, 0);
    await steward.keyboard.press('j');
    await steward.keyboard.press('Control+End');
    await expectRow(grid, 4_999);
    await steward.keyboard.press('Control+Home');
    await expectRow(grid, 0);
  });
}

test('reaches the last of 200 columns by keys, and finds columns by name', async ({ openFor }) => {
  const steward = await openFor('steward');
  const fields = Array.from({ length: COLUMNS }, (_, column) => (column === 0 ? 'code' : `Field ${column + 1}`));
  const lines = Array.from({ length: 300 }, (_, row) =>
    fields.map((_, column) => (column === 0 ? codeOf(row) : `r${row}c${column + 1}`)).join(','),
  );
  const dataSet = await importDataSet(steward, 'Wide', fields, lines);
  await steward.goto(`/reference-data/${dataSet.id}`);
  const grid = steward.getByRole('grid', { name: dataSet.name });
  const cell = (row: number, column: string) => rowAt(grid, row).locator(`td[data-column="${column}"]`);

  await expectRow(grid, 0);
  await expect(cell(0, 'Field 150')).toHaveCount(0);
  await steward.keyboard.press('j');
  for (let turn = 0; turn < 9; turn++) await steward.keyboard.press('ArrowRight');
  await expectInSight(cell(0, 'Field 10'));
  await steward.keyboard.press('Control+ArrowRight');
  await expect(cell(0, 'Field 200')).toHaveText('r0c200');
  await expectInSight(cell(0, 'Field 200'));
  await expectInSight(keyAt(grid, 0));
  await expect(grid.getByRole('columnheader', { name: 'Field 200' })).toHaveAttribute('aria-colindex', '201');
  await steward.keyboard.press('Control+ArrowLeft');
  await steward.keyboard.press('ArrowRight');
  await expectInSight(cell(0, 'Field 2'));

  await steward.getByRole('button', { name: 'Choose columns' }).click();
  await steward.getByRole('button', { name: 'Hide all' }).click();
  await steward.getByRole('searchbox', { name: 'Search columns' }).fill('field 17');
  await steward.getByRole('button', { name: 'Show these' }).click();
  await steward.keyboard.press('Escape');
  await expect(grid.getByRole('columnheader')).toHaveText([
    '',
    'code',
    'Field 17',
    ...Array.from({ length: 10 }, (_, digit) => `Field 17${digit}`),
    'Actions',
  ]);
  await expectInSight(cell(0, 'Field 17'));
});
