/** Tests the sheet of rows: large ranges and pastes, changes of all matching rows, and input during other changes. */
import { callApi, expect, fillSignIn, lastAction, test } from '../fixtures.ts';
import { cell, codedRows, expectSaved, openSheet, paste, type RowPage, readStoredRows } from '../sheet-cells.ts';
import { SAMPLE_PASSWORD } from '../stack.ts';

test.use({ reusesPages: true });

test('fills and pastes over rows that are not all loaded', async ({ openFor }) => {
  test.setTimeout(180_000);
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(1_700));
  const distinctValues = async (field: string) => {
    const values = Object.values(await readStoredRows(page, id)).map((data) => data[field]);
    expect(values).toHaveLength(1_700);
    return [...new Set(values)];
  };
  const readingDialog = page.getByRole('dialog', { name: 'Reading the rows' });
  const selectColumnFromTop = async (column: string) => {
    await cell(page, 0, column).click();
    await page.keyboard.press('Control+Shift+ArrowDown');
    await expect(cell(page, 1_699, column)).toBeVisible();
  };

  await test.step('changes nothing if the user cancels while the rows are loading', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await selectColumnFromTop('title');
    await page.route(/\/instances\?/, async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press('Delete');
    await expect(readingDialog.getByRole('progressbar')).toBeVisible();
    await readingDialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('The action was cancelled')).toBeVisible();
    release();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await distinctValues('title')).toHaveLength(1_700);
  });

  await test.step('fills the range, and undoes the fill as one step', async () => {
    await cell(page, 1_699, 'note').click();
    await page.keyboard.press('Control+ArrowUp');
    await expect(cell(page, 0, 'code')).toHaveText('0001');
    await page.keyboard.type('0042');
    await page.keyboard.press('Enter');
    await expectSaved(page);
    await selectColumnFromTop('note');
    await page.keyboard.press('Control+d');
    await expect(readingDialog).toHaveCount(0);
    await expect(cell(page, 1_699, 'note')).toHaveText('0042');
    await expectSaved(page);
    expect(await distinctValues('note')).toEqual(['0042']);
    await page.keyboard.press('Control+z');
    await expect(cell(page, 1_699, 'note')).toHaveText('—');
    // The undo leaves the focus on the selected row.
    await expect(page.locator('[data-row="1699"]')).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(page.locator('[data-row="1698"]')).toBeFocused();
  });

  await test.step('refuses more cells than one write allows, and shows the limit', async () => {
    await cell(page, 1_699, 'note').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await expect(page.getByText('At most 10,000 cells can be changed at once')).toBeVisible();
    expect(await distinctValues('title')).toHaveLength(1_700);
  });

  await test.step('pastes lines over rows that are not loaded', async () => {
    await cell(page, 1_699, 'note').click();
    await page.keyboard.press('Control+ArrowUp');
    await cell(page, 0, 'note').click();
    await paste(page, Array.from({ length: 1_700 }, (_, line) => `line ${line}`).join('\n'));
    const dialog = page.getByRole('dialog', { name: 'Paste 1,700 rows' });
    await dialog.getByRole('button', { name: 'Paste 1,700 rows' }).click();
    await expect(page.getByText('1,700 rows pasted')).toBeVisible();
    expect((await readStoredRows(page, id))['1700']).toMatchObject({ note: 'line 1699' });
  });
});

