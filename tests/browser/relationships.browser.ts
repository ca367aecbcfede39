/** Tests relationships in the browsers of a steward and an approver, who see all changes without a reload. */
import type { Page } from '@playwright/test';
import { createCitiesAndCountries } from './cities-and-countries.ts';
import { callApi, expect, lastAction, test, uniqueName, visit } from './fixtures.ts';

test.use({ reusesPages: true });

const markDocument = (page: Page) => page.evaluate(() => document.body.setAttribute('data-marked', ''));
const expectNeverReloaded = (page: Page) => expect(page.locator('body')).toHaveAttribute('data-marked', '');
const tab = (page: Page, name: string, count: number) =>
  page.getByRole('tab', { name: new RegExp(`^${name}\\s*${count}$`) });
const grid = (page: Page, name: string) => page.getByRole('grid', { name: `${name} values` });
const rowWith = (page: Page, name: string, text: string) =>
  grid(page, name).locator('[data-row]').filter({ hasText: text });

/** Selects a row by a typed key or label. */
async function choose(page: Page, side: 'Source' | 'Target', typed: string, option: RegExp): Promise<void> {
  await page
    .getByRole('dialog')
    .getByLabel(new RegExp(`^${side} in`))
    .click();
  await page.getByRole('combobox', { name: /^Rows of/ }).fill(typed);
  await page.getByRole('option', { name: option }).click();
}

