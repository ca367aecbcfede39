/**
 * Tests failures, loading and conflicts on the Reference Data Types page, and the debug page. The expected texts are in
 * the specification (§2, §5, §7, §8).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, holdRequests, test, uniqueName } from '../fixtures.ts';
import { createType, openTypeRow, row } from '../reference-types-page.ts';

test.use({ reusesPages: true });

const LIST = /\/api\/reference-types(\?|$)/;
const pendingErrors = (page: Page) =>
  page.evaluate(() =>
    ((window as { pendingErrors?: { title: string; description: string }[] }).pendingErrors ?? []).map(
      ({ title, description }) => [title, description],
    ),
  );

test.describe('the list', () => {
  test('shows only primary keys until all columns are switched on', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page, { description: '' });
    const typeRow = await openTypeRow(page, name);
    await expect(typeRow).toContainText('No description');
    await expect(typeRow.getByText('code: string (PK)')).toBeVisible();
    await expect(typeRow.getByText('rank: number')).toHaveCount(0);
    await page.getByRole('switch', { name: 'Show all columns' }).click();
    await expect(typeRow.getByText('code: string (PK)')).toBeVisible();
    await expect(typeRow.getByText('rank: number', { exact: true })).toBeVisible();
    await expect(page).toHaveURL(/allColumns=true/);
  });

  test('marks types whose fields or primary key are missing', async ({ openFor }) => {
    const page = await openFor('steward');
    const family = uniqueName('Family');
    const [bare, keyless, unreadable] = await Promise.all([
      createType(page, { name: `${family} bare` }),
      createType(page, { name: `${family} keyless` }),
      createType(page, { name: `${family} unreadable` }),
    ]);
    // The server accepts no type without a primary key, but the page must not rely on this.
    await page.route(`**/api/reference-types/${bare.id}/schemas`, (route) => route.fulfill({ json: [] }));
    await page.route(`**/api/reference-types/${keyless.id}/schemas`, (route) =>
      route.fulfill({
        json: [{ fieldId: 1, name: 'note', dataType: 'string', isPrimaryKey: false, isReferenced: false }],
      }),
    );
    await page.route(`**/api/reference-types/${unreadable.id}/schemas`, (route) =>
      route.fulfill({ status: 404, json: { error: 'Not here' } }),
    );
    await openTypeRow(page, family);
    await expect(row(page, bare.name)).toContainText('No schemas');
    await expect(row(page, keyless.name)).toContainText('No primary key');
    await expect(row(page, unreadable.name)).toContainText('No schemas');
  });

  test('opens without a search from the link Back to Reference Types', async ({ openFor }) => {
    const page = await openFor('steward');
    await page.goto('/reference-types-list?q=Currency');
    await expect(row(page, 'Currency')).toHaveCount(1);
    await page.getByRole('link', { name: 'Back to Reference Types' }).click();
    await expect(page).toHaveURL(/\/reference-types$/);
    await expect(row(page, 'A country or territory under ISO 3166-1')).toBeVisible();
  });

  test('offers to try again when it cannot be loaded', async ({ openFor }) => {
    const page = await openFor('steward', { unshared: true });
    // Without live updates, a change by another test cannot load the list before the button is pressed.
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
    // The request for the totals has no query string; the request for the list has one.
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
});

test.describe('adding a type', () => {
  test('shows the error and preserves the input if the name is taken', async ({ openFor }) => {
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
  test('can be cancelled', async ({ openFor }) => {
    const page = await openFor('steward');
    const { name } = await createType(page);
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Proceed with Edit' }).click();
    const grid = page.getByRole('grid', { name: 'Reference Data Types' });
    await grid.getByRole('textbox', { name: 'Name' }).fill('Never mind');
    await grid.getByRole('button', { name: 'Cancel' }).click();
    await expect(typeRow).toBeVisible();
    await expect(row(page, 'Never mind')).toHaveCount(0);
  });

  test('shows the crosswalks that use the type, and the locked key fields', async ({ openFor }) => {
    const page = await openFor('steward');
    const country = await openTypeRow(page, 'A country or territory under ISO 3166-1');
    await country.getByRole('button', { name: 'Edit' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    await expect(impact).toContainText('Locked primary-key fields');
    await expect(impact.getByRole('heading', { name: 'Crosswalks' })).toBeVisible();
    await expect(impact.getByText('Countries, alpha-2 → Countries, alpha-3').first()).toBeVisible();
    await expect(impact.getByText(/\d+ mappings/).first()).toBeVisible();
    await impact.getByRole('button', { name: 'Cancel' }).click();
    await expect(impact).toBeHidden();
  });

  test('shows both values of a field that another user changed meanwhile', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Edit' }).click();
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
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Proceed with Edit' }).click();
    const grid = page.getByRole('grid', { name: 'Reference Data Types' });
    await grid.getByRole('textbox', { name: 'Name' }).fill(taken);
    await grid.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Error' })).toContainText('Failed to update reference type');
  });

  test('reports that the impact cannot be determined', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    await page.route(`**/api/reference-types/${id}/dependencies*`, (route) =>
      route.fulfill({ contentType: 'application/json', body: 'null' }),
    );
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Edit' }).click();
    const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
    await expect(impact).toContainText('No dependency data received from server');
    await expect(impact.getByRole('button', { name: 'Proceed with Edit' })).toBeDisabled();
  });
});

test.describe('deleting a type', () => {
  test('shows the HTTP status if another user has deleted the type meanwhile', async ({ openFor }) => {
    const page = await openFor('steward');
    const { id, name } = await createType(page);
    const typeRow = await openTypeRow(page, name);
    await typeRow.getByRole('button', { name: 'Delete' }).click();
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
  test('is shown on the debug page with the revision and the last events of the type', async ({ openFor }) => {
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

test('shows a type and the name of its creator without a reload', async ({ openFor }) => {
  const page = await openFor('steward');
  const other = await openFor('viewer');
  await other.goto('/reference-types?sort=id&order=DESC');
  await expect(other.getByRole('grid', { name: 'Reference Data Types' }).getByRole('row').nth(1)).toBeVisible();
  await other.evaluate(() => document.body.setAttribute('data-never-reloaded', ''));
  // The viewer's page shows the creator for a few seconds. If the page joins the live room too late, the block
  // is repeated with another type.
  await expect(async () => {
    const name = uniqueName('Live');
    await createType(page, { name });
    await expect(row(other, name)).toBeVisible();
    await expect(row(other, name).locator('[data-actor="Sam Steward"]')).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(other.locator('body')).toHaveAttribute('data-never-reloaded', '');
});
