/**
 * A day of mapping work without a mouse: users accept suggestions, and submit, approve and revoke the mappings. Each
 * user sees the changes live. The current translations change, and translations as of an earlier time do not.
 */
import type { Locator, Page } from '@playwright/test';
import { createCollection, grantTo, type NamedItem } from '../collections.ts';
import { callApi, expect, lastAction, test, type Username, uniqueName } from '../fixtures.ts';
import { tabTo } from '../keyboard.ts';

test.use({ reusesPages: true });

/**
 * The number of values and the number of rows per page: the values do not fit on one page. `npm run faults` uses as
 * many values as a user maps in a working day.
 */
const [VALUES, PAGE_ROWS] = process.env['FAULTS'] === 'long' ? [200, 50] : [14, 10];
const CODES = Array.from({ length: VALUES }, (_, index) => String(index + 1).padStart(4, '0'));

/** Moves from the focused tab to a later tab of the same tab list with ArrowRight. */
async function arrowTo(page: Page, tab: Locator): Promise<void> {
  for (let presses = 0; presses < 8; presses += 1) {
    if (await tab.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press('ArrowRight');
  }
  throw new Error('Pressing ArrowRight 8 times did not focus the tab');
}

const tabOf = (page: Page, name: string, count: number | string) =>
  page.getByRole('tab', { name: new RegExp(`^${name}\\s*${count}$`) });

/** Selects all rows of all pages of a list, and runs an action of the selection bar. */
async function applyToAll(page: Page, count: number, action: string): Promise<void> {
  await tabTo(page, page.getByRole('checkbox', { name: 'Select all rows on this page' }));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByRole('button', { name: `Select all ${count} matching rows` }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText(`All ${count} matching rows are selected`)).toBeVisible();
  const bar = page.getByRole('region', { name: 'Selected rows' });
  await tabTo(page, bar.getByRole('button', { name: action, exact: true }));
  await page.keyboard.press('Enter');
}

/** Confirms a dialog with a comment, and waits for the success message. */
async function confirm(page: Page, question: string, comment: string, action: string, success: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: question });
  await tabTo(page, dialog.getByRole('textbox'));
  await page.keyboard.type(comment);
  await tabTo(page, dialog.getByRole('button', { name: action }));
  await page.keyboard.press('Enter');
  await expect(lastAction(page)).toContainText(success, { timeout: 60_000 });
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** Creates two data sets with the same codes in one collection, and a crosswalk between them. */
async function createCrosswalk(steward: Page, approver: Page): Promise<NamedItem> {
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'title', dataType: 'string', isPrimaryKey: false },
    ],
  });
  const ends: number[] = [];
  for (const side of ['Source', 'Target']) {
    const { id } = await callApi(steward, 'POST', '/api/reference-data', {
      name: uniqueName(side),
      typeId,
      collectionId,
    });
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, {
      rows: CODES.map((code) => ({ data: { code, title: `Title ${code}` } })),
    });
    ends.push(id);
  }
  const name = uniqueName('By keyboard');
  const { id } = await callApi(steward, 'POST', '/api/crosswalks', {
    name,
    sourceSystemId: ends[0],
    targetSystemId: ends[1],
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  return { id, name };
}

/** Translates a value, now or as of an instant. */
async function translate(page: Page, crosswalkId: number, value: string, asOf?: string): Promise<string | undefined> {
  const past = asOf === undefined ? '' : `&asOf=${encodeURIComponent(asOf)}`;
  const { results } = await callApi<{ results: { targetValue: string }[] }>(
    page,
    'GET',
    `/api/crosswalks/${crosswalkId}/translate?value=${value}${past}`,
  );
  return results[0]?.targetValue;
}

/** Opens a page whose lists have PAGE_ROWS rows per page. */
async function openWithPageSize(openFor: (username: Username) => Promise<Page>, username: Username): Promise<Page> {
  const page = await openFor(username);
  // Storage belongs to an origin: open a file of the origin, so that the application starts with the stored size.
  await page.goto('/favicon.svg');
  await page.evaluate((rows) => sessionStorage.setItem('preferredPageSize', String(rows)), PAGE_ROWS);
  return page;
}

test('accepts, submits and approves mappings by keyboard alone', async ({ openFor }) => {
  test.setTimeout(300_000);
  const steward = await openWithPageSize(openFor, 'steward');
  const approver = await openWithPageSize(openFor, 'approver');
  const crosswalk = await createCrosswalk(steward, approver);
  await approver.goto('/approvals?by=parent');
  await expect(approver.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: /^All/ })).toBeVisible();

  await test.step('accepts each suggestion with one key', async () => {
    await steward.goto(`/crosswalks/${crosswalk.id}/mappings?tab=suggested`);
    await expect(tabOf(steward, 'Suggested', VALUES)).toBeVisible();
    await expect(steward.getByRole('grid', { name: 'suggested values' }).locator('[data-row="0"]')).toContainText(
      '0001',
    );
    await steward.keyboard.press('j');
    let before = '';
    for (let accepted = 0; accepted < VALUES; accepted += 1) {
      // The test presses the key as soon as the next value has the focus.
      const next = await steward.waitForFunction((previous) => {
        const value = document.activeElement?.querySelector<HTMLElement>('[data-row-key]')?.dataset['rowKey'];
        return value !== undefined && value !== previous && value;
      }, before);
      before = String(await next.jsonValue());
      await steward.keyboard.press('a');
    }
    await expect(tabOf(steward, 'Draft', VALUES)).toBeVisible();
    await expect(tabOf(steward, 'Suggested', 0)).toBeVisible();
  });

  await test.step('submits all drafts, and shows them to the approver', async () => {
    await tabTo(steward, tabOf(steward, 'Suggested', 0), 'Shift+Tab');
    await arrowTo(steward, tabOf(steward, 'Draft', VALUES));
    await expect(steward.getByRole('grid', { name: 'draft mappings' }).locator('[data-row="0"]')).toContainText('0001');
    await applyToAll(steward, VALUES, 'Submit');
    await confirm(steward, `Submit ${VALUES} mappings?`, 'By keys', 'Submit', `Submitted: ${VALUES} mappings.`);
    await expect(tabOf(steward, 'Pending', VALUES)).toBeVisible();
    await expect(approver.getByRole('button', { name: new RegExp(crosswalk.name) })).toContainText(String(VALUES + 1));
  });

  await test.step('approves the crosswalk and its mappings, and shows the approved mappings to the steward', async () => {
    await tabTo(approver, approver.getByRole('button', { name: new RegExp(crosswalk.name) }));
    await approver.keyboard.press('Enter');
    await expect(approver.getByText(`1–${PAGE_ROWS} of ${VALUES + 1}`)).toBeVisible();
    await applyToAll(approver, VALUES + 1, 'Approve');
    await confirm(
      approver,
      `Approve ${VALUES + 1} items?`,
      'Looked through',
      'Approve',
      `Approved: ${VALUES + 1} items.`,
    );
    await expect(tabOf(steward, 'Approved', VALUES)).toBeVisible();
    expect(await translate(steward, crosswalk.id, '0007')).toBe('0007');
  });
  const approvedAt = new Date().toISOString();

  await test.step('revokes the mappings, which changes no translation of the past', async () => {
    await approver.goto(`/crosswalks/${crosswalk.id}/mappings?tab=approved`);
    await expect(approver.getByRole('grid', { name: 'approved mappings' }).locator('[data-row="0"]')).toContainText(
      '0001',
    );
    await applyToAll(approver, VALUES, 'Revoke');
    await confirm(approver, `Revoke ${VALUES} mappings?`, 'Decided too soon', 'Revoke', `Revoked: ${VALUES} mappings.`);
    await expect(tabOf(steward, 'Rejected', VALUES)).toBeVisible();
    expect(await translate(steward, crosswalk.id, '0007')).toBeUndefined();
    expect(await translate(steward, crosswalk.id, '0007', approvedAt)).toBe('0007');
  });

  await test.step('undoes the revocation, and approves the pending mappings as a third user', async () => {
    await tabTo(approver, approver.getByRole('button', { name: /^Undo/ }));
    await approver.keyboard.press('Enter');
    await expect(tabOf(steward, 'Pending', VALUES)).toBeVisible();
    await expect(tabOf(steward, 'Rejected', 0)).toBeVisible();
    expect(await translate(steward, crosswalk.id, '0007')).toBeUndefined();

    const admin = await openWithPageSize(openFor, 'admin');
    await admin.goto(`/crosswalks/${crosswalk.id}/mappings?tab=pending`);
    await expect(admin.getByRole('grid', { name: 'pending mappings' }).locator('[data-row="0"]')).toContainText('0001');
    await applyToAll(admin, VALUES, 'Approve');
    await confirm(
      admin,
      `Approve ${VALUES} mappings?`,
      'Looked through once more',
      'Approve',
      `Approved: ${VALUES} mappings.`,
    );
    await expect(tabOf(steward, 'Approved', VALUES)).toBeVisible();
    expect(await translate(steward, crosswalk.id, '0007')).toBe('0007');
    expect(await translate(steward, crosswalk.id, '0007', approvedAt)).toBe('0007');
  });
});
