/**
 * The rows of a data set as a sheet: typed, filled and pasted values are stored exactly, a conflict between two users in one
 * cell is resolved in a dialog, and values that cannot be stored stay in their cells.
 */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { callApi, expect, fillSignIn, lastAction, test, uniqueName } from './fixtures.ts';
import { SAMPLE_PASSWORD } from './stack.ts';

test.use({ reusesPages: true });

interface Row {
  id: number;
  revision: number;
  key: string;
  data: Record<string, string | number | boolean | null>;
}
interface RowPage {
  items: Row[];
  total: number;
}

const cell = (page: Page, row: number, column: string): Locator =>
  page.locator(`[data-row="${row}"] td[data-column="${column}"]`);
const expectSaved = (page: Page) => expect(page.getByText('Everything is saved')).toBeVisible();

/** Position of the last write of any recorded page. */
let lastPosition = '0';
const commitOf = (position: string): bigint => BigInt(position.split('/')[0] ?? 0);

/** Records the positions of the writes of a page, so that later reads include them. */
function recordWritePosition(page: Page): void {
  page.context().on('response', (response) => {
    const position = response.headers()['x-position'];
    if (response.request().method() === 'GET' || position === undefined) return;
    if (commitOf(position) > commitOf(lastPosition)) lastPosition = position;
  });
}

/** Creates a data set with these rows and opens it in the page. */
async function openSheet(page: Page, rows: Record<string, unknown>[], collectionId?: number): Promise<number> {
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

async function readStoredRows(page: Page, id: number): Promise<Record<string, Row['data']>> {
  const rows: Row[] = [];
  for (let number = 1; ; ) {
    const response = await page.request.get(
      `${process.env['BASE_URL']}/api/reference-data/${id}/instances?pageSize=1000&page=${number}`,
      { headers: { 'X-Min-Position': lastPosition } },
    );
    expect(response.ok(), await response.text()).toBe(true);
    if (response.headers()['x-behind'] === 'true') continue;
    const { items, total } = (await response.json()) as RowPage;
    rows.push(...items);
    if (rows.length >= total) return Object.fromEntries(rows.map(({ key, data }) => [key, data]));
    number += 1;
  }
}

const codes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    code: String(index + 1).padStart(4, '0'),
    title: `Title ${index + 1}`,
    level: index,
  }));

/** Puts a text on the clipboard of the machine, as another program would, and pastes it. */
async function paste(page: Page, text: string): Promise<void> {
  await (page.context() as BrowserContext).grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
}

