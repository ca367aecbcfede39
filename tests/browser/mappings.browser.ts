/**
 * The page of mappings: a value that means one target gets a second one, which nothing refuses, but whoever does it is told
 * first; and a source without rows is not called mapped.
 */
import type { Page } from '@playwright/test';
import { aCollection, grantTo, type Named } from './collections.ts';
import { asked, expect, own, test } from './people.ts';

/** A crosswalk that means each source value to have one target, with these drafts. */
async function mapped(steward: Page, approver: Page, drafts: Record<string, readonly string[]>): Promise<Named> {
  const { id: collectionId } = await aCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await asked(steward, 'POST', '/api/reference-types', {
    name: own('Code'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const filled = async (side: string, keys: readonly string[]) => {
    const { id } = await asked(steward, 'POST', '/api/reference-data', { name: own(side), typeId, collectionId });
    if (keys.length === 0) return id;
    await asked(steward, 'POST', `/api/reference-data/${id}/instances`, {
      rows: keys.map((code) => ({ data: { code } })),
    });
    return id;
  };
  const name = own('Several targets');
  const { id } = await asked(steward, 'POST', '/api/crosswalks', {
    name,
    sourceSystemId: await filled('Source', Object.keys(drafts)),
    targetSystemId: await filled('Target', [...new Set(Object.values(drafts).flat())]),
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  for (const [sourceValue, targets] of Object.entries(drafts)) {
    for (const targetValue of targets) {
      await asked(steward, 'POST', `/api/crosswalks/${id}/mappings`, {
        rows: [{ sourceValue, targetValue, confidence: 100, origin: 'MANUAL' }],
      });
    }
  }
  return { id, name };
}

const rowOf = (page: Page, target: string) =>
  page.getByRole('row').filter({ has: page.locator('td[data-column="targetValue"]', { hasText: target }) });

test('one is told of other targets before submitting, and may submit all the same', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { id } = await mapped(steward, await openFor('approver'), { q1: ['north', 'south'], q2: ['east'] });
  await steward.goto(`/crosswalks/${id}/mappings?tab=draft`);

  await test.step('a row alone asks only where there is something to tell', async () => {
    await rowOf(steward, 'east').getByRole('button', { name: 'Submit' }).click();
    await expect(rowOf(steward, 'east')).toHaveCount(0);
    await rowOf(steward, 'north').first().getByRole('button', { name: 'Submit' }).click();
    const question = steward.getByRole('dialog', { name: 'Submit q1 → north?' });
    await expect(question.getByRole('note')).toContainText(
      'q1 has another target: south (draft), and this crosswalk is stated as many to one',
    );
    await question.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('of many it is told how many have several', async () => {
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await steward.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Submit' }).click();
    const question = steward.getByRole('dialog', { name: 'Submit 2 mappings?' });
    await expect(question.getByRole('note')).toContainText('One source value has several targets: q1');
    await question.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(steward.getByRole('dialog', { name: 'Submitted' })).toContainText('2 done, 0 refused');
  });
});

test('whoever maps a missing value that has a draft is told which', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id } = await mapped(steward, approver, { q1: ['north'] });
  // A crosswalk that is not in force misses nothing.
  await asked(steward, 'POST', `/api/crosswalks/${id}/submit`, {});
  await asked(approver, 'POST', `/api/crosswalks/${id}/approve`, {});
  await asked(steward, 'GET', `/api/crosswalks/${id}/translate?value=q1`);
  await steward.goto(`/missing-mappings?crosswalk=${id}`);
  const row = steward.getByRole('row').filter({ hasText: 'q1' });
  await expect(row).toContainText('Draft');
  await row.getByRole('button', { name: 'Map now…' }).click();
  const dialog = steward.getByRole('dialog', { name: 'Map q1' });
  await expect(dialog.getByRole('note')).toContainText('q1 is mapped already: north (draft)');
});

test('a source without rows is not called mapped, and nothing leads to a tab that is empty too', async ({
  openFor,
}) => {
  const steward = await openFor('steward');
  const { id } = await mapped(steward, await openFor('approver'), {});
  await steward.goto(`/crosswalks/${id}/mappings`);
  await expect(steward.getByText(/^Source \S+ has no rows yet$/)).toBeVisible();
  await expect(steward.getByRole('link', { name: /^Open Source / })).toBeVisible();
  await expect(steward.getByRole('button', { name: 'Accept all…' })).toHaveCount(0);
  await steward.getByRole('tab', { name: /^Draft/ }).click();
  await expect(steward.getByText('No drafts')).toBeVisible();
  await expect(steward.getByRole('button', { name: /^Go to / })).toHaveCount(0);
});