test('pastes 10,200 cells exactly as copied', async ({ openFor }) => {
  test.setTimeout(240_000);
  const page = await openFor('steward');
  const id = await openSheet(page, [{ code: '000001', title: 'to be changed' }]);
  const kinds: ((index: number) => string)[] = [
    (index) => `000${index}`,
    (index) => `say "${index}"`,
    (index) => `"${index}"`,
    (index) => `tab\tand ${index}`,
    (index) => `line one ${index}\nline two`,
    (index) => `\r\nWindows ${index}\r\n`,
    (index) => ` spaces ${index} `,
    (index) => `=1+${index}`,
    (index) => `ünï ${index} 東京 🎈`,
    (index) => `"\t"\n""${index}`,
  ];
  const text = (index: number, column: number) =>
    (kinds[(index + column) % kinds.length] as (n: number) => string)(index);
  const wanted = Array.from({ length: 3_400 }, (_, index) => ({
    code: String(index + 1).padStart(6, '0'),
    title: text(index, 0),
    note: text(index, 3),
  }));
  const quoted = (value: string) =>
    /[\t\r\n]/.test(value) || value.startsWith('"') ? `"${value.replaceAll('"', '""')}"` : value;
  const copied = wanted.map(({ code, title, note }) => [code, title, note].map(quoted).join('\t')).join('\r\n');

  await cell(page, 0, 'code').click();
  await paste(page, `${copied}\r\n`);
  const dialog = page.getByRole('dialog', { name: 'Paste 3,400 rows' });
  await expect(dialog.getByRole('tab', { name: /^New\s*3,399$/ })).toBeVisible({ timeout: 60_000 });
  await expect(dialog.getByRole('tab', { name: /^Changed\s*1$/ })).toBeVisible();
  await expect(dialog.getByRole('tab', { name: /^Invalid\s*0$/ })).toBeVisible();
  expect(Object.keys(await readStoredRows(page, id))).toEqual(['000001']);
  await dialog.getByRole('button', { name: 'Paste 3,400 rows' }).click();
  await expect(page.getByText('3,400 rows pasted')).toBeVisible({ timeout: 120_000 });

  const rows = await readStoredRows(page, id);
  let compared = 0;
  for (const { code, title, note } of wanted) {
    const row = rows[code];
    expect([code, row?.['code'], row?.['title'], row?.['note']]).toEqual([code, code, title, note]);
    compared += 3;
  }
  expect(compared).toBe(10_200);

  await test.step('copies the first rows as the text that was pasted', async () => {
    await page.reload();
    await cell(page, 0, 'code').click();
    await page.keyboard.press('Shift+PageDown');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Control+c');
    const copiedText = await page.evaluate(() => navigator.clipboard.readText());
    expect(copiedText.length).toBeGreaterThan(100);
    expect(copied.replaceAll('\r\n', '\n').startsWith(copiedText.replaceAll('\r\n', '\n'))).toBe(true);
  });
});

test('keeps all rows in their places when an edited row no longer matches the search', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(4));
  await page.goto(`/reference-data/${id}?q=Title`);
  await cell(page, 1, 'title').click();
  await page.keyboard.type('Renamed');
  await page.keyboard.press('Enter');
  const bar = page.getByRole('button', { name: '1 edited row no longer matches the search or the filter – hide' });
  await expect(bar).toBeVisible();
  for (const [row, title] of ['Title 1', 'Renamed', 'Title 3', 'Title 4'].entries())
    await expect(cell(page, row, 'title')).toHaveText(title);
  await expect(page.getByText('1–4 of 4')).toBeVisible();
  await bar.click();
  await expect(page.getByText('1–3 of 3')).toBeVisible();
  await expect(cell(page, 1, 'title')).toHaveText('Title 3');
});

test('shows a changed type at once, and stores an edited cell in the new data type', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(3));
  const { typeId } = await callApi<{ typeId: number }>(page, 'GET', `/api/reference-data/${id}`);
  const fields = await callApi<{ name: string }[]>(page, 'GET', `/api/reference-types/${typeId}/schemas`);
  const changed = fields.map((field) => ({
    ...field,
    ...(field.name === 'note' && { name: 'remark' }),
    ...(field.name === 'level' && { dataType: 'string' }),
  }));
  await callApi(page, 'PUT', `/api/reference-types/${typeId}/schemas`, { schemas: changed });
  await expect(page.getByRole('columnheader', { name: /remark/ })).toBeVisible();

  await cell(page, 1, 'level').click();
  await page.keyboard.press('F2');
  await page.keyboard.press('Enter');
  await expectSaved(page);
  await expect.poll(async () => (await readStoredRows(page, id))['0002']?.['level']).toBe('1');
});

