/** Tests the filter builder of several lists, and the filter test page with the configured filters of a list. */
import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { createCollection, grantTo } from '../collections.ts';
import { CODES, createCodes } from '../filtered-codes.ts';
import { callApi, expect, test, uniqueName, visit } from '../fixtures.ts';

test.use({ reusesPages: true });

/** Imports two rows, one of them without a key. */
async function runImport(page: Page, dataSetId: number): Promise<{ jobId: number; description: string }> {
  const baseUrl = process.env['BASE_URL'] ?? '';
  const file = { name: 'agents.csv', mimeType: 'text/csv', buffer: Buffer.from('code,rank\nd,low\n,none\n') };
  const staged = await page.request.post(`${baseUrl}/api/imports`, {
    headers: { Origin: baseUrl, 'Idempotency-Key': randomUUID() },
    multipart: { dataSetId: String(dataSetId), file },
  });
  const { id } = (await staged.json()) as { id: string };
  const description = uniqueName('Agents');
  const { jobId } = await callApi<{ jobId: number }>(page, 'POST', `/api/imports/${id}/start`, { description });
  const status = async () => (await callApi<{ status: string }>(page, 'GET', `/api/jobs/${jobId}`)).status;
  await expect.poll(status).toBe('DONE');
  return { jobId, description };
}

test('tests a filter, and configures the filters of a list', async ({ openFor }) => {
  const [admin, steward, viewer] = await Promise.all([openFor('admin'), openFor('steward'), openFor('viewer')]);
  const { dataSetId } = await createCodes(steward, viewer);
  await admin.goto(`/filter-testing?entity=data-set:${dataSetId}`);
  const result = admin.getByRole('region', { name: 'Result' });
  await expect(result.getByRole('row')).toHaveCount(CODES.length + 1);

  // A filter written as JSON appears in the builder, and vice versa.
  const json = admin.getByLabel('Filter as JSON');
  await json.fill('{"conditions": [{"field": "code", "operator": "starts_with", "value": "0"}]}');
  const builder = admin.getByRole('region', { name: 'Builder' });
  await expect(builder.getByRole('combobox', { name: 'Operator' })).toHaveText('starts with');
  await builder.getByRole('textbox', { name: 'Value' }).fill('00');
  await expect(json).toHaveValue(/"value": "00"/);
  await admin.getByRole('button', { name: 'Run' }).click();
  await expect(result.getByRole('row')).toHaveCount(3);
  await expect(result.getByText('Cost of the query plan')).toBeVisible();
  await json.fill('{');
  await expect(admin.getByText(/^This is not JSON/)).toBeVisible();
  await expect(admin.getByRole('button', { name: 'Run' })).toBeDisabled();

  const configurations = admin.getByRole('region', { name: 'Filter configurations' });
  await configurations.getByRole('button', { name: 'Configure code', exact: true }).click();
  const form = admin.getByRole('dialog', { name: 'Filter by code' });
  for (const operator of ['contains', 'does not contain', 'matches (regex)', 'starts with', 'ends with']) {
    await form.getByRole('checkbox', { name: operator, exact: true }).click();
  }
  await form.getByLabel('Shown as').fill('Code number');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
  await expect(configurations.getByText('Code number')).toBeVisible();

  // The page of the list offers the remaining operators.
  await steward.goto(`/reference-data/${dataSetId}`);
  await steward.getByRole('button', { name: 'Filter', exact: true }).click();
  const filter = steward.getByRole('dialog', { name: 'Filter' });
  await expect(filter.getByRole('combobox', { name: 'Field' })).toHaveText('Code number');
  await filter.getByRole('combobox', { name: 'Operator' }).click();
  await expect(steward.getByRole('option', { name: 'is one of' })).toBeVisible();
  await expect(steward.getByRole('option', { name: 'matches (regex)' })).toHaveCount(0);
  await expect(steward.getByRole('option', { name: 'starts with' })).toHaveCount(0);
});

