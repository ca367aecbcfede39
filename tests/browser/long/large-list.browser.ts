/** A list of 5,000 rows at other zoom levels, and a list of 200 columns. */
import { expect, removeAfterTest, test } from '../fixtures.ts';
import { codeOf, expectInSight, expectRow, importDataSet, keyAt, rowAt } from '../large-data-sets.ts';

// No trace: with tables of this size, its copy of the page at each step takes longer than the step.
test.use({ trace: 'off', reusesPages: true });

const COLUMNS = 200;

for (const zoom of [0.5, 2]) {
  test(`scrolls to the last row of a long list at zoom ${zoom}`, async ({ openFor }) => {
    const steward = await openFor('steward');
    const lines = Array.from({ length: 5_000 }, (_, row) => `${codeOf(row)},Name of ${row}`);
    const dataSet = await importDataSet(steward, 'Zoomed', ['code', 'name'], lines);
    removeAfterTest(steward, await steward.addInitScript((to) => localStorage.setItem('zoom', String(to)), zoom));
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
