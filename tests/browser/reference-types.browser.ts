/**
 * The Reference Data Types page, with the texts of the specification (§2, §5, §7, §8), and its live updates for other users.
 */
import type { Locator, Page } from '@playwright/test';
import { callApi, expect, holdRequests, test, uniqueName, visit } from './fixtures.ts';

test.use({ reusesPages: true });

const SAFE = 'No dependencies found. This reference data type is safe to edit.';
const IN_USE =
  'This reference type has associated datasets. You must delete all datasets that use this type before you can delete it.';
const LIST = /\/api\/reference-types(\?|$)/;

interface TypeSeed {
  name?: string;
  description?: string;
  schemas?: { name: string; dataType: string; isPrimaryKey: boolean }[];
}

const CODE_AND_NAME = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'rank', dataType: 'number', isPrimaryKey: false },
];

/** Creates a type for one test. */
async function createType(page: Page, seed: TypeSeed = {}): Promise<{ id: number; name: string }> {
  const name = seed.name ?? uniqueName('Type');
  const { id } = await callApi(page, 'POST', '/api/reference-types', {
    name,
    description: seed.description ?? 'Made by a story',
    schemas: seed.schemas ?? CODE_AND_NAME,
  });
  return { id, name };
}

async function open(page: Page, query: string): Promise<Locator> {
  await page.goto(`/reference-types?q=${encodeURIComponent(query)}`);
  return row(page, query);
}

const row = (page: Page, text: string) =>
  page.getByRole('grid', { name: 'Reference Data Types' }).getByRole('row').filter({ hasText: text });
const history = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: /^Notifications/ }).click();
  return page.getByRole('dialog', { name: 'Notifications' });
};
const pendingErrors = (page: Page) =>
  page.evaluate(() =>
    ((window as { pendingErrors?: { title: string; description: string }[] }).pendingErrors ?? []).map(
      ({ title, description }) => [title, description],
    ),
  );