test('filters several lists by a column with the builder', async ({ openFor }) => {
  const [steward, approver, admin] = await Promise.all([openFor('steward'), openFor('approver'), openFor('admin')]);
  const { id: collectionId, name: collection } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const fields = [
    { name: 'code', dataType: 'string', isPrimaryKey: true },
    { name: 'rank', dataType: 'string' },
  ];
  const typeName = uniqueName('Filtered');
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', { name: typeName, schemas: fields });
  const createDataSet = async (name: string, keys: readonly string[]) => {
    const { id } = await callApi(steward, 'POST', '/api/reference-data', { name, typeId, collectionId });
    const rows = keys.map((code) => ({ data: { code, rank: 'high' } }));
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, { rows });
    return id;
  };
  const [sourceName, targetName] = [uniqueName('Abroad'), uniqueName('At home')];
  const [source, target] = [
    await createDataSet(sourceName, ['a', 'b', 'c']),
    await createDataSet(targetName, ['A1', 'B1', 'C1']),
  ];
  const { id: crosswalk } = await callApi(steward, 'POST', '/api/crosswalks', {
    name: uniqueName('Home'),
    sourceSystemId: source,
    targetSystemId: target,
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  const changeMappings = async (verb: string, by: Page, rows: unknown) =>
    (
      await callApi<{ results: { id: number; revision: number }[] }>(
        by,
        'POST',
        `/api/crosswalks/${crosswalk}/mappings${verb}`,
        { rows },
      )
    ).results;
  const drafts = await changeMappings('', steward, [
    { sourceValue: 'a', targetValue: 'A1' },
    { sourceValue: 'b', targetValue: 'C1' },
    { sourceValue: 'c', targetValue: 'C1' },
  ]);
  await changeMappings('/approve', approver, await changeMappings('/submit', steward, drafts.slice(0, 1)));
  const { items: targetRows } = await callApi<{ items: unknown[] }>(
    steward,
    'GET',
    `/api/reference-data/${target}/instances?q=C1`,
  );
  await callApi(steward, 'DELETE', `/api/reference-data/${target}/instances`, { rows: targetRows });
  const header = await callApi<{ revision: number }>(approver, 'GET', `/api/crosswalks/${crosswalk}`);
  const items = [{ kind: 'crosswalk', parentId: crosswalk, id: crosswalk, revision: header.revision }];
  await callApi(approver, 'POST', '/api/approvals/decide', { decision: 'approve', items });
  const { description, jobId } = await runImport(steward, source);

  const expectFiltered = async (
    path: string,
    list: string,
    field: string,
    value: string,
    rows: readonly (string | RegExp)[],
  ) => {
    await visit(admin, path);
    const grid = admin.getByRole('grid', { name: list });
    await expect(grid.getByRole('row').nth(1)).toBeVisible();
    const container = path.includes('?job=') ? admin.getByRole('dialog') : admin;
    await container.getByRole('button', { name: 'Filter', exact: true }).click();
    const builder = admin.getByRole('dialog', { name: 'Filter' });
    await builder.getByRole('combobox', { name: 'Field' }).click();
    await admin.getByRole('option', { name: field, exact: true }).click();
    await builder.getByRole('combobox', { name: 'Operator' }).click();
    await admin.getByRole('option', { name: 'contains', exact: true }).click();
    await builder.getByRole('textbox', { name: 'Value' }).fill(value);
    await builder.getByRole('button', { name: 'Apply' }).click();
    await expect(container.getByRole('button', { name: 'Filter, 1 condition active' })).toBeVisible();
    await expect(grid.getByRole('row')).toHaveCount(rows.length + 1);
    for (const [index, row] of rows.entries()) await expect(grid.getByRole('row').nth(index + 1)).toContainText(row);
  };
  await expectFiltered('/reference-types', 'Reference Data Types', 'Name', typeName.toLowerCase(), [typeName]);
  await expectFiltered('/monitor', 'Jobs', 'Description', description, [description]);
  await expectFiltered(`/monitor?job=${jobId}`, 'Log', 'Reason', 'key field', [/key field/]);
  await expectFiltered('/monitor?tab=system', 'Read models', 'Read model', 'Audit log: ev', ['Audit log: events']);
  await expectFiltered(`/reference-data/${source}/integrity`, 'Problems', 'Source value', 'b', ['Broken target']);
  await expectFiltered('/site-paths', 'Site paths', 'Path', '/site-pa', ['/site-paths']);
  await expectFiltered(`/crosswalk/comparison/${target}`, 'Comparison', 'code', 'b1', ['B1']);
  await expectFiltered(`/crosswalk/comparison/${target}`, 'Comparison', sourceName, 'a', ['A1']);
  await expectFiltered(`/collections/${collectionId}`, `Data sets of ${collection}`, 'Data set', 'home', [targetName]);
  const activityPath = `/collections/${collectionId}?tab=activity`;
  await expectFiltered(activityPath, `Activity of ${collection}`, 'What happened', 'Created', ['Created']);
});
