/** Validation test: pasted rows with faults, each with its rule; corrected rows; dropped files; and use by keyboard alone. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from './axe.ts';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

const SCHEMAS = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'title', dataType: 'string' },
  { name: 'level', dataType: 'number' },
];

/** Creates a type, and a data set of it that only the steward may read. */
async function createAgents(steward: Page): Promise<{ type: NamedItem; dataSet: NamedItem }> {
  const { id: collectionId } = await createCollection(steward);
  const [type, dataSet] = [{ name: uniqueName('Agent') }, { name: uniqueName('Agents') }];
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', { ...type, schemas: SCHEMAS });
  const { id } = await callApi(steward, 'POST', '/api/reference-data', { ...dataSet, typeId, collectionId });
  return { type: { ...type, id: typeId }, dataSet: { ...dataSet, id } };
}

const FAULTY = [
  'code,title,level,colour',
  '007,Bond,many,red',
  ',Nobody,1,',
  '008,Bill',
  '009,Anna,1,',
  '009,Anna again,2,',
].join('\n');
const CORRECTED = ['code,title,level', '007,Bond,7', '009,Nobody,1', '008,Bill,'].join('\n');

const rowsField = (page: Page) => page.getByRole('textbox', { name: 'Rows' });
const validateButton = (page: Page) => page.getByRole('button', { name: 'Validate', exact: true });
const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const verdict = (page: Page) => result(page).getByRole('status').first();
const rule = (page: Page, name: string) =>
  result(page).getByRole('list', { name: 'Broken rules' }).getByRole('button', { name });
/** The line numbers of the listed problems. */
const lines = (page: Page) =>
  result(page).getByRole('grid', { name: 'Problems' }).getByRole('gridcell', { name: /^\d$/ });

test('names the rule of each fault in pasted rows, and finds the corrected rows valid', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { dataSet } = await createAgents(steward);
  await steward.goto(`/reference-data/${dataSet.id}`);
  await steward.getByRole('button', { name: 'More actions' }).click();
  await steward.getByRole('menuitem', { name: 'Validate rows' }).click();
  await expect(steward).toHaveURL(new RegExp(`/validation-test\\?dataSet=${dataSet.id}$`));
  await expect(steward.getByRole('button', { name: 'Data set' })).toContainText(dataSet.name);

  await validateButton(steward).click();
  await expect(steward.getByText('Paste rows or choose a file that is not empty')).toBeVisible();
  await rowsField(steward).fill(FAULTY);
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('4 of 5 rows are invalid');
  for (const [name, count] of [
    ['Unknown column', '1 column'],
    ['Too many or too few fields', '1 row'],
    ['Missing key', '1 row'],
    ['Duplicate key', '1 row'],
    ['Wrong data type', '1 row'],
  ] as const) {
    await expect(rule(steward, name)).toContainText(count);
  }
  await expectAccessibleInBothThemes(steward, 'the result of a validation test');
  await rule(steward, 'Wrong data type').click();
  await expect(rule(steward, 'Wrong data type')).toHaveAttribute('aria-pressed', 'true');
  await expect(lines(steward)).toHaveText(['2']);
  await expect(result(steward).getByRole('gridcell', { name: '"many" is not a number' })).toBeVisible();

  // The call fails, and the input stays.
  await rowsField(steward).fill('[{"code": "007"},\n {"code": }]');
  await expect(steward.getByText('The result is for the rows as they were before your changes')).toBeVisible();
  await validateButton(steward).click();
  await expect(steward.getByRole('alert')).toContainText('The file is not valid JSON at line 2, column 11');
  await expect(rowsField(steward)).toHaveValue('[{"code": "007"},\n {"code": }]');

  await rowsField(steward).fill(CORRECTED);
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('All 3 rows are valid');
  await expect(result(steward).getByRole('list', { name: 'Broken rules' })).toHaveCount(0);
});

/** Drops a file, created in the page, on the drop zone for rows. */
async function drop(page: Page, name: string, content: string, times = 1): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    (file) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([file.content.repeat(file.times)], file.name));
      return transfer;
    },
    { name, content, times },
  );
  await page.getByRole('button', { name: /^Choose a(nother)? file$/ }).dispatchEvent('drop', { dataTransfer });
}