test('keeps typed values when their fields are renamed or removed', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(4));
  const { typeId } = await callApi<{ typeId: number }>(page, 'GET', `/api/reference-data/${id}`);
  type Field = { fieldId: number; name: string };
  const readFields = () => callApi<Field[]>(page, 'GET', `/api/reference-types/${typeId}/schemas`);
  const ids = new Map((await readFields()).map(({ name, fieldId }) => [name, fieldId]));
  const renameFields = async (names: Record<string, string>) => {
    const byId = new Map(Object.entries(names).map(([name, to]) => [ids.get(name), to]));
    const schemas = (await readFields()).map((field) => ({ ...field, name: byId.get(field.fieldId) ?? field.name }));
    await callApi(page, 'PUT', `/api/reference-types/${typeId}/schemas`, { schemas });
  };

  await test.step('ends an open editor, and stores its value under the new name', async () => {
    await cell(page, 0, 'title').dblclick();
    await page.keyboard.type(' typed');
    await renameFields({ title: 'heading' });
    await expect(cell(page, 0, 'heading')).toHaveText('Title 1 typed');
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0001']).toMatchObject({ heading: 'Title 1 typed', note: null });
  });

  await test.step('stores a pending value in its field after the names of two fields were swapped', async () => {
    await page.route('**/instances', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 409, json: { error: 'Not now', code: 'CONFLICT' } })
        : route.continue(),
    );
    await cell(page, 1, 'heading').click();
    await page.keyboard.type('Offline');
    await page.keyboard.press('Enter');
    await expect(cell(page, 1, 'heading')).toHaveAttribute('data-mark', 'failed');
    await renameFields({ title: 'note', note: 'heading' });
    await expect(cell(page, 1, 'note')).toContainText('Offline');
    await expect(cell(page, 1, 'note')).toHaveAttribute('data-mark', 'failed');
    await page.unroute('**/instances');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectSaved(page);
    expect((await readStoredRows(page, id))['0002']).toMatchObject({ note: 'Offline', heading: null });
  });

  await test.step('refuses a value if another field has taken the name of its field', async () => {
    const [row] = (await callApi<RowPage>(page, 'GET', `/api/reference-data/${id}/instances?key=0003`)).items;
    const { results } = await callApi<{ results: { outcome: string; message: string }[] }>(
      page,
      'PATCH',
      `/api/reference-data/${id}/instances`,
      [{ id: row?.id, revision: row?.revision, data: { note: 'x' }, fieldIds: { note: ids.get('note') } }],
    );
    expect(results).toMatchObject([
      { outcome: 'refused', message: 'note: this field was renamed or removed meanwhile' },
    ]);
  });

  await test.step('shows the text that was typed into a removed field', async () => {
    await cell(page, 3, 'heading').click();
    await page.keyboard.type('Precious');
    const schemas = (await readFields()).filter(({ name }) => name !== 'heading');
    await callApi(page, 'PUT', `/api/reference-types/${typeId}/schemas`, { schemas });
    await page.getByRole('button', { name: 'Show unsaved edits' }).click();
    const unsaved = page.getByRole('dialog', { name: 'Unsaved edits' });
    await expect(unsaved).toContainText('heading (removed): Precious');
    await unsaved.getByRole('button', { name: 'Discard' }).click();
    await expect(unsaved).toContainText('There are no unsaved edits.');
  });
});

test('keeps the text that is typed into a row while a request deletes the row', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(3));
  const [row] = (await callApi<RowPage>(page, 'GET', `/api/reference-data/${id}/instances?key=0002`)).items;
  await cell(page, 1, 'title').click();
  await page.keyboard.type('Kept');
  await callApi(page, 'DELETE', `/api/reference-data/${id}/instances`, {
    rows: [{ id: row?.id, revision: row?.revision }],
  });
  await expect(cell(page, 1, 'code')).toHaveText('0003');
  await page.getByRole('button', { name: 'Show unsaved edits' }).click();
  await expect(page.getByRole('dialog', { name: 'Unsaved edits' })).toContainText('0002 · title: Kept');
});

test('keeps an unfinished value in its cell when the session ends', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(2));
  let endSession = () => {};
  const ended = new Promise<void>((resolve) => {
    endSession = resolve;
  });
  await page.route('**/instances', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await ended;
    return route.fulfill({ status: 401, json: { error: 'Sign in to continue', code: 'UNAUTHENTICATED' } });
  });
  await cell(page, 0, 'title').click();
  await page.keyboard.type('Said');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Half');
  await page.context().clearCookies();
  endSession();
  await page.waitForURL('**/auth**');
  await page.unroute('**/instances');
  await fillSignIn(page, 'steward', SAMPLE_PASSWORD);
  await expect(cell(page, 1, 'title')).toHaveAttribute('data-mark', 'failed');
  await expect(cell(page, 1, 'title')).toContainText('Half');
  await expect(page.getByText('1 not saved')).toBeVisible();
  await expect
    .poll(() => readStoredRows(page, id))
    .toMatchObject({ '0001': { title: 'Said' }, '0002': { title: 'Title 2' } });
  await cell(page, 1, 'title').click();
  await page.keyboard.press('Enter');
  await page.keyboard.type('way');
  await page.keyboard.press('Enter');
  await expectSaved(page);
  expect((await readStoredRows(page, id))['0002']).toMatchObject({ title: 'Halfway' });
});

