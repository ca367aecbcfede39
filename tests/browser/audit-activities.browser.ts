/** Activities in the audit logs: the search, the details and the export. */
import { callApi, expect, test, uniqueName } from './fixtures.ts';

test('a search for a code shows who changed the row, and the event of the change', async ({ openFor }) => {
  const steward = await openFor('steward');
  const code = uniqueName('00161').replace(' ', '-');
  const { id: typeId } = await callApi<{ id: number }>(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Article'),
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'name', dataType: 'string' },
      { name: 'price', dataType: 'number' },
    ],
  });
  const name = uniqueName('Products');
  const { id } = await callApi<{ id: number }>(steward, 'POST', '/api/reference-data', { name, typeId });
  const rows = `/api/reference-data/${id}/instances`;
  const data = { code, name: 'Bolt', price: 4.2 };
  await callApi(steward, 'POST', rows, { data });
  const { items } = await callApi<{ items: { id: number; revision: number }[] }>(steward, 'GET', rows);
  const [row] = items;
  await callApi(steward, 'PATCH', rows, [{ id: row?.id, revision: row?.revision, data: { price: 4.5 } }]);
  const laterName = uniqueName('Goods');
  const { revision } = await callApi<{ revision: number }>(steward, 'GET', `/api/reference-data/${id}`);
  await callApi(steward, 'PATCH', `/api/reference-data/${id}`, { name: laterName }, revision);

  const admin = await openFor('admin');
  const list = admin.getByRole('grid', { name: 'Activities' });
  const line = `Sam Steward changed ${code} in ${laterName}: price 4.2 → 4.5`;
  await test.step('finds the sentence by the code', async () => {
    await admin.goto('/audit-logs');
    await expect(admin.getByRole('tab', { name: 'Activities' })).toHaveAttribute('aria-selected', 'true');
    await admin.getByRole('searchbox').fill(code);
    await expect(list.locator('[data-row]')).toHaveCount(2);
    await expect(list.locator('[data-row="0"]')).toContainText(line);
    await expect(list.locator('[data-row="1"]')).toContainText(`Sam Steward added ${code} to ${laterName}`);
  });

  await test.step('finds the sentence by the earlier name of the data set', async () => {
    await admin.getByRole('searchbox').fill(name);
    await expect(list.locator('[data-row]').filter({ hasText: line })).toHaveCount(1);
  });

  await test.step('shows the row with its values, and the event', async () => {
    await list.locator('[data-row]').filter({ hasText: line }).dblclick();
    const details = admin.getByRole('dialog', { name: 'Activity' });
    await expect(details).toContainText(line);
    const changed = details.getByRole('list', { name: 'Rows' }).getByRole('listitem');
    await expect(changed).toHaveCount(1);
    await expect(changed).toContainText('− before: 4.2+ after: 4.5');
    await details.getByRole('button', { name: 'Show the event' }).click();
    await expect(admin.getByRole('tab', { name: 'Events' })).toHaveAttribute('aria-selected', 'true');
    const events = admin.getByRole('grid', { name: 'All' });
    await expect(events.locator('[data-row]')).toHaveCount(1);
    await expect(events.locator('[data-row="0"]')).toContainText('Instances changed');
  });

  await test.step('downloads the activities as a CSV file', async () => {
    await admin.getByRole('tab', { name: 'Activities' }).click();
    // Until the tab has changed, the page shows the search box of the events.
    await expect(list).toBeVisible();
    await admin.getByRole('searchbox').fill(code);
    await expect(list.locator('[data-row]')).toHaveCount(2);
    await admin.getByRole('button', { name: 'Export', exact: true }).click();
    const download = admin.waitForEvent('download');
    await admin.getByRole('menuitem', { name: 'CSV', exact: true }).first().click();
    expect((await download).suggestedFilename()).toBe('audit-activities.csv');
  });
});
