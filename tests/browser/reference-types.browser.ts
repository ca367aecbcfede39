/**
 * The Reference Data Types page, with the texts of the specification (§2, §5, §7, §8), and its live updates for other
 * users.
 */
import type { Locator, Page } from '@playwright/test';
import { callApi, expect, test, uniqueName, visit } from './fixtures.ts';
import { createType, openTypeRow, row } from './reference-types-page.ts';

test.use({ reusesPages: true });

const SAFE = 'No dependencies found. This reference data type is safe to edit.';
const IN_USE =
  'This reference type has associated datasets. You must delete all datasets that use this type before you can delete it.';
const openNotifications = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: /^Notifications/ }).click();
  return page.getByRole('dialog', { name: 'Notifications' });
};

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

  test('offers only a view of the schema to users who may not change types', async ({ openFor }) => {
    const page = await openFor('viewer');
    const country = await openTypeRow(page, 'A country or territory under ISO 3166-1');
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
    await openTypeRow(other, name);
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
    await expect((await openNotifications(page)).getByText('Reference type created successfully')).toBeVisible();
  });
});

test.describe('editing a type', () => {
  test('shows the impact analysis first, then edits name and description in the row', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Edit' }).click();
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
    await expect((await openNotifications(page)).getByText('Reference type updated successfully')).toBeVisible();
  });

  test('requires an acknowledgement for a type in use', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    const dataSet = uniqueName('Data set');
    const { id: dataSetId } = await callApi(page, 'POST', '/api/reference-data', { name: dataSet, typeId: id });
    await callApi(page, 'POST', `/api/reference-data/${dataSetId}/instances`, {
      rows: ['01', '02', '03'].map((code) => ({ data: { code, rank: 1 } })),
    });

    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Edit' }).click();
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
});

test.describe('deleting a type', () => {
  test('requests one confirmation with the name of the type, and removes the type in this and in another browser', async ({
    openFor,
  }) => {
    const page = await openFor('steward');
    const other = await openFor('approver');
    const { name } = await createType(page);
    await openTypeRow(other, name);
    await expect(row(other, name)).toBeVisible();
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Delete' }).click();
    const confirm = page.getByRole('alertdialog');
    await expect(confirm).toContainText(
      `This will permanently delete the reference data type "${name}". This action cannot be undone.`,
    );
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, name)).toHaveCount(0);
    await expect(row(other, name)).toHaveCount(0);
    await expect((await openNotifications(page)).getByText('Reference type deleted successfully')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Undo', exact: true })).toHaveCount(0);
  });

  test('is refused, with the text of the specification, for a type in use', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    await callApi(page, 'POST', '/api/reference-data', { name: uniqueName('Data set'), typeId: id });
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Delete' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    await expect(impact.getByRole('button', { name: 'Proceed with Delete' })).toBeDisabled();
    await impact.getByRole('checkbox').click();
    await impact.getByRole('button', { name: 'Proceed with Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    const refusal = page.getByRole('alertdialog', { name: 'Cannot Delete Reference Type' });
    await expect(refusal).toContainText(IN_USE);
    await refusal.getByRole('button', { name: 'OK' }).click();
    await expect(typeRow).toBeVisible();
  });
});

test.describe('editing the schema of a type', () => {
  test('renames, adds and retires fields in the drawer', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    const typeRow = await openTypeRow(page, name);
    await page.getByRole('switch', { name: 'Show all columns' }).click();
    await typeRow.getByRole('button', { name: /^Actions for row/ }).click();
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
    await expect(typeRow.getByText('key: string (PK)')).toBeVisible();
    await expect(typeRow.getByText('valid: boolean')).toBeVisible();
    await expect(typeRow.getByText('rank: number')).toHaveCount(0);
  });
});