test('types into, moves through, fills, empties and restores cells', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(12));

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

  await test.step('accepts any word for a boolean, and keeps the cell for other words', async () => {
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

  await test.step('keeps the invalid value as typed and marked after the user leaves the cell, also over a reload', async () => {
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

  await test.step('fills and empties a range, and undoes and redoes both', async () => {
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

  await test.step('changes a key after a confirmation, as one step that is undone', async () => {
    await cell(page, 0, 'code').click();
    await page.keyboard.type('X');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change the key of 0001?' });
    await expect(dialog).toContainText('code: 0001 → X');
    await expect(dialog).toContainText('No mapping and no relationship that you can read refers to it');
    await dialog.getByRole('button', { name: 'Change the key' }).click();
    await expect(page.getByText('Key 0001 changed to X')).toBeVisible();
    const changed = await readStoredRows(page, id);
    expect(changed['X']).toMatchObject({ code: 'X', title: 'First' });
    expect(changed).not.toHaveProperty('0001');
    await lastAction(page).getByRole('button', { name: 'Undo' }).click();
    await expect(cell(page, 0, 'code')).toHaveText('0001');
    // The page shows the cell before the server has stored it.
    await expect.poll(async () => (await readStoredRows(page, id))['0001']).toMatchObject({ title: 'First' });
    expect(await readStoredRows(page, id)).not.toHaveProperty('X');
  });

  await test.step('does not change keys in a range of cells, and reports it', async () => {
    await cell(page, 3, 'code').click();
    await page.keyboard.press('Delete');
    await expect(page.getByText('Keys can be changed only one at a time: edit a single key')).toBeVisible();
  });
});

test('fills, empties and pastes over a range with rows that are not loaded completely, or not at all', async ({
  openFor,
}) => {
  test.setTimeout(180_000);
  const page = await openFor('steward');
  const id = await openSheet(page, codes(1_700));
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

  await test.step('can be stopped while the rows are loaded, and then changes nothing', async () => {
    let release = () => {};
    const released = new Promise<void>((go) => {
      release = go;
    });
    await selectColumnFromTop('title');
    await page.route(/\/instances\?/, async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press('Delete');
    await expect(readingDialog.getByRole('progressbar')).toBeVisible();
    await readingDialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('Nothing was done')).toBeVisible();
    release();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await distinctValues('title')).toHaveLength(1_700);
  });

  await test.step('fills and empties, each as one step', async () => {
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
    // After an undo, the row that had the focus before has it again.
    await expect(page.locator('[data-row="1699"]')).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(page.locator('[data-row="1698"]')).toBeFocused();
  });

  await test.step('refuses more cells than one write allows, and reports it', async () => {
    await cell(page, 1_699, 'note').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await expect(page.getByText('At most 10,000 cells are written at once')).toBeVisible();
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

test('pastes 10,000 cells with leading zeros, quotes, tabs and line breaks exactly as they were copied', async ({
  openFor,
}) => {
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

  await test.step('copies the same text again', async () => {
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

test('adds the rows pasted into the line for new rows, also in an empty data set', async ({ openFor }) => {
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

test('keeps all rows in their places when an edited row no longer matches the search', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(4));
  await page.goto(`/reference-data/${id}?q=Title`);
  await cell(page, 1, 'title').click();
  await page.keyboard.type('Renamed');
  await page.keyboard.press('Enter');
  const bar = page.getByRole('button', { name: '1 edited row no longer fits the search or the filter – hide' });
  await expect(bar).toBeVisible();
  for (const [row, title] of ['Title 1', 'Renamed', 'Title 3', 'Title 4'].entries())
    await expect(cell(page, row, 'title')).toHaveText(title);
  await expect(page.getByText('1–4 of 4')).toBeVisible();
  await bar.click();
  await expect(page.getByText('1–3 of 3')).toBeVisible();
  await expect(cell(page, 1, 'title')).toHaveText('Title 3');
});

test('lists what is invalid in a paste, leaves it out, and undoes the paste from the bar', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(3));
  await cell(page, 0, 'code').click();
  await test.step('warns about a key with surrounding blanks, pasted or typed', async () => {
    await paste(page, 'code\tlevel\ttitle\n0001 \t1\tBlank\n0010\t1\tPlain\n');
    const dialog = page.getByRole('dialog', { name: 'Paste 2 rows' });
    await expect(dialog).toContainText('1 new row has blanks around the key.');
    await expect(dialog).toContainText('“0001 ” has blanks around it: it is another key than “0001”');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const line = page.getByRole('form', { name: 'Add a row here' });
    await line.getByLabel('New row: code').fill(' 0011');
    await expect(line).toContainText('“ 0011” has blanks around it: it is another key than “0011”');
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

  await test.step('lists changes made since, and keeps them on request', async () => {
    const { items } = await callApi<RowPage>(page, 'GET', `/api/reference-data/${id}/instances?key=0003`);
    const [row] = items;
    await callApi(page, 'PATCH', `/api/reference-data/${id}/instances`, [
      { id: row?.id, revision: row?.revision, data: { title: 'Later work' } },
    ]);
    await expect(cell(page, 2, 'title')).toHaveText('Later work');
    await bar.getByRole('button', { name: 'Undo' }).click();
    const question = page.getByRole('dialog', { name: 'Overwrite later changes?' });
    await expect(question).toContainText('now Later work, would become Title 3');
    await question.getByRole('button', { name: 'Keep later changes' }).click();
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
  const id = await openSheet(mine, codes(3));
  await theirs.goto(`/reference-data/${id}`);
  await cell(theirs, 0, 'title').dblclick();
  await cell(mine, 0, 'title').dblclick();
  await theirs.keyboard.press('Escape');

  await test.step('writes two cells as one user while the other types', async () => {
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

  await test.step('marks the same cell with a double border until a value is chosen', async () => {
    await expect(cell(theirs, 1, 'title')).toHaveText('Title 2');
    await cell(mine, 1, 'title').dblclick();
    await mine.keyboard.type(' mine');
    await cell(theirs, 1, 'title').click();
    await theirs.keyboard.type('Theirs');
    await theirs.keyboard.press('Enter');
    await expectSaved(theirs);
    await expect(mine.getByRole('alert')).toContainText('Another user changed it to “Theirs”');
    await mine.keyboard.press('Enter');
    const dialog = mine.getByRole('dialog', { name: 'Another user changed the same fields' });
    await expect(dialog).toContainText('Row 0002: choose which value to keep.');
    await expect(dialog).toContainText('It was: Title 2');
    await dialog.getByRole('button', { name: 'Continue editing' }).click();
    await expect(cell(mine, 1, 'title')).toHaveAttribute('data-mark', 'conflict');
    await expect(cell(mine, 1, 'title')).toContainText('Title 2 mine');
    await mine.getByRole('button', { name: 'Resolve' }).click();
    await dialog.getByRole('radio', { name: /^Mine/ }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectSaved(mine);
    expect((await readStoredRows(mine, id))['0002']).toMatchObject({ title: 'Title 2 mine' });
    await expect(cell(theirs, 1, 'title')).toHaveText(/^Title 2 mine/);
  });
});

test('shows a type change by another user at once, and lets values that no longer fit be entered again', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(3));
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

test('keeps typed values with their fields while another user renames, swaps or removes fields', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(4));
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

  await test.step('stores a pending value in its field, not in the one that has its former name', async () => {
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

  await test.step('refuses a cell whose field name another field took', async () => {
    const [row] = (await callApi<RowPage>(page, 'GET', `/api/reference-data/${id}/instances?key=0003`)).items;
    const { results } = await callApi<{ results: { outcome: string; message: string }[] }>(
      page,
      'PATCH',
      `/api/reference-data/${id}/instances`,
      [{ id: row?.id, revision: row?.revision, data: { note: 'x' }, fieldIds: { note: ids.get('note') } }],
    );
    expect(results).toMatchObject([
      { outcome: 'refused', message: 'note: another user renamed or removed this field meanwhile' },
    ]);
  });

  await test.step('lets the text typed into a removed field be copied', async () => {
    await cell(page, 3, 'heading').click();
    await page.keyboard.type('Precious');
    const schemas = (await readFields()).filter(({ name }) => name !== 'heading');
    await callApi(page, 'PUT', `/api/reference-types/${typeId}/schemas`, { schemas });
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const unsaved = page.getByRole('dialog', { name: 'Not saved' });
    await expect(unsaved).toContainText('heading (removed): Precious');
    await unsaved.getByRole('button', { name: 'Give up' }).click();
    await expect(unsaved).toContainText('Everything is saved by now.');
  });
});

test('keeps what is typed into a row that another tab of the same user deletes', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(3));
  const [row] = (await callApi<RowPage>(page, 'GET', `/api/reference-data/${id}/instances?key=0002`)).items;
  await cell(page, 1, 'title').click();
  await page.keyboard.type('Kept');
  await callApi(page, 'DELETE', `/api/reference-data/${id}/instances`, {
    rows: [{ id: row?.id, revision: row?.revision }],
  });
  await expect(cell(page, 1, 'code')).toHaveText('0003');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Not saved' })).toContainText('0002 · title: Kept');
});

test('keeps edits while the server is unreachable, requests confirmation before leaving, and stores them when it is back', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(2));
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
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Not saved' })).toContainText('Typed offline');
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.unroute('**/instances');
  await expectSaved(page);
  expect((await readStoredRows(page, id))['0001']).toMatchObject({ title: 'Typed offline' });
});

test('keeps a half-typed value in its cell, not stored, when the session ends', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(2));
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

test('counts the matches before a replacement, and deletes and restores all filtered rows', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(130));

  await test.step('replaces the matches on all pages', async () => {
    await page.getByRole('button', { name: 'Replace…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Find and replace' });
    await dialog.getByLabel('Find', { exact: true }).fill('title 1');
    await dialog.getByLabel('Replace with').fill('Heading 1');
    await dialog.getByRole('button', { name: 'Find' }).click();
    // 1, 10–19, 100–130.
    await expect(dialog.getByText('42 cells in 42 rows would change.')).toBeVisible();
    expect((await readStoredRows(page, id))['0001']).toMatchObject({ title: 'Title 1' });
    await dialog.getByRole('button', { name: 'Replace in 42 rows' }).click();
    await expect(page.getByText('42 rows replaced')).toBeVisible();
    const rows = await readStoredRows(page, id);
    expect(rows['0130']).toMatchObject({ title: 'Heading 130' });
    expect(rows['0020']).toMatchObject({ title: 'Title 20' });
  });

  await test.step('deletes all matching rows, and restores them', async () => {
    await page.getByPlaceholder('Search').fill('Heading');
    await expect(page.getByText('1–42 of 42')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await page.getByRole('button', { name: 'Select all 42 that match' }).click();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 42 rows?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    const bar = lastAction(page);
    await expect(bar).toContainText('42 rows deleted');
    expect(Object.keys(await readStoredRows(page, id))).toHaveLength(88);
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(bar).toHaveCount(0);
    expect(Object.keys(await readStoredRows(page, id))).toHaveLength(130);
  });

  await test.step('finds and restores a deleted row after its bar is gone', async () => {
    await page.getByPlaceholder('Search').fill('Heading 13');
    await expect(page.getByText('1–2 of 2')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select row 2', exact: true }).click();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 2 rows?' });
    await expect(question).toContainText('There are no references to them.');
    await question.getByRole('button', { name: 'Delete' }).click();
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

test('adds a row at the end, and shows its history and its references in its panel', async ({ openFor }) => {
  const page = await openFor('steward');
  const id = await openSheet(page, codes(2));
  const add = page.getByRole('form', { name: 'Add a row here' });
  await add.getByLabel('New row: title').fill('No key yet');
  await page.keyboard.press('Enter');
  await expect(add.getByRole('alert')).toHaveText('code is part of the key: fill it in');
  await add.getByLabel('New row: code').fill('0001');
  await page.keyboard.press('Enter');
  await expect(add.getByRole('alert')).toContainText('exists already');
  await add.getByLabel('New row: code').fill('0042');
  await page.keyboard.press('Enter');
  await expect(cell(page, 2, 'code')).toHaveText('0042');
  await expect(add.getByLabel('New row: code')).toBeFocused();
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
  await openSheet(page, codes(3));
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
    const edge = await head.boundingBox();
    if (edge === null) throw new Error('The head is not on screen');
    await page.mouse.move(edge.x + edge.width - 3, edge.y + edge.height / 2);
    await page.mouse.down();
    await page.mouse.move(edge.x + edge.width + 57, edge.y + edge.height / 2, { steps: 3 });
    await page.mouse.up();
    await expect.poll(async () => (await head.boundingBox())?.width ?? 0).toBeGreaterThan(edge.width + 50);
    await expect(head).toHaveAttribute('aria-sort', 'descending');
  });

  await test.step('sorts by the keyboard with the button in the header', async () => {
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect(head).not.toHaveAttribute('aria-sort');
  });
});

test('cuts no column at the edge of a narrow screen, and keeps the zoom control off the content', async ({
  openFor,
}) => {
  const page = await openFor('steward', { width: 390, height: 600 });
  await openSheet(page, codes(30));
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
  const [of, within] = [await zoom.boundingBox(), await foot.boundingBox()];
  if (of === null || within === null) throw new Error('The foot of the page is not on screen');
  expect(of.y).toBeGreaterThanOrEqual(within.y);
  expect(of.y + of.height).toBeLessThanOrEqual(within.y + within.height);
  for (const text of await foot.locator('> span, > a').all()) {
    expect((await text.boundingBox())?.x ?? 0).toBeGreaterThanOrEqual(of.x + of.width);
  }
});
