/**
 * The mappings page: a second target for a value is allowed, with a warning before it is submitted; a source without rows does
 * not count as mapped.
 */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, expect, lastAction, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

/** Creates a crosswalk whose cardinality states one target per source value, with these drafts. */
async function createCrosswalkWithDrafts(
  steward: Page,
  approver: Page,
  drafts: Record<string, readonly string[]>,
): Promise<NamedItem> {
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (side: string, keys: readonly string[]) => {
    const { id } = await callApi(steward, 'POST', '/api/reference-data', {
      name: uniqueName(side),
      typeId,
      collectionId,
    });
    if (keys.length === 0) return id;
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, {
      rows: keys.map((code) => ({ data: { code } })),
    });
    return id;
  };
  const name = uniqueName('Several targets');
  const { id } = await callApi(steward, 'POST', '/api/crosswalks', {
    name,
    sourceSystemId: await createDataSet('Source', Object.keys(drafts)),
    targetSystemId: await createDataSet('Target', [...new Set(Object.values(drafts).flat())]),
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  for (const [sourceValue, targets] of Object.entries(drafts)) {
    for (const targetValue of targets) {
      await callApi(steward, 'POST', `/api/crosswalks/${id}/mappings`, {
        rows: [{ sourceValue, targetValue, confidence: 100, origin: 'MANUAL' }],
      });
    }
  }
  return { id, name };
}

const rowOf = (page: Page, target: string) =>
  page.getByRole('row').filter({ has: page.locator('td[data-column="targetValue"]', { hasText: target }) });

test('warns about other targets before a submission, and allows it', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { id } = await createCrosswalkWithDrafts(steward, await openFor('approver'), {
    q1: ['north', 'south'],
    q2: ['east'],
  });
  await steward.goto(`/crosswalks/${id}/mappings?tab=draft`);

  await test.step('requests confirmation for a single row only if it has other targets', async () => {
    await rowOf(steward, 'east').getByRole('button', { name: 'Submit' }).click();
    await expect(rowOf(steward, 'east')).toHaveCount(0);
    await rowOf(steward, 'north').first().getByRole('button', { name: 'Submit' }).click();
    const question = steward.getByRole('dialog', { name: 'Submit q1 → north?' });
    await expect(question.getByRole('note')).toContainText(
      'q1 has another target: south (draft), and this crosswalk is stated as many to one',
    );
    await question.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('counts the rows with several targets among many', async () => {
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await steward.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Submit' }).click();
    const question = steward.getByRole('dialog', { name: 'Submit 2 mappings?' });
    await expect(question.getByRole('note')).toContainText('One source value has several targets: q1');
    await question.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(lastAction(steward)).toContainText('Submitted: 2 mappings.');
  });
});

test('shows the draft of a missing value to the user who maps it', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id } = await createCrosswalkWithDrafts(steward, approver, { q1: ['north'] });
  // A crosswalk that is not approved records no missing mappings.
  await callApi(steward, 'POST', `/api/crosswalks/${id}/submit`, {});
  await callApi(approver, 'POST', `/api/crosswalks/${id}/approve`, {});
  await callApi(steward, 'GET', `/api/crosswalks/${id}/translate?value=q1`);
  await steward.goto(`/missing-mappings?crosswalk=${id}`);
  const row = steward.getByRole('row').filter({ hasText: 'q1' });
  await expect(row).toContainText('Draft');
  await row.getByRole('button', { name: 'Map now…' }).click();
  const dialog = steward.getByRole('dialog', { name: 'Map q1' });
  await expect(dialog.getByRole('note')).toContainText('q1 is mapped already: north (draft)');
});

test('does not show a source without rows as mapped, and links to no empty tab', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { id } = await createCrosswalkWithDrafts(steward, await openFor('approver'), {});
  await steward.goto(`/crosswalks/${id}/mappings`);
  await expect(steward.getByText(/^Source \S+ has no rows yet$/)).toBeVisible();
  await expect(steward.getByRole('link', { name: /^Open Source / })).toBeVisible();
  await expect(steward.getByRole('button', { name: 'Accept all…' })).toHaveCount(0);
  await steward.getByRole('tab', { name: /^Draft/ }).click();
  await expect(steward.getByText('No drafts')).toBeVisible();
  await expect(steward.getByRole('button', { name: /^Go to / })).toHaveCount(0);
});