test.describe('the list', () => {
  test('counts types and schemas and has the columns of the specification', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/reference-types');
    const grid = page.getByRole('grid', { name: 'Reference Data Types' });
    await expect(row(page, 'A country or territory under ISO 3166-1')).toBeVisible();
    await expect(grid.getByRole('columnheader')).toHaveText([
      'ID',
      'Name',
      'Description',
      'Schema Count',
      'Schema Details',
      'Actions',
    ]);
    const types = await callApi<{ id: number; schemaCount: number }[]>(page, 'GET', '/api/reference-types');
    const figure = (label: string) => page.locator('dl > div').filter({ hasText: label }).locator('dd');
    await expect(figure('Total Types')).toHaveText(String(types.length));
    await expect(figure('Total Schemas')).toHaveText(
      String(types.reduce((sum, { schemaCount }) => sum + schemaCount, 0)),
    );
    await visit(page, '/reference-types-list');
    await expect(grid).toBeVisible();
  });

  test('shows primary keys alone, or all columns', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page, { description: '' });
    const mine = await open(page, name);
    await expect(mine).toContainText('No description');
    await expect(mine.getByText('code: string (PK)')).toBeVisible();
    await expect(mine.getByText('rank: number')).toHaveCount(0);
    await page.getByRole('switch', { name: 'Show all columns' }).click();
    await expect(mine.getByText('code: string (PK)')).toBeVisible();
    await expect(mine.getByText('rank: number', { exact: true })).toBeVisible();
    await expect(page).toHaveURL(/allColumns=true/);
  });

  test('marks types without schemas or primary key, and shows a type whose fields cannot be read', async ({
    openFor,
  }) => {
    const page = await openFor('steward');
    const family = uniqueName('Family');
    const [bare, keyless, unreadable] = await Promise.all([
      createType(page, { name: `${family} bare` }),
      createType(page, { name: `${family} keyless` }),
      createType(page, { name: `${family} unreadable` }),
    ]);
    // The server accepts no type without a primary key; the page must not rely on it.
    await page.route(`**/api/reference-types/${bare.id}/schemas`, (route) => route.fulfill({ json: [] }));
    await page.route(`**/api/reference-types/${keyless.id}/schemas`, (route) =>
      route.fulfill({
        json: [{ fieldId: 1, name: 'note', dataType: 'string', isPrimaryKey: false, isReferenced: false }],
      }),
    );
    await page.route(`**/api/reference-types/${unreadable.id}/schemas`, (route) =>
      route.fulfill({ status: 404, json: { error: 'Not here' } }),
    );
    await open(page, family);
    await expect(row(page, bare.name)).toContainText('No schemas');
    await expect(row(page, keyless.name)).toContainText('No primary key');
    await expect(row(page, unreadable.name)).toContainText('No schemas');
  });

  test('is reopened without its search by Back to Reference Types', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/reference-types-list?q=Currency');
    await expect(row(page, 'Currency')).toHaveCount(1);
    await page.getByRole('link', { name: 'Back to Reference Types' }).click();
    await expect(page).toHaveURL(/\/reference-types$/);
    await expect(row(page, 'A country or territory under ISO 3166-1')).toBeVisible();
  });

  test('offers to try again when it cannot be loaded', async ({ openFor }) => {
    const page = await openFor('steward', { unshared: true });
    // Without live updates: a change by another test would load the list again before the button is pressed.
    await page.routeWebSocket(/socket\.io/, () => undefined);
    await page.route(LIST, (route) => route.fulfill({ status: 422, json: { error: 'The list is resting' } }));
    await page.goto('/reference-types');
    await expect(page.getByRole('main').getByText('Failed to fetch reference types')).toBeVisible();
    await expect(page.getByText('The list is resting')).toBeVisible();
    await expect.poll(() => pendingErrors(page)).toContainEqual(['Error', 'Failed to fetch reference types']);
    await page.unroute(LIST);
    await page.getByRole('button', { name: 'Try Again' }).click();
    await expect(row(page, 'A country or territory under ISO 3166-1')).toBeVisible();
  });

  test('reports that the totals cannot be loaded, and shows the list', async ({ openFor }) => {
    const message = 'Failed to load data. Please try refreshing the page.';
    const page = await openFor('steward');
    // The request for the totals has no query, the one for the list has.
    await page.route(/\/api\/reference-types$/, (route) => route.fulfill({ status: 422, json: { error: 'Not now' } }));
    await page.goto('/reference-types');
    await expect(page.getByRole('main').getByRole('alert')).toHaveText(message);
    await expect(row(page, 'A country or territory under ISO 3166-1')).toBeVisible();
    await expect.poll(() => pendingErrors(page)).toContainEqual(['Error', message]);
  });

  test('shows a loading state while it loads', async ({ openFor }) => {
    const page = await openFor('steward');
    const hold = await holdRequests(page, LIST);
    await page.goto('/reference-types');
    await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toHaveAttribute('aria-busy', 'true');
    hold.release();
    await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toHaveAttribute('aria-busy', 'false');
  });

  test('offers only a view of the schema to users who may not change types', async ({ openFor }) => {
    const page = await openFor('viewer');
    const country = await open(page, 'A country or territory under ISO 3166-1');
    await expect(page.getByRole('button', { name: 'Add New Type' })).toHaveCount(0);
    await expect(country.getByRole('button', { name: 'Edit' })).toHaveCount(0);
    await expect(country.getByRole('button', { name: 'Delete' })).toHaveCount(0);
    await country.getByRole('button', { name: 'Schema' }).click();
    await expect(page.getByRole('dialog', { name: 'Schema of Country' })).toContainText(
      'You can read this schema, but not change it.',
    );
  });
});