test('drops a file, removes it, and validates a chosen file against a type', async ({ openFor }) => {
  const steward = await openFor('steward', { width: 390, height: 844 });
  const { type } = await createAgents(steward);
  await steward.goto(`/reference-types?q=${encodeURIComponent(type.name)}`);
  await steward.getByRole('button', { name: /^Actions for row/ }).click();
  await steward.getByRole('menuitem', { name: 'Validate rows' }).click();
  await expect(steward).toHaveURL(new RegExp(`/validation-test\\?type=${type.id}$`));

  await drop(steward, 'agents.json', '[{"code": 7}, {"code": "008", "level": 1}]');
  await expect(steward.getByText('agents.json')).toBeVisible();
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('1 of 2 rows is invalid');
  await expect(result(steward).getByRole('gridcell', { name: '7 is not a string' })).toBeVisible();

  await steward.getByRole('button', { name: 'Leave it out' }).click();
  await expect(rowsField(steward)).toBeVisible();
  await steward.getByLabel('File of rows').setInputFiles({
    name: 'agents.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(CORRECTED),
  });
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('All 3 rows are valid');

  // The dropped file replaces the chosen one.
  await drop(steward, 'large.csv', 'x', 10 * 1024 * 1024 + 1);
  await validateButton(steward).click();
  await expect(steward.getByText('at most 10 MiB can be validated')).toBeVisible();
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, element: ReturnType<Page['getByRole']>): Promise<void> {
  await expect(element).toBeVisible();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await element.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('No number of Tabs leads there');
}

test('selects, validates and lists the problems of one rule by keyboard alone', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { dataSet } = await createAgents(steward);
  await steward.goto('/');
  await expect(steward.getByRole('heading', { level: 1 })).toBeVisible();
  await steward.keyboard.press('Control+k');
  await expect(steward.getByRole('option').first()).toBeVisible();
  await steward.keyboard.type('Validate rows');
  await expect(steward.getByRole('option', { name: 'Validate rows' })).toBeVisible();
  await steward.keyboard.press('Enter');
  await expect(steward.getByRole('heading', { name: 'Validation test' })).toBeVisible();

  await tabTo(steward, steward.getByLabel('Data set *'));
  await steward.keyboard.press('Enter');
  await steward.keyboard.type(dataSet.name);
  await expect(steward.getByRole('option')).toHaveText([new RegExp(`^${dataSet.name}`)]);
  await steward.keyboard.press('Enter');
  await expect(steward).toHaveURL(new RegExp(`dataSet=${dataSet.id}$`));
  await tabTo(steward, rowsField(steward));
  await steward.keyboard.insertText(FAULTY);
  await tabTo(steward, validateButton(steward));
  await steward.keyboard.press('Enter');
  await expect(verdict(steward)).toContainText('4 of 5 rows are invalid');
  await tabTo(steward, rule(steward, 'Missing key'));
  await steward.keyboard.press('Enter');
  await expect(lines(steward)).toHaveText(['3']);
  await steward.keyboard.press('Enter');
  await expect(lines(steward)).toHaveText(['1', '2', '3', '4', '6']);
});

test('redirects a user without the route to the start page', async ({ openFor }) => {
  const viewer = await openFor('viewer');
  await viewer.goto('/validation-test');
  await expect(viewer).toHaveURL(/\/$/);
  await viewer.keyboard.press('Control+k');
  await expect(viewer.getByRole('option').first()).toBeVisible();
  await expect(viewer.getByRole('option', { name: 'Validate rows' })).toHaveCount(0);
});

test('neither offers a data set that the user may not read nor validates against it', async ({ openFor }) => {
  const [steward, approver] = [await openFor('steward'), await openFor('approver')];
  const { dataSet } = await createAgents(steward);
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'READ')]);
  const readable = uniqueName('Readable agents');
  const { typeId } = await callApi<{ typeId: number }>(steward, 'GET', `/api/reference-data/${dataSet.id}`);
  await callApi(steward, 'POST', '/api/reference-data', { name: readable, typeId, collectionId });

  await approver.goto('/validation-test');
  await approver.getByLabel('Data set *').click();
  await approver.keyboard.type(readable);
  await expect(approver.getByRole('option')).toHaveText([new RegExp(`^${readable}`)]);
  await approver.getByRole('combobox', { name: 'Data sets' }).fill(dataSet.name);
  await expect(approver.getByText('No data set fits.')).toBeVisible();

  await approver.goto(`/validation-test?dataSet=${dataSet.id}`);
  await rowsField(approver).fill(CORRECTED);
  await validateButton(approver).click();
  await expect(approver.getByRole('alert')).toContainText('This data set does not exist');
  await expect(rowsField(approver)).toHaveValue(CORRECTED);
});
