/**
 * The rows of a data set as a sheet: typed, filled and pasted values are stored exactly, a conflict between two users
 * in one cell is resolved in a dialog, and values that cannot be stored stay in their cells.
 */
import { callApi, expect, lastAction, test } from './fixtures.ts';
import {
  cell,
  codedRows,
  expectSaved,
  openSheet,
  paste,
  type RowPage,
  readStoredRows,
  recordWritePosition,
} from './sheet-cells.ts';

test.use({ reusesPages: true });

test('types into, moves through, fills, empties and restores cells', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(12));

  await test.step('starts an edit by typing, moves down with Enter and right with Tab', async () => {
    await cell(page, 0, 'title').click();
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await page.keyboard.press('F2');
    await page.keyboard.type(' and more');
    await page.keyboard.press('Tab');
    await page.keyboard.type('00123');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1e2');
    await page.keyboard.press('Tab');
    await page.keyboard.type('t');
    await page.keyboard.press('Tab');
    await page.keyboard.type('2024-02-29');
    await page.keyboard.press('Enter');
    await expectSaved(page);
    const rows = await readStoredRows(page, id);
    expect(rows['0001']).toMatchObject({ title: 'First' });
    expect(rows['0002']).toEqual({
      code: '0002',
      title: 'Title 2 and more',
      note: '00123',
      level: 100,
      active: true,
      since: '2024-02-29',
    });
  });

  await test.step('accepts different words for a boolean', async () => {
    const active = cell(page, 4, 'active');
    for (const [word, shown] of [
      ['yes', 'true'],
      ['wahr', 'true'],
      ['0', 'false'],
      ['True', 'true'],
      ['no', 'false'],
    ] as const) {
      await active.click();
      await page.keyboard.type(word);
      await page.keyboard.press('Enter');
      await expect(active, word).toHaveText(shown);
    }
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0005']).toMatchObject({ active: false });
  });

  await test.step('marks an invalid value at the cell, and reverts it with Escape', async () => {
    await cell(page, 3, 'level').click();
    await page.keyboard.type('seven');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toHaveText('"seven" is not a number');
    await page.keyboard.press('Escape');
    await expect(cell(page, 3, 'level')).toHaveText('3');
  });

  await test.step('marks an invalid value when the user leaves the cell, and keeps it after a reload', async () => {
    await cell(page, 3, 'level').click();
    await page.keyboard.type('eight');
    await cell(page, 5, 'title').click();
    await expect(cell(page, 3, 'level')).toHaveAttribute('data-mark', 'failed');
    await expect(cell(page, 3, 'level')).toContainText('eight');
    await expect(page.getByText('1 not saved')).toBeVisible();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await expect(cell(page, 3, 'level')).toContainText('eight');
    await cell(page, 3, 'level').click();
    await page.keyboard.type('8');
    await page.keyboard.press('Enter');
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0004']).toMatchObject({ level: 8 });
  });

  await test.step('fills and empties a range, undoes both, and redoes the fill', async () => {
    await cell(page, 5, 'title').click();
    for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Control+d');
    await expectSaved(page);
    for (const code of ['0006', '0007', '0008', '0009']) {
      expect((await readStoredRows(page, id))[code]).toMatchObject({ title: 'Title 6' });
    }
    await page.keyboard.press('Delete');
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0007']).toMatchObject({ title: null });
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect(cell(page, 7, 'title')).toHaveText('Title 8');
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0008']).toMatchObject({ title: 'Title 8' });
    await page.keyboard.press('Control+Shift+z');
    await expect(cell(page, 7, 'title')).toHaveText('Title 6');
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0008']).toMatchObject({ title: 'Title 6' });
  });

  await test.step('fills by dragging the handle', async () => {
    await cell(page, 9, 'level').click();
    await page.locator('[data-handle]').hover();
    await page.mouse.down();
    await cell(page, 11, 'level').hover();
    await page.mouse.up();
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0012']).toMatchObject({ level: 9 });
  });

  await test.step('changes a key after a confirmation, and undoes the change as one step', async () => {
    await cell(page, 0, 'code').click();
    await page.keyboard.type('X');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change the key of 0001?' });
    await expect(dialog).toContainText('code: 0001 → X');
    await expect(dialog).toContainText('No mapping and no relationship value that you can read refers to this row');
    await dialog.getByRole('button', { name: 'Change the key' }).click();
    await expect(page.getByText('Key 0001 changed to X')).toBeVisible();
    const changed = await readStoredRows(page, id);
    expect(changed['X']).toMatchObject({ code: 'X', title: 'First' });
    expect(changed).not.toHaveProperty('0001');
    await lastAction(page).getByRole('button', { name: 'Undo' }).click();
    await expect(cell(page, 0, 'code')).toHaveText('0001');
    // The page shows the old key before the server has stored the undo.
    await expect.poll(async () => (await readStoredRows(page, id))['0001']).toMatchObject({ title: 'First' });
    expect(await readStoredRows(page, id)).not.toHaveProperty('X');
  });

  await test.step('shows why Delete cannot empty a key', async () => {
    await cell(page, 3, 'code').click();
    await page.keyboard.press('Delete');
    await expect(page.getByText('Keys can be changed only one at a time: edit a single key')).toBeVisible();
  });
});