test.describe('adding a type', () => {
  test('validates name, fields and primary key before a request is sent', async ({ openFor }) => {
    const page = await openFor('steward');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/reference-types')) sent.push(request.url());
    });
    await page.goto('/reference-types');
    await page.getByRole('button', { name: 'Add New Type' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add New Type' });
    const create = dialog.getByRole('button', { name: 'Create Type' });
    const alert = dialog.getByRole('alert');
    await expect(dialog.getByRole('button', { name: 'Remove Field 1' })).toBeDisabled();

    await create.click();
    await expect(alert).toContainText('Validation Error');
    await expect(alert).toContainText('Name is required');
    await dialog
      .getByLabel(/^Name\b/)
      .first()
      .fill(uniqueName('Type'));
    await create.click();
    await expect(alert).toContainText('All schemas must have names');
    await dialog.getByLabel('Name of field 1').fill('code');
    await dialog.getByRole('checkbox', { name: 'code is a primary key' }).click();
    await create.click();
    await expect(alert).toContainText('At least one field must be selected as the primary key');
    expect(sent).toEqual([]);
  });

  test('accepts names and data types of fields, and shows the type in this and in another browser', async ({
    openFor,
  }) => {
    const page = await openFor('steward');
    const other = await openFor('viewer');
    const name = uniqueName('Nomenclature');
    await open(other, name);
    await expect(other.getByText('Nothing matches')).toBeVisible();

    await page.goto(`/reference-types?q=${encodeURIComponent(name)}`);
    await page.getByRole('button', { name: 'Add New Type' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add New Type' });
    await dialog
      .getByLabel(/^Name\b/)
      .first()
      .fill(name);
    await dialog.getByLabel('Description').fill('Economic activities');
    await dialog.getByLabel('Name of field 1').fill('code');
    for (const [index, field, dataType] of [
      [2, 'level', 'number'],
      [3, 'current', 'boolean'],
      [4, 'since', 'date'],
      [5, 'surplus', 'string'],
    ] as const) {
      await dialog.getByRole('button', { name: 'Add Field' }).click();
      await dialog.getByLabel(`Name of field ${index}`).fill(field);
      await dialog.getByRole('combobox', { name: `Data type of ${field}` }).click();
      await page.getByRole('option', { name: dataType, exact: true }).click();
    }
    await dialog.getByRole('button', { name: 'Remove surplus' }).click();
    await dialog.getByRole('button', { name: 'Create Type' }).click();
    await expect(dialog).toBeHidden();

    for (const browser of [page, other]) {
      await expect(row(browser, name)).toBeVisible();
      await browser.getByRole('switch', { name: 'Show all columns' }).click();
      for (const badge of ['code: string (PK)', 'level: number', 'current: boolean', 'since: date']) {
        await expect(row(browser, name).getByText(badge, { exact: true })).toBeVisible();
      }
      await expect(row(browser, name).getByText('surplus')).toHaveCount(0);
    }
    await expect((await history(page)).getByText('Reference type created successfully')).toBeVisible();
  });

  test('shows why the server refused, and keeps the input', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    await page.goto('/reference-types?new=true');
    const dialog = page.getByRole('dialog', { name: 'Add New Type' });
    await dialog
      .getByLabel(/^Name\b/)
      .first()
      .fill(name);
    await dialog.getByLabel('Name of field 1').fill('code');
    await dialog.getByRole('button', { name: 'Create Type' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Failed to create reference type: ');
    await expect(dialog.getByLabel(/^Name\b/).first()).toHaveValue(name);
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
  });
});

test.describe('editing a type', () => {
  test('starts with the impact analysis and ends at the row', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Edit' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    await expect(impact).toContainText(SAFE);
    await impact.getByRole('button', { name: 'Proceed with Edit' }).click();

    const grid = page.getByRole('grid', { name: 'Reference Data Types' });
    await grid.getByRole('textbox', { name: 'Name' }).fill('');
    await grid.getByRole('button', { name: 'Save' }).click();
    await expect(grid.getByText('Name is required')).toBeVisible();
    await grid.getByRole('textbox', { name: 'Name' }).fill(`${name} renamed`);
    await grid.getByRole('textbox', { name: 'Description' }).fill('Changed again');
    await grid.getByRole('button', { name: 'Save' }).click();
    await expect(row(page, `${name} renamed`)).toContainText('Changed again');
    await expect((await history(page)).getByText('Reference type updated successfully')).toBeVisible();
  });

  test('can be cancelled', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Proceed with Edit' }).click();
    const grid = page.getByRole('grid', { name: 'Reference Data Types' });
    await grid.getByRole('textbox', { name: 'Name' }).fill('Never mind');
    await grid.getByRole('button', { name: 'Cancel' }).click();
    await expect(mine).toBeVisible();
    await expect(row(page, 'Never mind')).toHaveCount(0);
  });

  test('requires an acknowledgement for a type in use', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    const dataSet = uniqueName('Data set');
    const { id: dataSetId } = await callApi(page, 'POST', '/api/reference-data', { name: dataSet, typeId: id });
    await callApi(page, 'POST', `/api/reference-data/${dataSetId}/instances`, {
      rows: ['01', '02', '03'].map((code) => ({ data: { code, rank: 1 } })),
    });

    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Edit' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    const figure = (label: string) => impact.locator('dl > div').filter({ hasText: label }).locator('dd');
    await expect(figure('Datasets')).toHaveText('1');
    await expect(figure('Relationships')).toHaveText('0');
    await expect(figure('Crosswalks')).toHaveText('0');
    await expect(figure('Data instances')).toHaveText('3');
    await expect(impact.getByRole('listitem').filter({ hasText: dataSet })).toContainText('3 instances');
    const proceed = impact.getByRole('button', { name: 'Proceed with Edit' });
    await expect(proceed).toBeDisabled();
    await impact.getByRole('checkbox').click();
    await proceed.click();
    await expect(
      page.getByRole('grid', { name: 'Reference Data Types' }).getByRole('textbox', { name: 'Name' }),
    ).toHaveValue(name);
  });

  test('shows the relationships and crosswalks that use the type, and the locked key fields', async ({ openFor }) => {
    const page = await openFor('steward');
    const country = await open(page, 'A country or territory under ISO 3166-1');
    await country.getByRole('button', { name: 'Edit' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    await expect(impact).toContainText('Locked primary-key fields');
    await expect(impact.getByRole('heading', { name: 'Crosswalks' })).toBeVisible();
    await expect(impact.getByText('Countries, alpha-2 → Countries, alpha-3').first()).toBeVisible();
    await expect(impact.getByText(/\d+ mappings/).first()).toBeVisible();
    await impact.getByRole('button', { name: 'Cancel' }).click();
    await expect(impact).toBeHidden();
  });

  test('offers a choice for each field that another user changed meanwhile, and overwrites nothing', async ({
    openFor,
  }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Proceed with Edit' }).click();
    const grid = page.getByRole('grid', { name: 'Reference Data Types' });
    await grid.getByRole('textbox', { name: 'Description' }).fill('What I think');

    const admin = await openFor('admin');
    const [current] = (await callApi<{ id: number; revision: number }[]>(admin, 'GET', '/api/reference-types')).filter(
      (type) => type.id === id,
    );
    await callApi(
      admin,
      'PATCH',
      `/api/reference-types/${id}`,
      { name, description: 'What they think' },
      current?.revision,
    );

    await grid.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('What I think');
    await expect(dialog).toContainText('What they think');
  });

  test('shows a failure in the error dialog', async ({ openFor }) => {
    const page = await openFor('steward');
    const [{ name }, { name: taken }] = [await createType(page), await createType(page)];
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Proceed with Edit' }).click();
    const grid = page.getByRole('grid', { name: 'Reference Data Types' });
    await grid.getByRole('textbox', { name: 'Name' }).fill(taken);
    await grid.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Error' })).toContainText('Failed to update reference type');
  });

  test('reports when the impact cannot be determined', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    await page.route(`**/api/reference-types/${id}/dependencies*`, (route) =>
      route.fulfill({ contentType: 'application/json', body: 'null' }),
    );
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Edit' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    await expect(impact).toContainText('No dependency data received from server');
    await expect(impact.getByRole('button', { name: 'Proceed with Edit' })).toBeDisabled();
  });
});

test.describe('deleting a type', () => {
  test('requests one confirmation with the name of the type, and removes the type in this and in another browser', async ({
    openFor,
  }) => {
    const page = await openFor('steward');
    const other = await openFor('approver');
    const { name } = await createType(page);
    await open(other, name);
    await expect(row(other, name)).toBeVisible();
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Delete' }).click();
    const confirm = page.getByRole('alertdialog');
    await expect(confirm).toContainText(
      `This will permanently delete the reference data type "${name}". This action cannot be undone.`,
    );
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, name)).toHaveCount(0);
    await expect(row(other, name)).toHaveCount(0);
    await expect((await history(page)).getByText('Reference type deleted successfully')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Undo', exact: true })).toHaveCount(0);
  });

  test('is refused for a type in use with the text of the specification', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    await callApi(page, 'POST', '/api/reference-data', { name: uniqueName('Data set'), typeId: id });
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Delete' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    await expect(impact.getByRole('button', { name: 'Proceed with Delete' })).toBeDisabled();
    await impact.getByRole('checkbox').click();
    await impact.getByRole('button', { name: 'Proceed with Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    const refusal = page.getByRole('alertdialog', { name: 'Cannot Delete Reference Type' });
    await expect(refusal).toContainText(IN_USE);
    await refusal.getByRole('button', { name: 'OK' }).click();
    await expect(mine).toBeVisible();
  });

  test('shows the status of any other failure', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    const mine = await open(page, name);
    await mine.getByRole('button', { name: 'Delete' }).click();
    const confirmation = page.getByRole('alertdialog').filter({ hasText: name });
    await expect(confirmation).toBeVisible();
    // Another user deletes the type before this user confirms.
    await callApi(await openFor('admin'), 'DELETE', `/api/reference-types/${id}`);
    await confirmation.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Error' })).toContainText(
      'Failed to delete reference type: Not Found',
    );
  });
});

