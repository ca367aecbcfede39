/** Ignores and drafts many missing mappings with an undo, and submits drafts by keyboard. */
import { createCrosswalkWithDrafts } from './crosswalk-drafts.ts';
import { callApi, expect, lastAction, test } from './fixtures.ts';

test.use({ reusesPages: true });

test('ignores all matching missing mappings at once, and undoes the drafts of one command', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id } = await createCrosswalkWithDrafts(steward, approver, { q1: ['north'], q2: ['nord'] });
  await callApi(steward, 'POST', `/api/crosswalks/${id}/submit`, {});
  await callApi(approver, 'POST', `/api/crosswalks/${id}/approve`, {});
  // Missing mappings are recorded only while the crosswalk is served.
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
  const countMissing = async () =>
    (await callApi<{ total: number }>(steward, 'GET', `/api/missing-mappings?crosswalkId=${id}`)).total;

  await test.step('ignores all matching values, also on other pages', async () => {
    await expect(steward.getByRole('row').filter({ hasText: 'invoicing' }).first()).toBeVisible();
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await selectionBar.getByRole('button', { name: 'Select all 60 matching rows' }).click();
    await expect(selectionBar).toContainText('All 60 matching rows are selected');
    await selectionBar.getByRole('button', { name: 'Ignore…' }).click();
    const confirmation = steward.getByRole('dialog', { name: 'Ignore 60 values?' });
    await confirmation.getByRole('textbox').fill('no such region');
    await confirmation.getByRole('button', { name: 'Ignore', exact: true }).click();
    await expect(bar).toContainText('Ignored: 60 values.');
    await expect(outcome('Ignored')).toHaveCount(0);
    expect(await countMissing()).toBe(2);
  });

  await test.step('lists all ignored values again after one undo', async () => {
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(bar).toHaveCount(0);
    expect(await countMissing()).toBe(62);
    await expect(steward.getByText('1–50 of 60')).toBeVisible();
  });

  await test.step('undoes “Stop ignoring”, and restores the comment', async () => {
    const missing = await callApi<{ items: { id: number }[] }>(
      steward,
      'GET',
      `/api/missing-mappings?crosswalkId=${id}&q=zzz%207&sort=id`,
    );
    const ids = missing.items.map((row) => row.id);
    await callApi(steward, 'POST', '/api/missing-mappings/ignore', { ids, comment: 'a typing error' });
    await steward.goto(`/missing-mappings?crosswalk=${id}&ignored=true&columns=sourceValue,ignoreReason`);
    const row = steward.getByRole('row', { name: /zzz 7/ });
    await expect(row).toContainText('a typing error');
    await row.getByRole('button', { name: /^Actions/ }).click();
    await steward.getByRole('menuitem', { name: 'Stop ignoring' }).click();
    await expect(bar).toContainText('No longer ignored: 1 value.');
    await expect(row).toHaveCount(0);
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(row).toContainText('a typing error');
    await callApi(steward, 'POST', '/api/missing-mappings/reopen', { ids });
  });

  await test.step('drafts the best suggestion of each value, and undoes the drafts', async () => {
    await steward.goto(`/missing-mappings?crosswalk=${id}`);
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await selectionBar.getByRole('button', { name: 'Select all 62 matching rows' }).click();
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

test('submits a draft with the key s, and adds a comment with Shift+S', async ({ openFor }) => {
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

  await test.step('submits without a comment', async () => {
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

  await test.step('opens the dialog from the menu of the row', async () => {
    await waitForFocusOn('q3');
    await steward.keyboard.press('Shift+F10');
    await steward.getByRole('menuitem', { name: 'Submit with comment…' }).press('Enter');
    await expect(steward.getByRole('dialog', { name: 'Submit q3 → west?' })).toBeVisible();
    await steward.keyboard.press('Escape');
    await expect(rowOfSource('q3')).toBeVisible();
  });

  await test.step('shows the comment to the approver and in the history', async () => {
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
