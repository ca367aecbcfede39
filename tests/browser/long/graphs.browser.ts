/** Tests broken targets of mappings, the key of a data set, and the rebuild of the graph. */
import { callApi, expect, test, uniqueName } from '../fixtures.ts';
import { createDataSet, createGraphData } from '../graph-data.ts';

test.use({ reusesPages: true });

test('lists a mapping under Broken target after the target row is deleted', async ({ openFor }) => {
  const page = await openFor('steward');
  const graphData = await createGraphData(page);
  const rows = [{ code: 'a' }, { code: 'b' }];
  const [source, target] = [await createDataSet(page, graphData, rows), await createDataSet(page, graphData, rows)];
  const { id } = await callApi(page, 'POST', '/api/crosswalks', {
    name: uniqueName('Parts to parts'),
    sourceSystemId: source.id,
    targetSystemId: target.id,
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  await callApi(page, 'POST', `/api/crosswalks/${id}/mappings`, { rows: [{ sourceValue: 'a', targetValue: 'b' }] });
  await page.goto(`/crosswalks/${id}/mappings`);
  await expect(page.getByRole('tab', { name: 'Broken target 0' })).toBeVisible();

  const { items } = await callApi<{ items: { id: number; revision: number }[] }>(
    page,
    'GET',
    `/api/reference-data/${target.id}/instances?key=b`,
  );
  await callApi(page, 'DELETE', `/api/reference-data/${target.id}/instances`, {
    rows: items.map(({ id: row, revision }) => ({ id: row, revision })),
  });
  await page.reload();
  await page.getByRole('tab', { name: 'Broken target 1' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Draft' })).toBeVisible();
  await page.getByRole('button', { name: /^Actions for row/ }).click();
  await expect(page.getByRole('menuitem', { name: 'Edit target' })).toBeEnabled();
});

test('selects the key of a data set from the fields of its type', async ({ openFor }) => {
  const page = await openFor('steward');
  const graphData = await createGraphData(page);
  const name = uniqueName('Parts by size');
  await page.goto('/reference-data/create');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('button', { name: 'Type' }).click();
  await page.getByPlaceholder('Type to search').fill(graphData.typeName);
  await page.getByRole('option', { name: graphData.typeName }).click();
  const key = page.getByRole('group', { name: 'Primary key' });
  await expect(key.getByRole('checkbox', { name: /^code/ })).toBeChecked();
  await key.getByRole('checkbox', { name: /^size/ }).click();
  await expect(key.getByText('Together these fields identify a row.')).toBeVisible();
  await page.getByRole('button', { name: 'Create an empty data set' }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(page.getByText('code, size')).toBeVisible();
});

test('lets administrators rebuild the graph and other users check it', async ({ openFor }) => {
  const steward = await openFor('steward');
  await steward.goto('/postgres-info');
  await steward.getByRole('button', { name: 'Check for drift' }).click();
  await expect(steward.getByRole('region', { name: 'Counters' })).toBeVisible();
  await expect(steward.getByRole('button', { name: 'Rebuild' })).toHaveCount(0);

  const admin = await openFor('admin');
  await admin.goto('/postgres-info');
  await admin.getByRole('button', { name: 'Rebuild' }).click();
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Rebuild' }).click();
  await expect(admin.getByRole('alertdialog')).toHaveCount(0);
  await expect(admin.getByRole('button', { name: 'Rebuild' })).toBeEnabled();
  await expect(admin.getByRole('row', { name: /^data_sets Serving/ })).toBeVisible();
});