test.describe('the schema of a type', () => {
  test('changes in the drawer: fields added, renamed, retyped and retired', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    const mine = await open(page, name);
    await page.getByRole('switch', { name: 'Show all columns' }).click();
    await mine.getByRole('button', { name: /^Actions for row/ }).click();
    await page.getByRole('menuitem', { name: 'Schema' }).click();
    const drawer = page.getByRole('dialog', { name: `Schema of ${name}` });
    await drawer.getByLabel('Name of field 1').fill('key');
    await drawer.getByRole('button', { name: 'Remove rank' }).click();
    await expect(drawer.getByRole('button', { name: 'Keep rank' })).toBeVisible();
    await drawer.getByRole('button', { name: 'Add Field' }).click();
    await drawer.getByRole('button', { name: 'Save Schema' }).click();
    await expect(drawer.getByRole('alert')).toContainText('All schemas must have names');
    await drawer.getByLabel('Name of field 3').fill('valid');
    await drawer.getByRole('combobox', { name: 'Data type of valid' }).click();
    await page.getByRole('option', { name: 'boolean', exact: true }).click();
    await drawer.getByRole('button', { name: 'Save Schema' }).click();
    await expect(drawer).toBeHidden();
    await expect(mine.getByText('key: string (PK)')).toBeVisible();
    await expect(mine.getByText('valid: boolean')).toBeVisible();
    await expect(mine.getByText('rank: number')).toHaveCount(0);
  });

  test('is shown raw on the debug page, with its revision and its last events', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    await page.goto('/reference-types');
    await page.getByRole('link', { name: 'Debug Schemas' }).click();
    await expect(page).toHaveURL(/\/reference-types-debug$/);
    await page.getByRole('button', { name }).click();
    await expect(page.getByRole('region', { name: `Type and revision of ${name}` })).toContainText('"revision": 1');
    await expect(page.getByRole('region', { name: `Stored schema of ${name}` })).toContainText('"name": "rank"');
    await expect(page.getByRole('region', { name: `Last events of ${name}` })).toContainText('ReferenceTypeDefined');

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: `Copy stored schema of ${name}` }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('"name": "rank"');
  });
});

test('shows a type created in one browser in another without a reload', async ({ openFor }) => {
  const page = await openFor('steward');
  const other = await openFor('viewer');
  await other.goto('/reference-types?sort=id&order=DESC');
  await expect(other.getByRole('grid', { name: 'Reference Data Types' }).getByRole('row').nth(1)).toBeVisible();
  await other.evaluate(() => document.body.setAttribute('data-never-reloaded', ''));
  // The user who created the type is shown beside its name for a few seconds, unless the page joined its room only after the
  // creation.
  await expect(async () => {
    const name = uniqueName('Live');
    await createType(page, { name });
    await expect(row(other, name)).toBeVisible();
    await expect(row(other, name).locator('[data-actor="Sam Steward"]')).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(other.locator('body')).toHaveAttribute('data-never-reloaded', '');
});