test('adds rows pasted into the line for new rows', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, []);
  const line = page.getByRole('form', { name: 'Add a row here' });
  await line.getByLabel('New row: code').click();
  await paste(page, '0001\tOne\tfirst\n0002\tTwo\tsecond\n');
  await page.getByRole('dialog', { name: 'Paste 2 rows' }).getByRole('button', { name: 'Paste 2 rows' }).click();
  await expect(cell(page, 1, 'title')).toContainText('Two');
  await line.getByLabel('New row: code').click();
  await paste(page, '0003\tThree\tthird');
  await expect(line.getByLabel('New row: title')).toHaveValue('Three');
  await page.keyboard.press('Enter');
  await expect(cell(page, 2, 'note')).toContainText('third');
  expect(Object.keys(await readStoredRows(page, id))).toEqual(['0001', '0002', '0003']);
});

test('lists the invalid rows of a paste, leaves them out, and undoes the paste from the bar', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(3));
  await cell(page, 0, 'code').click();
  await test.step('warns about a key with surrounding blanks, pasted or typed', async () => {
    await paste(page, 'code\tlevel\ttitle\n0001 \t1\tBlank\n0010\t1\tPlain\n');
    const dialog = page.getByRole('dialog', { name: 'Paste 2 rows' });
    await expect(dialog).toContainText('1 new row has blanks around the key.');
    await expect(dialog).toContainText('“0001 ” has blanks around it: it is a different key from “0001”');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const line = page.getByRole('form', { name: 'Add a row here' });
    await line.getByLabel('New row: code').fill(' 0011');
    await expect(line).toContainText('“ 0011” has blanks around it: it is a different key from “0011”');
    await line.getByLabel('New row: code').fill('');
    await expect(line.getByRole('status')).toBeHidden();
    await cell(page, 0, 'code').click();
  });
  await paste(page, 'code\tlevel\ttitle\n0001\t1\tTitle 1\n0002\tx\tTitle 2\n0009\t9\tNine\n0003\t2\tChanged\n');
  const dialog = page.getByRole('dialog', { name: 'Paste 4 rows' });
  for (const count of [/^New\s*1$/, /^Changed\s*2$/, /^Unchanged\s*0$/, /^Invalid\s*1$/]) {
    await expect(dialog.getByRole('tab', { name: count })).toBeVisible();
  }
  await dialog.getByRole('tab', { name: /^Invalid/ }).click();
  await expect(dialog.getByText('"x" is not a number')).toBeVisible();
  await dialog.getByRole('button', { name: 'Paste 3 rows' }).click();
  const bar = lastAction(page);
  await expect(bar).toContainText('3 rows pasted');
  expect(await readStoredRows(page, id)).toMatchObject({
    '0001': { level: 1 },
    '0002': { level: 1, title: 'Title 2' },
    '0003': { level: 2, title: 'Changed' },
    '0009': { level: 9, title: 'Nine' },
  });

  await test.step('lists later changes before an undo, and keeps them on request', async () => {
    const { items } = await callApi<RowPage>(page, 'GET', `/api/reference-data/${id}/instances?key=0003`);
    const [row] = items;
    await callApi(page, 'PATCH', `/api/reference-data/${id}/instances`, [
      { id: row?.id, revision: row?.revision, data: { title: 'Later work' } },
    ]);
    await expect(cell(page, 2, 'title')).toHaveText('Later work');
    await bar.getByRole('button', { name: 'Undo' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Overwrite later changes?' });
    await expect(confirmation).toContainText('now Later work, would become Title 3');
    await confirmation.getByRole('button', { name: 'Keep later changes' }).click();
    await expect(page.getByText('0009', { exact: true })).toHaveCount(0);
    await expectSaved(page);
    const rows = await readStoredRows(page, id);
    expect(Object.keys(rows).sort()).toEqual(['0001', '0002', '0003']);
    expect(rows).toMatchObject({ '0001': { level: 0 }, '0003': { level: 2, title: 'Later work' } });
  });
});

