/** Tests the graph of data sets for users and for anonymous users, and the impact of a schema change on rows. */
import type { Page } from '@playwright/test';
import { callApi, expect, test, uniqueName, visit } from './fixtures.ts';
import { createDataSet, createGraphData } from './graph-data.ts';

test.use({ reusesPages: true });

const relate = (page: Page, sourceDataSetId: number, targetDataSetId: number) =>
  callApi(page, 'POST', '/api/relationships', {
    name: uniqueName('Fits'),
    sourceDataSetId,
    targetDataSetId,
    sourceField: 'code',
    targetField: 'code',
  });

const picture = (page: Page) => page.getByRole('region', { name: /^Picture of the graph/ });

test('expands a node of the graph and opens the clicked data set', async ({ openFor }) => {
  const page = await openFor('steward');
  const graphData = await createGraphData(page);
  const [near, next, far] = [
    await createDataSet(page, graphData),
    await createDataSet(page, graphData),
    await createDataSet(page, graphData),
  ];
  await relate(page, near.id, next.id);
  await relate(page, next.id, far.id);

  await page.goto(`/reference-data/${near.id}`);
  await page.getByRole('link', { name: 'Graph', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Graph of ${near.name}` })).toBeVisible();
  await expect(picture(page).getByRole('link', { name: next.name })).toBeVisible();
  await expect(picture(page).getByRole('link', { name: far.name })).toHaveCount(0);

  await picture(page)
    .getByRole('button', { name: `Show more neighbours of ${next.name}` })
    .click();
  await expect(picture(page).getByRole('link', { name: far.name })).toBeVisible();
  // The table has the same data sets, and the URL contains the expanded node.
  const table = page.getByRole('region', { name: 'Data sets' });
  for (const { name } of [near, next, far]) await expect(table.getByRole('rowheader', { name })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`expand=${next.id}`));
  await page.reload();
  await expect(picture(page).getByRole('link', { name: far.name })).toBeVisible();

  await picture(page).getByRole('link', { name: far.name }).click();
  await expect(page).toHaveURL(new RegExp(`/reference-data/${far.id}$`));
});

test('shows an anonymous user only published data sets', async ({ openFor }) => {
  const steward = await openFor('steward');
  const graphData = await createGraphData(steward);
  const [published, unpublished] = [
    await createDataSet(steward, graphData, [{ code: 'a' }]),
    await createDataSet(steward, graphData),
  ];
  const crosswalk = uniqueName('Unapproved');
  await callApi(steward, 'POST', '/api/crosswalks', {
    name: crosswalk,
    sourceSystemId: published.id,
    targetSystemId: unpublished.id,
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  await steward.goto(`/reference-data/${published.id}/edit`);
  await steward.getByRole('switch', { name: 'Public in the graph' }).click();
  await steward.getByRole('button', { name: 'Save' }).click();
  await expect(steward).toHaveURL(new RegExp(`/reference-data/${published.id}$`));

  const anonymous = await openFor('anonymous', { width: 390, height: 844 });
  await anonymous.goto('/graph-visualization');
  await expect(anonymous.getByRole('rowheader', { name: published.name })).toBeVisible();
  await expect(picture(anonymous).getByRole('link', { name: published.name })).toBeAttached();
  // On a narrow screen, the buttons are below the text of the header and do not cover it.
  const heading = await anonymous.getByText('The published data sets, and').boundingBox();
  const button = await anonymous.getByRole('button', { name: 'Export' }).boundingBox();
  expect(button?.y).toBeGreaterThanOrEqual((heading?.y ?? 0) + (heading?.height ?? Number.POSITIVE_INFINITY));
  for (const hidden of [unpublished.name, crosswalk, graphData.typeName, 'Sam Steward']) {
    await expect(anonymous.getByText(hidden)).toHaveCount(0);
  }
  await anonymous.getByRole('rowheader').getByRole('link', { name: published.name }).click();
  await expect(anonymous).toHaveURL(/\/auth/);
});

test('shows the impact of a breaking schema change before the save, and lists the broken rows after the save', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  const graphData = await createGraphData(page);
  const parts = await createDataSet(page, graphData, [
    { code: 'bolt', size: '12' },
    { code: 'nut', size: 'large' },
    { code: 'pin' },
  ]);

  await page.goto(`/reference-types?q=${encodeURIComponent(graphData.typeName)}`);
  await page.getByRole('button', { name: /^Actions for row/ }).click();
  await page.getByRole('menuitem', { name: 'Schema' }).click();
  await expect(page.getByRole('checkbox', { name: 'code is a primary key' })).toBeDisabled();
  await expect(page.getByText('This field identifies the rows of data sets: only its name can change.')).toBeVisible();
  await page.getByLabel('Data type of size').click();
  await page.getByRole('option', { name: 'number' }).click();
  await page.getByRole('button', { name: 'Save Schema' }).click();

  const impact = page.getByRole('dialog', { name: 'Impact Analysis' });
  await expect(impact.getByRole('region', { name: parts.name })).toContainText('2 rows');
  await expect(impact.getByRole('row', { name: 'nut large' })).toBeVisible();
  const proceed = impact.getByRole('button', { name: 'Proceed with Edit' });
  await expect(proceed).toBeDisabled();
  await impact.getByRole('checkbox').click();
  await proceed.click();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await visit(page, `/reference-data?q=${encodeURIComponent(parts.name)}`);
  await page.getByRole('link', { name: '2 broken' }).click();
  await expect(page.getByRole('tab', { name: 'Wrong data type 2' })).toBeVisible();
  await page.getByRole('row').filter({ hasText: 'bolt' }).dblclick();
  await expect(page.getByRole('dialog')).toContainText('bolt');
});