test('ignores all matching missing values at once, and undoes the drafts of one command', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id } = await createCrosswalkWithDrafts(steward, approver, { q1: ['north'], q2: ['nord'] });
  await callApi(steward, 'POST', `/api/crosswalks/${id}/submit`, {});
  await callApi(approver, 'POST', `/api/crosswalks/${id}/approve`, {});
  // Missing values are recorded only once the crosswalk serves.
  await expect
    .poll(async () => (await callApi<{ isServed: boolean }>(steward, 'GET', `/api/crosswalks/${id}`)).isServed)
    .toBe(true);
  const values = [...Array.from({ length: 60 }, (_, place) => `zzz ${place}`), 'northe', 'nordd'];
  await callApi(steward, 'POST', `/api/crosswalks/${id}/translate`, { values, context: 'invoicing' });
  await expect
    .poll(
      async () => (await callApi<{ total: number }>(steward, 'GET', `/api/missing-mappings?crosswalkId=${id}`)).total,
    )
    .toBe(62);
  await steward.goto(`/missing-mappings?crosswalk=${id}&q=zzz`);
  const selectionBar = steward.getByRole('region', { name: 'Selected rows' });
  const bar = lastAction(steward);
  const outcome = (name: string) => steward.getByRole('dialog', { name });
  const countMissing = async (more = '') =>
    (await callApi<{ total: number }>(steward, 'GET', `/api/missing-mappings?crosswalkId=${id}${more}`)).total;

  await test.step('ignores all matching values, also those of other pages', async () => {
    await expect(steward.getByRole('row').filter({ hasText: 'invoicing' }).first()).toBeVisible();
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await selectionBar.getByRole('button', { name: 'Select all 60 that match' }).click();
    await expect(selectionBar).toContainText('All 60 that match are selected');
    await selectionBar.getByRole('button', { name: 'Ignore…' }).click();
    const question = steward.getByRole('dialog', { name: 'Ignore 60 values?' });
    await question.getByRole('textbox').fill('no such region');
    await question.getByRole('button', { name: 'Ignore', exact: true }).click();
    await expect(bar).toContainText('Ignored: 60 values.');
    await expect(outcome('Ignored')).toHaveCount(0);
    expect(await countMissing()).toBe(2);
  });

  await test.step('undoes all of these actions together', async () => {
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(bar).toHaveCount(0);
    expect(await countMissing()).toBe(62);
    await expect(steward.getByText('1–50 of 60')).toBeVisible();
  });

  await test.step('undoes a reopening too, with the former comment', async () => {
    const ignored = await callApi<{ items: { id: number }[] }>(
      steward,
      'GET',
      `/api/missing-mappings?crosswalkId=${id}&q=zzz%207&sort=id`,
    );
    const ids = ignored.items.map((row) => row.id);
    await callApi(steward, 'POST', '/api/missing-mappings/ignore', { ids, comment: 'a typing error' });
    await steward.goto(`/missing-mappings?crosswalk=${id}&ignored=true&columns=sourceValue,ignoreReason`);
    const row = steward.getByRole('row', { name: /zzz 7/ });
    await expect(row).toContainText('a typing error');
    await row.getByRole('button', { name: /^Actions/ }).click();
    await steward.getByRole('menuitem', { name: 'Stop ignoring' }).click();
    await expect(bar).toContainText('Listed again: 1 value.');
    await expect(row).toHaveCount(0);
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(row).toContainText('a typing error');
    await callApi(steward, 'POST', '/api/missing-mappings/reopen', { ids });
  });

  await test.step('drafts the best suggestion of each value, and undoes this', async () => {
    await steward.goto(`/missing-mappings?crosswalk=${id}`);
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await selectionBar.getByRole('button', { name: 'Select all 62 that match' }).click();
    await selectionBar.getByRole('button', { name: 'Accept best suggestions' }).click();
    await expect(outcome('Drafted')).toContainText('2 done, 0 refused');
    await expect(outcome('Drafted')).toContainText('60 values had no suggestion');
    await outcome('Drafted').getByRole('button', { name: 'Close' }).first().click();
    const countDrafts = async () =>
      (await callApi<{ total: number }>(steward, 'GET', `/api/crosswalks/${id}/mappings?tab=draft`)).total;
    await expect.poll(countDrafts).toBe(4);
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(bar).toHaveCount(0);
    await expect.poll(countDrafts).toBe(2);
  });
});

