/** Tests the approvals dashboard: impact, other viewers of a batch, decisions by keyboard, and links to items. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, expect, lastAction, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

interface Row {
  id: number;
  revision: number;
}

/**
 * Creates an approved crosswalk with a served mapping of “a”, and translates “a” twice. A new target of this mapping
 * and two new mappings are under review. A second crosswalk leads from the target data set to a third data set.
 */
async function createMappingsUnderReview(
  steward: Page,
  approver: Page,
): Promise<{ crosswalk: NamedItem; nextCrosswalkName: string }> {
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Reviewed'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (name: string, codes: readonly string[]) => {
    const { id } = await callApi(steward, 'POST', '/api/reference-data', {
      name: uniqueName(name),
      typeId,
      collectionId,
    });
    const rows = codes.map((code) => ({ data: { code } }));
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, { rows });
    return id;
  };
  const source = await createDataSet('Local', ['a', 'b', 'c']);
  const target = await createDataSet('National', ['A1', 'B1']);
  const third = await createDataSet('Global', ['A2']);
  const newCrosswalk = async (name: string, from: number, to: number): Promise<NamedItem> => {
    const ends = { sourceSystemId: from, targetSystemId: to, sourceAttribute: 'code', targetAttribute: 'code' };
    const { id } = await callApi(steward, 'POST', '/api/crosswalks', { name, ...ends });
    return { id, name };
  };
  const crosswalk = await newCrosswalk(uniqueName('Local to national'), source, target);
  const { name: nextCrosswalkName } = await newCrosswalk(uniqueName('National to global'), target, third);

  const path = `/api/crosswalks/${crosswalk.id}`;
  const changeRows = async (by: Page, verb: string, body: unknown, method: 'POST' | 'PATCH' = 'POST') =>
    (await callApi<{ results: Row[] }>(by, method, `${path}/mappings${verb}`, body)).results;
  const first = await changeRows(steward, '', { rows: [{ sourceValue: 'a', targetValue: 'A1' }] });
  const served = await changeRows(approver, '/approve', {
    rows: await changeRows(steward, '/submit', { rows: first }),
  });
  const { revision } = await callApi<Row>(approver, 'GET', path);
  const items = [{ kind: 'crosswalk', parentId: crosswalk.id, id: crosswalk.id, revision }];
  await callApi(approver, 'POST', '/api/approvals/decide', { decision: 'approve', items });

  const edited = served.map(({ id, revision }) => ({ id, revision, targetValue: 'B1' }));
  const changed = await changeRows(steward, '', { rows: edited }, 'PATCH');
  await changeRows(steward, '/submit', { rows: changed, comment: 'a is B1 from now on' });
  const added = await changeRows(steward, '', {
    rows: [
      { sourceValue: 'b', targetValue: 'B1' },
      { sourceValue: 'c', targetValue: 'C1' },
    ],
  });
  await changeRows(steward, '/submit', { rows: added, comment: 'The rest' });
  await callApi(steward, 'POST', `${path}/translate`, { values: ['a', 'a'] });
  const crosswalkFilter = {
    logic: 'AND',
    conditions: [{ field: 'parentId', operator: 'equals', value: crosswalk.id }],
  };
  const pendingItemsPath = `/api/approvals?sort=title&filter=${encodeURIComponent(JSON.stringify(crosswalkFilter))}`;
  await expect
    .poll(async () => {
      const page = await callApi<{ items: { impact: { requests: number } }[] }>(approver, 'GET', pendingItemsPath);
      return page.items.map(({ impact }) => impact.requests);
    })
    .toEqual([2, 0, 0]);
  return { crosswalk, nextCrosswalkName };
}