test('replaces, deletes and restores all matching rows', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codedRows(130));

  await test.step('replaces the matches on all pages', async () => {
    await page.getByRole('button', { name: 'Replace…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Find and replace' });
    await dialog.getByLabel('Find', { exact: true }).fill('title 1');
    await dialog.getByLabel('Replace with').fill('Heading 1');
    await dialog.getByRole('button', { name: 'Find' }).click();
    // Titles 1, 10–19 and 100–130.
    await expect(dialog.getByText('42 cells in 42 rows would change.')).toBeVisible();
    expect((await readStoredRows(page, id))['0001']).toMatchObject({ title: 'Title 1' });
    await dialog.getByRole('button', { name: 'Replace in 42 rows' }).click();
    await expect(page.getByText('Text replaced in 42 rows')).toBeVisible();
    const rows = await readStoredRows(page, id);
    expect(rows['0130']).toMatchObject({ title: 'Heading 130' });
    expect(rows['0020']).toMatchObject({ title: 'Title 20' });
  });

  await test.step('deletes all matching rows, and restores them', async () => {
    await page.getByPlaceholder('Search').fill('Heading');
    await expect(page.getByText('1–42 of 42')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await page.getByRole('button', { name: 'Select all 42 matching rows' }).click();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete 42 rows?' });
    await confirmation.getByRole('button', { name: 'Delete' }).click();
    const bar = lastAction(page);
    await expect(bar).toContainText('42 rows deleted');
    expect(Object.keys(await readStoredRows(page, id))).toHaveLength(88);
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(bar).toHaveCount(0);
    expect(Object.keys(await readStoredRows(page, id))).toHaveLength(130);
  });

  await test.step('finds and restores a deleted row on the page Deleted rows', async () => {
    await page.getByPlaceholder('Search').fill('Heading 13');
    await expect(page.getByText('1–2 of 2')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select row 2', exact: true }).click();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete 2 rows?' });
    await expect(confirmation).toContainText('There are no references to them.');
    await confirmation.getByRole('button', { name: 'Delete' }).click();
    await expect(lastAction(page)).toContainText('2 rows deleted');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Deleted rows' }).click();
    const deleted = page.getByRole('grid').getByRole('row').filter({ hasText: 'Heading 13' });
    await expect(deleted).toHaveCount(2);
    await deleted
      .first()
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await expect(deleted).toHaveCount(1);
    expect(Object.keys(await readStoredRows(page, id))).toHaveLength(129);
  });
});

test('cuts no column and covers no content on a narrow screen', async ({ openFor }) => {
  const page = await openFor('steward', { width: 390, height: 600 });
  await openSheet(page, codedRows(30));
  const heads = page.locator('th[data-column]');
  const edge = async () => (await page.getByRole('columnheader', { name: 'Actions' }).boundingBox())?.x ?? 0;
  const countCutHeaders = async (edgeAt: number) => {
    const boxes = await heads.evaluateAll((all) => all.map((head) => head.getBoundingClientRect()));
    return boxes.filter(({ left, right }) => left < edgeAt - 1 && right > edgeAt + 1).length;
  };
  await expect.poll(async () => countCutHeaders(await edge())).toBe(0);
  await expect(page.getByRole('columnheader', { name: 'title' })).toBeInViewport({ ratio: 1 });

  const title = cell(page, 0, 'title');
  await title.dblclick();
  await page.keyboard.type(' that goes on for longer than the screen of a telephone is wide');
  const editor = await title.getByRole('textbox').boundingBox();
  const list = await page
    .locator('[data-scrolls]', { has: page.getByRole('grid') })
    .last()
    .boundingBox();
  if (editor === null || list === null) throw new Error('The editor is not on screen');
  expect(editor.x + editor.width).toBeLessThanOrEqual(list.x + list.width + 1);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Scroll right' }).click();
  await expect(page.getByRole('columnheader', { name: 'level' })).toBeInViewport();

  const zoom = page.getByRole('region', { name: 'Zoom' });
  const foot = page.getByRole('contentinfo');
  await foot.scrollIntoViewIfNeeded();
  const [zoomBox, footBox] = [await zoom.boundingBox(), await foot.boundingBox()];
  if (zoomBox === null || footBox === null) throw new Error('The foot of the page is not on screen');
  expect(zoomBox.y).toBeGreaterThanOrEqual(footBox.y);
  expect(zoomBox.y + zoomBox.height).toBeLessThanOrEqual(footBox.y + footBox.height);
  for (const text of await foot.locator('> span, > a').all()) {
    expect((await text.boundingBox())?.x ?? 0).toBeGreaterThanOrEqual(zoomBox.x + zoomBox.width);
  }
});