test('dismisses a wrong suggestion by a key, and restores it', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { id } = await createCrosswalkWithDrafts(steward, await openFor('approver'), {
    bergen: [],
    oslo: [],
    stavanger: ['Bergen', 'Oslo', 'OSLO-'],
  });
  const grid = (name: string) => steward.getByRole('grid', { name });
  const row = (name: string, value: string) => grid(name).getByRole('row').filter({ hasText: value });
  const undo = lastAction(steward);
  const waitForFocusOn = async (value: string) =>
    steward.waitForFunction(
      (wanted) => document.activeElement?.querySelector<HTMLElement>('[data-row-key]')?.dataset['rowKey'] === wanted,
      value,
    );
  await steward.goto(`/crosswalks/${id}/mappings?tab=suggested`);
  const oslo = row('suggested values', 'oslo');
  await expect(oslo.getByRole('button', { name: /^1 / })).toContainText('OSLO-');

  await test.step('shows the next candidate in its place, then focuses the next row', async () => {
    await steward.keyboard.press('j');
    await waitForFocusOn('bergen');
    await steward.keyboard.press('j');
    await waitForFocusOn('oslo');
    await steward.keyboard.press('r');
    await expect(undo).toContainText('Dismissed: oslo → OSLO-.');
    await expect(oslo.getByRole('button', { name: /^1 / })).toContainText('Oslo');
    await waitForFocusOn('oslo');
    await steward.keyboard.press('r');
    await expect(oslo).toHaveCount(0);
    await waitForFocusOn('bergen');
    await expect(steward.getByRole('tab', { name: /^Suggested\s*1$/ })).toBeVisible();
    await expect(steward.getByRole('tab', { name: /^Dismissed\s*2$/ })).toBeVisible();
  });

  await test.step('undoes the dismissal from the bar', async () => {
    await undo.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect(oslo.getByRole('button', { name: /^1 / })).toContainText('Oslo');
    await expect(steward.getByRole('tab', { name: /^Dismissed\s*1$/ })).toBeVisible();
  });

  await test.step('dismisses many suggestions at once, and restores them from the tab that lists them', async () => {
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).press('Space');
    const bar = steward.getByRole('region', { name: 'Selected rows' });
    await bar.getByRole('button', { name: 'Dismiss best candidates' }).press('Enter');
    await expect(undo).toContainText('2 suggestions dismissed.');
    await steward.getByRole('tab', { name: /^Dismissed\s*3$/ }).click();
    const bergen = row('dismissed suggestions', 'bergen');
    await expect(bergen).toContainText('Bergen');
    await bergen.getByRole('button', { name: 'Suggest again' }).press('Enter');
    await expect(bergen).toHaveCount(0);
    await steward.getByRole('tab', { name: /^Suggested\s*1$/ }).click();
    await expect(row('suggested values', 'bergen')).toContainText('Bergen');
  });

  await test.step('maps a dismissed pair by hand', async () => {
    await callApi(steward, 'POST', `/api/crosswalks/${id}/mappings`, {
      rows: [{ sourceValue: 'oslo', targetValue: 'Oslo', confidence: 100, origin: 'MANUAL' }],
    });
    await steward.goto(`/crosswalks/${id}/mappings?tab=draft`);
    await expect(rowOf(steward, 'Oslo').first()).toBeVisible();
  });
});

test('submits a draft by a key, and with Shift with a comment for the approver', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id } = await createCrosswalkWithDrafts(steward, approver, { q1: ['north'], q2: ['east'], q3: ['west'] });
  const rowOfSource = (value: string) => steward.getByRole('row').filter({ hasText: value });
  const waitForFocusOn = (value: string) =>
    steward.waitForFunction(
      (wanted) =>
        document.activeElement?.querySelector('[data-row-key]')?.closest('[data-row]')?.textContent?.includes(wanted),
      value,
    );
  await steward.goto(`/crosswalks/${id}/mappings?tab=draft`);
  await expect(rowOfSource('q1')).toBeVisible();

  await test.step('submits at once', async () => {
    await steward.keyboard.press('j');
    await waitForFocusOn('q1');
    await steward.keyboard.press('s');
    await expect(rowOfSource('q1')).toHaveCount(0);
    await waitForFocusOn('q2');
  });

  await test.step('submits with a comment by keyboard', async () => {
    await steward.keyboard.press('Shift+S');
    const dialog = steward.getByRole('dialog', { name: 'Submit q2 → east?' });
    await expect(dialog.getByRole('textbox', { name: 'Comment' })).toBeFocused();
    await steward.keyboard.type('East since the reform');
    await steward.keyboard.press('Control+Enter');
    await expect(rowOfSource('q2')).toHaveCount(0);
  });

  await test.step('submits from the menu of the row', async () => {
    await waitForFocusOn('q3');
    await steward.keyboard.press('Shift+F10');
    await steward.getByRole('menuitem', { name: 'Submit with comment…' }).press('Enter');
    await expect(steward.getByRole('dialog', { name: 'Submit q3 → west?' })).toBeVisible();
    await steward.keyboard.press('Escape');
    await expect(rowOfSource('q3')).toBeVisible();
  });

  await test.step('shows the comment to the approver, in the history and in the audit log', async () => {
    await approver.goto(`/approvals?by=parent&group=crosswalk:${id}`);
    await approver.getByRole('row').filter({ hasText: 'q2 → east' }).first().click();
    const pane = approver.getByRole('region', { name: 'Item' });
    await expect(pane.getByText('East since the reform').first()).toBeVisible();
    const { items } = await callApi<{ items: { id: number; sourceValue: string }[] }>(
      steward,
      'GET',
      `/api/crosswalks/${id}/mappings?tab=pending`,
    );
    const row = items.find(({ sourceValue }) => sourceValue === 'q2');
    const history = await callApi<{ items: { comment?: string; newStatus: string }[] }>(
      steward,
      'GET',
      `/api/crosswalks/${id}/mappings/${row?.id}/history`,
    );
    expect(history.items[0]).toMatchObject({ newStatus: 'PENDING', comment: 'East since the reform' });
  });
});