test('shows the impact of an item, decides it by keyboard and opens it from the notifications', async ({ openFor }) => {
  const [steward, approver, admin] = await Promise.all([openFor('steward'), openFor('approver'), openFor('admin')]);
  const { crosswalk, nextCrosswalkName } = await createMappingsUnderReview(steward, approver);
  const list = (page: Page) => page.getByRole('grid', { name: 'Approvals: review' });
  const record = (page: Page) => page.getByRole('region', { name: 'Item' });
  for (const page of [approver, admin]) {
    await page.goto('/approvals?by=parent');
    await page.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: crosswalk.name }).click();
    await expect(list(page).getByRole('row')).toHaveCount(4);
    await page.getByRole('gridcell', { name: /^a → B1/ }).click();
  }

  await test.step('shows the changed translation, the requests of the value, and the next crosswalk', async () => {
    const downstream = record(approver).getByRole('region', { name: 'Downstream impact' });
    await expect(downstream).toContainText('Translating a returns B1 instead of A1.');
    await expect(downstream).toContainText('The source value was requested 2 times, last');
    await expect(downstream).toContainText(`1 crosswalk translates its target further: ${nextCrosswalkName}.`);
    await expect(downstream).not.toContainText('No row of');
    await expect(record(approver).getByRole('blockquote')).toHaveText('a is B1 from now on');
  });

  await test.step('shows that a value has no row in its data set', async () => {
    await approver.getByRole('gridcell', { name: /^c → C1/ }).click();
    const downstream = record(approver).getByRole('region', { name: 'Downstream impact' });
    await expect(downstream).toContainText(/No row of National.* has the code C1\./);
    await approver.getByRole('gridcell', { name: /^a → B1/ }).click();
    await expect(record(approver)).toContainText('a is B1 from now on');
  });

  await test.step('shows the viewers of the same batch, and of another batch of the crosswalk', async () => {
    await expect(record(approver)).toContainText(/viewing this batch too/);
    await expect(record(admin)).toContainText('Ada Approver is viewing this batch too');
    await admin.keyboard.press('j');
    await expect(record(admin)).toContainText('b → B1');
    await expect(record(admin)).toContainText('Ada Approver is viewing this crosswalk too');
    await admin.keyboard.press('k');
    await expect(record(admin)).toContainText('Ada Approver is viewing this batch too');
  });

  await test.step('disables the decision for the author, and shows the reason', async () => {
    await steward.goto('/approvals?by=parent');
    await steward.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: crosswalk.name }).click();
    await expect(record(steward).getByRole('button', { name: 'Approve A' })).toBeDisabled();
    await expect(record(steward)).toContainText('Submitted changes must be reviewed by a different user');
  });

  await test.step('sums up the changed translations of several items, and lists the most requested ones', async () => {
    await approver.getByRole('checkbox', { name: 'Select all rows on this page' }).press('Space');
    const selected = approver.getByRole('region', { name: 'Selected rows' });
    await selected.getByRole('button', { name: 'Approve' }).press('Enter');
    const confirmation = approver.getByRole('dialog', { name: 'Approve 3 items?' });
    const downstream = confirmation.getByRole('region', { name: 'Downstream impact' });
    await expect(downstream).toContainText('3 translations: 2 new, 1 with another target.');
    await expect(downstream).toContainText('1 of their source values was requested 2 times in total.');
    await expect(downstream.getByRole('row')).toContainText(['a → B1 instead of A1']);
    await approver.keyboard.press('Escape');
    await approver.getByRole('checkbox', { name: 'Select all rows on this page' }).press('Space');
    await approver.getByRole('gridcell', { name: /^a → B1/ }).click();
  });

  await test.step('shows a decision by keyboard to other viewers', async () => {
    await approver.keyboard.press('a');
    await expect(list(approver).getByRole('row')).toHaveCount(3);
    await expect(admin.getByText('Ada Approver just approved 1 item')).toBeVisible();
    await expect(record(admin)).toContainText('No longer pending');
    await expect(record(admin)).toContainText('Approved by Ada Approver');
    await expect(record(admin).getByRole('button', { name: 'Approve A' })).toHaveCount(0);
  });

  await test.step('selects the remaining rows by keyboard and rejects them together', async () => {
    await list(approver)
      .locator('[data-row="0"]')
      .getByRole('gridcell', { name: /^b → B1/ })
      .click();
    await approver.keyboard.press('x');
    await approver.keyboard.press('Shift+ArrowDown');
    const selected = approver.getByRole('region', { name: 'Selected rows' });
    await expect(selected).toContainText('2 selected');
    await selected.getByRole('button', { name: 'Reject' }).click();
    const confirmation = approver.getByRole('dialog', { name: 'Reject 2 items?' });
    await confirmation.getByRole('textbox').fill('Not the right ones');
    await confirmation.getByRole('button', { name: 'Reject' }).click();
    await expect(lastAction(approver)).toContainText('Rejected: 2 items.');
  });

  await test.step('opens the decided item from the notification, and by its link on a phone', async () => {
    await approver.getByRole('button', { name: /^Notifications/ }).click();
    const notices = approver.getByRole('dialog', { name: 'Notifications' });
    await notices.getByRole('link', { name: 'Approved' }).first().click();
    await expect(notices).toBeHidden();
    await expect(approver).toHaveURL(/\/approvals\?tab=decided&item=mapping-/);
    await expect(record(approver).getByRole('heading', { level: 2 })).toContainText('a → B1');
    await expect(record(approver)).toContainText('Approved by Ada Approver');

    const item = new URL(approver.url()).searchParams.get('item');
    const phone = await openFor('approver', { width: 390, height: 844 });
    await phone.goto(`/approvals?item=${item}`);
    await expect(phone.getByRole('dialog')).toContainText('Approved by Ada Approver');
    await phone.goto('/approvals?item=mapping-1-1-1');
    await expect(phone.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: /^All/ })).toBeVisible();
  });

  await test.step('undoes the decision about a whole batch in the list of decided items', async () => {
    await approver.goto('/approvals?tab=decided&by=parent');
    await approver.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: crosswalk.name }).click();
    const decided = approver.getByRole('grid', { name: 'Approvals: decided' });
    const row = decided.getByRole('row').filter({ hasText: 'b → B1' });
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await approver.getByRole('menuitem', { name: 'Undo the decision…' }).click();
    const confirmation = approver.getByRole('dialog', { name: 'Undo 2 rows?' });
    await confirmation.getByRole('button', { name: 'Undo 2 rows' }).click();
    // The decision is still shown, with the user who undid it.
    await expect(row).toContainText('Undone');
    await row.getByRole('gridcell', { name: /^b → B1/ }).click();
    await expect(record(approver)).toContainText('Rejected by Ada Approver');
    await expect(record(approver)).toContainText('Undone by Ada Approver');
    await approver.goto('/approvals?by=parent');
    await approver.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: crosswalk.name }).click();
    await expect(list(approver).getByRole('row').filter({ hasText: 'b → B1' })).toHaveCount(1);
  });

  await test.step('shows that all items of the group in the URL are decided', async () => {
    await approver.reload();
    await expect(list(approver).getByRole('row')).toHaveCount(3);
    await approver.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await approver.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Approve' }).click();
    const confirmation = approver.getByRole('dialog', { name: 'Approve 2 items?' });
    await confirmation.getByRole('button', { name: 'Approve' }).click();
    await expect(approver.getByText('All items of this group were decided or recalled.')).toBeVisible();
  });

  await test.step('lists the keyboard shortcuts', async () => {
    await approver.keyboard.press('?');
    await expect(approver.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('approve');
  });
});

test('fits a queue of many collections into a narrow screen', async ({ openFor }) => {
  const page = await openFor('approver', { width: 390, height: 844 });
  // The answer has eight groups in place of the groups that other tests created.
  await page.route(/\/api\/approvals\?.*group=/, async (route) => {
    // Without If-None-Match the server returns the groups, never an empty 304.
    const { 'if-none-match': _, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    const { items, ...rest } = (await response.json()) as { items: object[] };
    const [group] = items;
    await route.fulfill({
      response,
      json: { ...rest, items: Array.from({ length: 8 }, (_, key) => ({ ...group, key, name: `Collection ${key}` })) },
    });
  });
  await page.goto('/approvals');
  const queue = page.getByRole('navigation', { name: 'Queue' });
  await expect(queue.getByRole('button', { name: /^Collection 7/ })).toBeAttached();
  expect((await queue.boundingBox())?.width ?? 0).toBeLessThanOrEqual(390);
  expect(await page.getByRole('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBe(0);
});
