/** A list of 20,000 rows, scrolled by keys, row number, page, wheel and scrollbar. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { codeOf, expectRow, importDataSet, keyAt, rowAt } from './large-data-sets.ts';

// A trace copies the page at each step. With tables of this size, a copy takes longer than the step.
test.use({ trace: 'off', reusesPages: true });

const ROWS = 20_000;

const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages' });

const scrollerOf = (page: Page) => page.locator('[data-scrolls]', { has: page.getByRole('grid') }).last();

test('scrolls 20,000 rows as one list by keys, row number, page, wheel and scrollbar', async ({ openFor }) => {
  const steward = await openFor('steward');
  const lines = Array.from({ length: ROWS }, (_, row) => `${codeOf(row)},Name of ${row},${row % 7}`);
  const dataSet = await importDataSet(steward, 'Long', ['code', 'name', 'group'], lines);
  await steward.goto(`/reference-data/${dataSet.id}`);
  const grid = steward.getByRole('grid', { name: dataSet.name });

  await test.step('moves the focus to the last row with Ctrl+End and to the first row with Ctrl+Home', async () => {
    await expectRow(grid, 0);
    await steward.keyboard.press('j');
    await steward.keyboard.press('Control+End');
    await expectRow(grid, ROWS - 1);
    await expect(rowAt(grid, ROWS - 1)).toBeFocused();
    await expect(rowAt(grid, ROWS - 1)).toHaveAttribute('aria-rowindex', String(ROWS + 1));
    await expect(grid).toHaveAttribute('aria-rowcount', String(ROWS + 1));
    await expect(pager(steward)).toContainText('19,951–20,000 of 20,000');
    await steward.keyboard.press('ArrowUp');
    await expect(rowAt(grid, ROWS - 2)).toBeFocused();
    await steward.keyboard.press('Control+Home');
    await expectRow(grid, 0);
    await expect(rowAt(grid, 0)).toBeFocused();
    await steward.keyboard.press('PageDown');
    await expect(rowAt(grid, 0)).not.toBeFocused();
  });

  await test.step('jumps to a row by number, and adds the page to the URL', async () => {
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

  await test.step('scrolls by the pixels of the wheel, and to the position of the scrollbar', async () => {
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
    await expect(pager(steward)).toContainText('of 10');
    await expect(keyAt(grid, 0)).toHaveText('L01239');
  });
});