test('defines a relationship, and adds, submits, approves and breaks its values', async ({ openFor }) => {
  test.setTimeout(180_000);
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { cities, countries } = await createCitiesAndCountries(steward, approver);
  const name = uniqueName('City is in country');
  let id = 0;

  await test.step('defines a relationship with a cardinality and an attribute', async () => {
    await steward.goto('/relationships/create');
    await steward.getByLabel(/^Name/).fill(name);
    await steward.getByLabel(/^Type/).fill('is in');
    for (const [side, dataSet] of [
      ['Source', cities],
      ['Target', countries],
    ] as const) {
      await steward.getByLabel(new RegExp(`^${side} data set`)).click();
      await steward.getByRole('combobox', { name: `${side} data sets` }).fill(dataSet.name);
      await steward.getByRole('option', { name: dataSet.name }).click();
      await expect(steward.getByRole('combobox', { name: new RegExp(`^${side} field`) })).toContainText('code');
    }
    await steward.getByRole('combobox', { name: /^Cardinality/ }).click();
    await steward.getByRole('option', { name: 'Many to one' }).click();
    await steward.getByRole('button', { name: 'Add attribute' }).click();
    const attribute = steward.getByRole('dialog', { name: 'Add an attribute' });
    await attribute.getByRole('button', { name: 'Add attribute' }).click();
    await expect(attribute.getByText('Attribute name is required')).toBeVisible();
    await attribute.getByLabel(/^Name/).fill('since');
    await attribute.getByRole('combobox', { name: /^Data type/ }).click();
    await steward.getByRole('option', { name: 'date' }).click();
    await attribute.getByRole('button', { name: 'Add attribute' }).click();
    await steward.getByRole('button', { name: 'Create relationship' }).click();
    await expect(steward.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(steward.getByText('No drafts')).toBeVisible();
    id = Number(/relationships\/(\d+)\//.exec(steward.url())?.[1]);
  });

  await test.step('adds values by the labels and keys of rows, one after another', async () => {
    await markDocument(steward);
    await steward.getByRole('button', { name: 'Add value', exact: true }).click();
    const dialog = steward.getByRole('dialog', { name: 'Add a value' });
    await choose(steward, 'Source', 'Vienn', /VIE\s*Vienna/);
    await choose(steward, 'Target', 'AT', /AT\s*Austria/);
    await dialog.getByLabel(/since/).fill('1919-09-10');
    await dialog.getByRole('button', { name: 'Add and enter another' }).click();
    await expect(dialog.getByLabel(/^Target in/)).toHaveText('Choose…');
    await choose(steward, 'Source', 'GRZ', /GRZ\s*Graz/);
    await choose(steward, 'Target', 'Austria', /AT\s*Austria/);
    await dialog.getByRole('button', { name: 'Add value' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(tab(steward, 'Draft', 2)).toBeVisible();
    await expect(rowWith(steward, 'draft', 'VIE')).toContainText('1919-09-10');
    await expect(rowWith(steward, 'draft', 'VIE')).toContainText('Sam Steward');
  });

  await test.step('refuses a value that violates the cardinality, and names both values', async () => {
    await steward.getByRole('button', { name: 'Add value', exact: true }).click();
    const dialog = steward.getByRole('dialog', { name: 'Add a value' });
    await choose(steward, 'Source', 'VIE', /VIE\s*Vienna/);
    await choose(steward, 'Target', 'DE', /DE\s*Germany/);
    await dialog.getByRole('button', { name: 'Add value' }).click();
    const refusal = steward.getByRole('alertdialog', { name: 'Add: refused' });
    await expect(refusal).toContainText('VIE → DE');
    await expect(refusal).toContainText('VIE → AT');
    await expect(refusal).toContainText('many-to-one');
    await refusal.getByRole('button', { name: 'OK' }).click();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await steward
      .getByRole('alertdialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Leave' })
      .click();
    await expect(tab(steward, 'Draft', 2)).toBeVisible();
  });

  await test.step('previews three rows, and imports the valid row by key', async () => {
    await steward.getByRole('button', { name: 'Import' }).click();
    const dialog = steward.getByRole('dialog', { name: 'Import values' });
    await dialog
      .getByLabel('Rows', { exact: true })
      .fill('source\ttarget\tsince\n007\tDE\t2020-01-31\nXXX\tAT\t\nMUC\tDE\t31.1.2020');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await expect(dialog.getByRole('status')).toHaveText('Read as CSV: 3 rows, of which 1 can be imported.');
    await expect(dialog).toContainText('"31.1.2020" is not a date: use YYYY-MM-DD');
    await expect(dialog).toContainText('has no row “XXX”');
    // The page loads the preview again when the user changes the column of an attribute.
    await dialog.getByLabel('since', { exact: true }).click();
    await steward.getByRole('option', { name: 'Not in the file' }).click();
    await expect(dialog.getByRole('status')).toHaveText('Read as CSV: 3 rows, of which 2 can be imported.');
    await dialog.getByLabel('since', { exact: true }).click();
    await steward.getByRole('option', { name: /^since/ }).click();
    await expect(dialog.getByRole('status')).toHaveText('Read as CSV: 3 rows, of which 1 can be imported.');
    await dialog.getByRole('button', { name: 'Import 1 value' }).click();
    await expect(dialog).toHaveCount(0);
    const bar = lastAction(steward);
    await expect(bar).toContainText('Imported: 1 value.');
    await expect(tab(steward, 'Draft', 3)).toBeVisible();
    await expect(rowWith(steward, 'draft', 'Bondville')).toContainText('007');
  });

  await test.step('undoes a deletion', async () => {
    await rowWith(steward, 'draft', '007')
      .getByRole('button', { name: /^Actions for row/ })
      .click();
    await steward.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(tab(steward, 'Draft', 2)).toBeVisible();
    await lastAction(steward).getByRole('button', { name: 'Undo' }).click();
    await expect(tab(steward, 'Draft', 3)).toBeVisible();
  });

  await test.step('submits all drafts, and shows them on the dashboard of the approver', async () => {
    await approver.goto('/approvals?by=parent');
    await expect(
      approver.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: /^All/ }),
    ).toBeVisible();
    await markDocument(approver);
    await grid(steward, 'draft').getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await steward
      .getByRole('region', { name: 'Selected rows' })
      .getByRole('button', { name: 'Submit', exact: true })
      .click();
    const confirmation = steward.getByRole('dialog', { name: 'Submit 3 values?' });
    await confirmation.getByLabel('Comment').fill('As the atlas has it');
    await confirmation.getByRole('button', { name: 'Submit' }).click();
    await expect(tab(steward, 'Pending', 3)).toBeVisible();

    const group = approver.getByRole('button', { name: new RegExp(name) });
    await expect(group).toContainText('3');
    await expectNeverReloaded(approver);
    await group.click();
    const reviewGrid = approver.getByRole('grid', { name: 'Approvals: review' });
    await expect(reviewGrid.locator('[data-row]')).toHaveCount(3);
    await reviewGrid.locator('[data-row]').filter({ hasText: 'VIE → AT' }).click();
    const record = approver.getByRole('region', { name: 'Item' });
    await expect(record).toContainText('Vienna → Austria');
    await expect(record).toContainText('As the atlas has it');
    await expect(record).toContainText(`${name} starts to contain VIE → AT.`);
  });

  await test.step('disables the approval for the steward who submitted the values', async () => {
    await tab(steward, 'Pending', 3).click();
    await expect(rowWith(steward, 'pending', 'VIE').getByRole('button', { name: 'Approve' })).toBeDisabled();
  });

  await test.step('approves two values and rejects one, and shows the decisions to the steward without a reload', async () => {
    await visit(approver, `/relationships/${id}/values?tab=pending`);
    await rowWith(approver, 'pending', 'VIE').getByRole('button', { name: 'Approve' }).click();
    await expect(tab(steward, 'Approved', 1)).toBeVisible();
    await rowWith(approver, 'pending', 'GRZ').getByRole('button', { name: 'Approve' }).click();
    await rowWith(approver, 'pending', '007').getByRole('button', { name: 'Reject' }).click();
    const confirmation = approver.getByRole('dialog', { name: /^Reject .*007.*\?$/ });
    await confirmation.getByRole('button', { name: 'Reject' }).click();
    await expect(confirmation).toContainText('A reason is required');
    await confirmation.getByLabel('Reason').fill('There is no such city');
    await confirmation.getByRole('button', { name: 'Reject' }).click();
    await expect(tab(steward, 'Approved', 2)).toBeVisible();
    await expect(tab(steward, 'Rejected', 1)).toBeVisible();
    await tab(steward, 'Rejected', 1).click();
    await expect(rowWith(steward, 'rejected', '007')).toContainText('There is no such city');
    await tab(steward, 'Approved', 2).click();
    await expect(rowWith(steward, 'approved', 'VIE')).toContainText('Ada Approver');
    await expectNeverReloaded(steward);
  });

  await test.step('serves an approved value while it is edited', async () => {
    await rowWith(steward, 'approved', 'VIE').getByRole('button', { name: 'Edit' }).click();
    const dialog = steward.getByRole('dialog', { name: 'Edit VIE → AT' });
    await expect(dialog.getByLabel(/^Source in/)).toBeDisabled();
    await expect(dialog).toContainText('is served until your draft is approved');
    await choose(steward, 'Target', 'DE', /DE\s*Germany/);
    await dialog.getByRole('button', { name: 'Save draft' }).click();
    await expect(tab(steward, 'Draft', 1)).toBeVisible();
    await expect(steward.getByText('Saved as a draft: VIE → DE.')).toBeVisible();
    await steward.getByRole('link', { name: 'Show the draft' }).click();
    await expect(rowWith(steward, 'draft', 'VIE')).toContainText('Served: VIE → AT');
    await rowWith(steward, 'draft', 'VIE').dblclick();
    const history = steward.getByRole('dialog').getByRole('list', { name: 'History' });
    await expect(history.getByRole('listitem')).toHaveText([/Edited/, /Approved/, /Submitted/, /Drafted/]);
    await steward.keyboard.press('Escape');
  });

  await test.step('marks the value of a deleted row as broken', async () => {
    await expect(tab(approver, 'Broken', 0)).toBeVisible();
    await markDocument(approver);
    const rows = await callApi<{ items: { id: number; revision: number; key: string }[] }>(
      steward,
      'GET',
      `/api/reference-data/${cities.id}/instances`,
    );
    const graz = rows.items.find(({ key }) => key === 'GRZ');
    await callApi(steward, 'DELETE', `/api/reference-data/${cities.id}/instances`, {
      rows: [{ id: graz?.id, revision: graz?.revision }],
    });
    await expect(tab(approver, 'Broken', 1)).toBeVisible();
    await tab(approver, 'Broken', 1).click();
    await expect(rowWith(approver, 'broken', 'GRZ')).toContainText('Deleted row');
    await expect(rowWith(approver, 'broken', 'GRZ')).toContainText('Approved');
    await expectNeverReloaded(approver);
  });

  await test.step('lists the values that a copy with a stricter cardinality leaves out', async () => {
    const linz = { code: 'LNZ', name: 'Linz' };
    await callApi(steward, 'POST', `/api/reference-data/${cities.id}/instances`, { rows: [{ data: linz }] });
    await callApi(steward, 'POST', `/api/relationships/${id}/values`, { sourceKey: 'LNZ', targetKey: 'AT' });
    await steward.getByRole('button', { name: 'More actions of the relationship' }).click();
    await steward.getByRole('menuitem', { name: 'Copy as…' }).click();
    const dialog = steward.getByRole('dialog', { name: `Copy ${name} as…` });
    // The source row of GRZ was deleted, so this value cannot be copied.
    await expect(dialog).toContainText('1 value cannot be copied');
    await expect(dialog).toContainText(/GRZ → .*row was deleted/);
    await dialog.getByRole('combobox', { name: /^Cardinality/ }).click();
    await steward.getByRole('option', { name: 'One to one' }).click();
    await expect(dialog).toContainText('2 values cannot be copied');
    await expect(dialog).toContainText('“LNZ → AT” conflicts with “VIE → AT”');
    await dialog.getByRole('button', { name: 'Copy 2 values' }).click();
    await expect(steward.getByRole('heading', { level: 1, name: `${name} (copy)` })).toBeVisible();
    await expect(rowWith(steward, 'draft', 'VIE')).toContainText('1919-09-10');
  });

  await test.step('finds the values of the relationship and of its copy in the list of all values', async () => {
    await visit(approver, `/relationship-values?tab=draft&q=VIE`);
    await expect(rowWith(approver, 'draft', name)).toHaveCount(2);
    await expect(rowWith(approver, 'draft', `${name} (copy)`)).toContainText('Vienna');
    await approver.getByRole('link', { name: `${name} (copy)` }).click();
    await expect(approver.getByRole('heading', { level: 1, name: `${name} (copy)` })).toBeVisible();
  });

  await test.step('corrects the rejected value and submits it again', async () => {
    await steward.goto(`/relationships/${id}/values?tab=rejected&q=007`);
    await rowWith(steward, 'rejected', '007').getByRole('button', { name: 'Edit' }).click();
    await choose(steward, 'Target', 'AT', /AT\s*Austria/);
    await steward.getByRole('dialog').getByRole('button', { name: 'Save and submit…' }).click();
    const confirmation = steward.getByRole('dialog', { name: 'Submit 007 → AT?' });
    await confirmation.getByRole('button', { name: 'Submit' }).click();
    await expect(tab(steward, 'Pending', 1)).toBeVisible();
    await expect(tab(steward, 'Rejected', 0)).toBeVisible();
  });
});