test('merges edits of two users in different cells of a row, and shows a dialog for the same cell', async ({
  openFor,
}) => {
  const mine = await openFor('steward');
  const theirs = await openFor('admin');
  recordWritePosition(theirs);
  const id = await openSheet(mine, codedRows(3));
  await theirs.goto(`/reference-data/${id}`);
  await cell(theirs, 0, 'title').dblclick();
  await cell(mine, 0, 'title').dblclick();
  await theirs.keyboard.press('Escape');

  await test.step('stores a cell of one user while another user types into another cell', async () => {
    await mine.keyboard.press('End');
    await mine.keyboard.type(' of mine');
    await cell(theirs, 0, 'note').click();
    await theirs.keyboard.type('a note of theirs');
    await theirs.keyboard.press('Enter');
    await expectSaved(theirs);
    await expect(cell(mine, 0, 'note')).toHaveText(/^a note of theirs/);
    await mine.keyboard.press('Enter');
    await expectSaved(mine);
    expect((await readStoredRows(mine, id))['0001']).toMatchObject({
      title: 'Title 1 of mine',
      note: 'a note of theirs',
    });
  });

  await test.step('marks a cell that both users changed until the user chooses a value', async () => {
    await expect(cell(theirs, 1, 'title')).toHaveText('Title 2');
    await cell(mine, 1, 'title').dblclick();
    await mine.keyboard.type(' mine');
    await cell(theirs, 1, 'title').click();
    await theirs.keyboard.type('Theirs');
    await theirs.keyboard.press('Enter');
    await expectSaved(theirs);
    await expect(mine.getByRole('alert')).toContainText('Another user changed this cell to “Theirs”');
    await mine.keyboard.press('Enter');
    const dialog = mine.getByRole('dialog', { name: 'Another user changed the same fields' });
    await expect(dialog).toContainText('Row 0002: choose which value to keep.');
    await expect(dialog).toContainText('Original value: Title 2');
    await dialog.getByRole('button', { name: 'Continue editing' }).click();
    await expect(cell(mine, 1, 'title')).toHaveAttribute('data-mark', 'conflict');
    await expect(cell(mine, 1, 'title')).toContainText('Title 2 mine');
    await mine.getByRole('button', { name: 'Resolve the conflict' }).click();
    await dialog.getByRole('radio', { name: /^Mine/ }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectSaved(mine);
    expect((await readStoredRows(mine, id))['0002']).toMatchObject({ title: 'Title 2 mine' });
    await expect(cell(theirs, 1, 'title')).toHaveText(/^Title 2 mine/);
  });
});

test('keeps edits while the server is unreachable, requests confirmation before leaving, and stores the edits later', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(2));
  await page.route('**/instances', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await cell(page, 0, 'title').click();
  await page.keyboard.type('Typed offline');
  await page.keyboard.press('Enter');
  await expect(cell(page, 0, 'title')).toHaveAttribute('data-mark', 'failed');
  await page.getByRole('link', { name: 'Crosswalks' }).first().click();
  await expect(page.getByRole('alertdialog', { name: 'Leave with unsaved edits?' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Show unsaved edits' }).click();
  await expect(page.getByRole('dialog', { name: 'Unsaved edits' })).toContainText('Typed offline');
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.unroute('**/instances');
  await expectSaved(page);
  expect((await readStoredRows(page, id))['0001']).toMatchObject({ title: 'Typed offline' });
});

test('adds a row at the end, and shows the history and the references of the row', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(2));
  const line = page.getByRole('form', { name: 'Add a row here' });
  await line.getByLabel('New row: title').fill('No key yet');
  await page.keyboard.press('Enter');
  await expect(line.getByRole('alert')).toHaveText('code is part of the key: fill it in');
  await line.getByLabel('New row: code').fill('0001');
  await page.keyboard.press('Enter');
  await expect(line.getByRole('alert')).toContainText('exists already');
  await line.getByLabel('New row: code').fill('0042');
  await page.keyboard.press('Enter');
  await expect(cell(page, 2, 'code')).toHaveText('0042');
  await expect(line.getByLabel('New row: code')).toBeFocused();
  expect((await readStoredRows(page, id))['0042']).toMatchObject({ title: 'No key yet' });

  await page
    .locator('[data-row="2"]')
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  await expect(page.getByText('Added', { exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'References' }).click();
  await expect(page.getByText('No references to this row')).toBeVisible();
});

test('sorts by a click anywhere in a column header, but not on its edge', async ({ openFor }) => {
  const page = await openFor('steward');
  await openSheet(page, codedRows(3));
  const head = page.getByRole('columnheader', { name: 'level' });
  const first = cell(page, 0, 'level');
  const { width, height } = await head.evaluate(({ clientWidth, clientHeight }) => ({
    width: clientWidth,
    height: clientHeight,
  }));

  await head.click({ position: { x: 3, y: 3 } });
  await expect(head).toHaveAttribute('aria-sort', 'ascending');
  await expect(first).toHaveText('0');
  await head.click({ position: { x: width - 12, y: height - 3 } });
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  await expect(first).toHaveText('2');

  await test.step('changes the width of a column by the edge of its header', async () => {
    const box = await head.boundingBox();
    if (box === null) throw new Error('The column header is not on screen');
    await page.mouse.move(box.x + box.width - 3, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 57, box.y + box.height / 2, { steps: 3 });
    await page.mouse.up();
    await expect.poll(async () => (await head.boundingBox())?.width ?? 0).toBeGreaterThan(box.width + 50);
    await expect(head).toHaveAttribute('aria-sort', 'descending');
  });

  await test.step('removes the sorting by pressing Enter on the button in the header', async () => {
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect(head).not.toHaveAttribute('aria-sort');
  });
});
