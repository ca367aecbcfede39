/** Tests mappings with several targets, drafts of missing values, sources without rows, and dismissed suggestions. */
import type { Page } from '@playwright/test';
import { createCrosswalkWithDrafts } from '../crosswalk-drafts.ts';
import { callApi, expect, lastAction, test } from '../fixtures.ts';

test.use({ reusesPages: true });

const rowOf = (page: Page, target: string) =>
  page.getByRole('row').filter({ has: page.locator('td[data-column="targetValue"]', { hasText: target }) });

test('warns about other targets of a value before a submission', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { id } = await createCrosswalkWithDrafts(steward, await openFor('approver'), {
    q1: ['north', 'south'],
    q2: ['east'],
  });
  await steward.goto(`/crosswalks/${id}/mappings?tab=draft`);

  await test.step('requests confirmation only for a row whose value has other targets', async () => {
    await rowOf(steward, 'east').getByRole('button', { name: 'Submit' }).click();
    await expect(rowOf(steward, 'east')).toHaveCount(0);
    await rowOf(steward, 'north').first().getByRole('button', { name: 'Submit' }).click();
    const confirmation = steward.getByRole('dialog', { name: 'Submit q1 → north?' });
    await expect(confirmation.getByRole('note')).toContainText(
      'q1 has another target: south (draft). In this crosswalk, each source value should have one target.',
    );
    await confirmation.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('counts the values with several targets before many rows are submitted', async () => {
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await steward.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Submit' }).click();
    const confirmation = steward.getByRole('dialog', { name: 'Submit 2 mappings?' });
    await expect(confirmation.getByRole('note')).toContainText('One source value has several targets: q1');
    await confirmation.getByRole('button', { name: 'Submit', exact: true }).click();
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
  await expect(dialog.getByRole('note')).toContainText('q1 already has the target north (draft).');
});

test('reports a source without rows, and links to no empty tab', async ({ openFor }) => {
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

test('dismisses a wrong suggestion by keyboard, and restores it', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { id } = await createCrosswalkWithDrafts(steward, await openFor('approver'), {
    bergen: [],
    oslo: [],
    stavanger: ['Bergen', 'Oslo', 'OSLO-'],
  });
  const grid = (name: string) => steward.getByRole('grid', { name });
  const row = (name: string, value: string) => grid(name).getByRole('row').filter({ hasText: value });
  const lastActionBar = lastAction(steward);
  const waitForFocusOn = async (value: string) =>
    steward.waitForFunction(
      (wanted) => document.activeElement?.querySelector<HTMLElement>('[data-row-key]')?.dataset['rowKey'] === wanted,
      value,
    );
  await steward.goto(`/crosswalks/${id}/mappings?tab=suggested`);
  const oslo = row('suggested values', 'oslo');
  await expect(oslo.getByRole('button', { name: /^1 / })).toContainText('OSLO-');

  await test.step('shows the next candidate, and focuses the remaining row after the last candidate', async () => {
    await steward.keyboard.press('j');
    await waitForFocusOn('bergen');
    await steward.keyboard.press('j');
    await waitForFocusOn('oslo');
    await steward.keyboard.press('r');
    await expect(lastActionBar).toContainText('Dismissed: oslo → OSLO-.');
    await expect(oslo.getByRole('button', { name: /^1 / })).toContainText('Oslo');
    await waitForFocusOn('oslo');
    await steward.keyboard.press('r');
    await expect(oslo).toHaveCount(0);
    await waitForFocusOn('bergen');
    await expect(steward.getByRole('tab', { name: /^Suggested\s*1$/ })).toBeVisible();
    await expect(steward.getByRole('tab', { name: /^Dismissed\s*2$/ })).toBeVisible();
  });

  await test.step('undoes the dismissal from the bar', async () => {
    await lastActionBar.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect(oslo.getByRole('button', { name: /^1 / })).toContainText('Oslo');
    await expect(steward.getByRole('tab', { name: /^Dismissed\s*1$/ })).toBeVisible();
  });

  await test.step('dismisses several suggestions at once, and restores one from the tab Dismissed', async () => {
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).press('Space');
    const bar = steward.getByRole('region', { name: 'Selected rows' });
    await bar.getByRole('button', { name: 'Dismiss best candidates' }).press('Enter');
    await expect(lastActionBar).toContainText('2 suggestions dismissed.');
    await steward.getByRole('tab', { name: /^Dismissed\s*3$/ }).click();
    const bergen = row('dismissed suggestions', 'bergen');
    await expect(bergen).toContainText('Bergen');
    await bergen.getByRole('button', { name: 'Suggest again' }).press('Enter');
    await expect(bergen).toHaveCount(0);
    await steward.getByRole('tab', { name: /^Suggested\s*1$/ }).click();
    await expect(row('suggested values', 'bergen')).toContainText('Bergen');
  });

  await test.step('lists a manual mapping of a dismissed pair', async () => {
    await callApi(steward, 'POST', `/api/crosswalks/${id}/mappings`, {
      rows: [{ sourceValue: 'oslo', targetValue: 'Oslo', confidence: 100, origin: 'MANUAL' }],
    });
    await steward.goto(`/crosswalks/${id}/mappings?tab=draft`);
    await expect(rowOf(steward, 'Oslo').first()).toBeVisible();
  });
});
