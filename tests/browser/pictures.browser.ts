/**
 * Takes the pictures of the README: the steps of the main task. Runs on request against a fresh product, never with the
 * tests.
 */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { codeList, createNomenclature } from './code-list.ts';
import { expect, lastAction, test } from './fixtures.ts';
import { takePicture } from './picture.ts';

const FOLDER = join(import.meta.dirname, '../../docs/pictures');

const savePicture = (page: Page, name: string) => takePicture(page, join(FOLDER, `${name}.png`));

test('takes the pictures of the README', async ({ openFor }) => {
  test.setTimeout(300_000);
  const steward = await openFor('steward');
  const approver = await openFor('approver');

  await steward.goto('/reference-types?allColumns=true');
  await expect(steward.getByRole('grid', { name: 'Reference Data Types' })).toContainText('Time zone');
  await savePicture(steward, 'reference-types');

  await steward.goto('/crosswalks/1/mappings');
  await expect(steward.getByRole('heading', { level: 1 })).toContainText('Country alpha-2 to alpha-3');
  await expect(steward.getByRole('grid', { name: 'unmapped values' }).locator('[data-row="0"]')).toBeVisible();
  await savePicture(steward, 'mappings');

  const { source, target } = await createNomenclature(steward, approver, (name) => name);
  await steward.goto(`/reference-data/${source.id}/import`);
  await steward.locator('input[type="file"]').setInputFiles({
    name: 'activities.csv',
    mimeType: 'text/csv',
    buffer: codeList(),
  });
  await expect(steward.getByRole('region', { name: 'First rows' })).toContainText('00001');
  await steward.getByRole('button', { name: 'Next' }).click();
  await steward.getByLabel(/^Job description/).fill('Activities of this year');
  await steward.getByRole('button', { name: 'Import 4,995 rows, skip 5' }).click();
  await expect(steward.getByText('5 of 5,000 rows failed; 4,995 were imported.')).toBeVisible({ timeout: 60_000 });
  await expect(steward.getByRole('grid', { name: 'Rows that failed' }).locator('[data-row]')).toHaveCount(5);
  await savePicture(steward, 'import');

  const crosswalk = 'Activities to ledger';
  await steward.goto('/crosswalks/create');
  await steward.getByLabel(/^Name/).fill(crosswalk);
  for (const [side, { name }] of [
    ['Source', source],
    ['Target', target],
  ] as const) {
    await steward.getByLabel(new RegExp(`^${side} data set`)).click();
    await steward.getByRole('combobox', { name: `${side} data sets` }).fill(name);
    await steward.getByRole('option', { name }).click();
    await expect(steward.getByRole('combobox', { name: new RegExp(`^${side} attribute`) })).toContainText('code');
  }
  await steward.getByRole('button', { name: 'Create crosswalk' }).click();
  await expect(steward.getByRole('tab', { name: /^Suggested\s*1,\d{3}$/ })).toBeVisible();
  await steward.getByRole('button', { name: 'Accept all…' }).click();
  await steward.getByLabel(/confidence of at least/).fill('100');
  await steward.getByRole('button', { name: 'Accept 1,200' }).click({ timeout: 60_000 });
  await expect(lastAction(steward)).toContainText('1,200 mappings drafted.', { timeout: 60_000 });
  await steward.getByRole('tab', { name: /^Draft\s*1,200$/ }).click();
  await steward
    .getByRole('grid', { name: 'draft mappings' })
    .getByRole('checkbox', { name: 'Select all rows on this page' })
    .click();
  await steward.getByRole('button', { name: 'Select all 1,200 matching rows' }).click();
  await steward.getByRole('button', { name: 'Submit', exact: true }).first().click();
  const confirmation = steward.getByRole('dialog', { name: 'Submit 1,200 mappings?' });
  await confirmation.getByLabel('Comment').fill('The activities of this year');
  await confirmation.getByRole('button', { name: 'Submit' }).click();
  await expect(lastAction(steward)).toContainText('Submitted: 1,200 mappings.');

  await approver.goto('/approvals?by=parent');
  await approver.getByRole('button', { name: new RegExp(crosswalk) }).click();
  const reviewGrid = approver.getByRole('grid', { name: 'Approvals: review' });
  await expect(approver.getByText('1–50 of 1,201')).toBeVisible();
  await reviewGrid.locator('[data-row="3"]').getByRole('gridcell').nth(1).click();
  await expect(approver.getByRole('region', { name: 'Item' })).toContainText('Submitted by Sam Steward');
  await savePicture(approver, 'approvals');
  const dark = await openFor('approver', { dark: true });
  await dark.goto(approver.url());
  await expect(dark.getByRole('region', { name: 'Item' })).toContainText('Submitted by Sam Steward');
  await savePicture(dark, 'approvals-dark');

  await reviewGrid.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
  await approver.getByRole('button', { name: 'Select all 1,201 matching rows' }).click();
  const selected = approver.getByRole('region', { name: 'Selected rows' });
  await selected.getByRole('button', { name: 'Approve', exact: true }).click();
  await approver.getByRole('dialog', { name: 'Approve 1,201 items?' }).getByRole('button', { name: 'Approve' }).click();
  await expect(lastAction(approver)).toContainText('Approved: 1,201 items.');

  const crosswalkId = Number(/crosswalks\/(\d+)\//.exec(steward.url())?.[1]);
  const crosswalkFilter = {
    logic: 'AND',
    conditions: [
      { field: 'entityType', operator: 'equals', value: 'mappings' },
      { field: 'entityId', operator: 'equals', value: crosswalkId },
    ],
  };
  const admin = await openFor('admin');
  await admin.goto(`/audit-logs?filter=${encodeURIComponent(JSON.stringify(crosswalkFilter))}`);
  await expect(admin.getByRole('grid', { name: 'All' }).locator('[data-row="0"]')).toContainText('Mappings approved');
  await admin.getByRole('grid', { name: 'All' }).locator('[data-row="0"]').dblclick();
  await admin
    .getByRole('dialog')
    .getByRole('link', { name: /^Mapping \d+/ })
    .first()
    .click();
  await admin.getByRole('button', { name: 'Next' }).click();
  await admin.getByRole('button', { name: 'Next' }).click();
  await expect(admin.getByText('Step 3 of 3')).toBeVisible();
  await savePicture(admin, 'replay');
});
