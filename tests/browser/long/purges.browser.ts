/**
 * Purges in the browser: one administrator plans and requests a purge, another confirms it. Also legal holds and the
 * erasure of a user.
 */
import type { Page } from '@playwright/test';
import { type LaunchedProduct, launchProduct, START_MS } from '../../launched-product.ts';
import { expect, test } from '../fixtures.ts';

const PASSWORD = 'Purge-browser-1';

let product: LaunchedProduct;
test.beforeAll(async () => {
  test.setTimeout(START_MS);
  // A purge waits until the replaced read models are dropped: without a grace period, they are dropped at once.
  product = await launchProduct('browser-purges', PASSWORD, { OLD_BUILD_GRACE_SECONDS: '0' });
  await product.untilServing();
});
test.afterAll(() => product.stop());

let requests = 0;

async function call<Answer = { id: number }>(
  page: Page,
  method: string,
  path: string,
  data?: unknown,
): Promise<Answer> {
  requests += 1;
  const answer = await page.request.fetch(`${product.baseUrl}${path}`, {
    method,
    headers: { Origin: product.baseUrl, 'Idempotency-Key': `purges-${requests}` },
    ...(data === undefined ? {} : { data }),
  });
  expect(answer.status(), `${method} ${path}: ${await answer.text()}`).toBeLessThan(300);
  return (answer.status() === 204 ? undefined : await answer.json()) as Answer;
}

/** Signs a user in. Each user needs a page in a separate browser context. */
async function openSignedIn(page: Page, username: string): Promise<Page> {
  await page.goto('/auth');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(({ pathname }) => pathname !== '/auth');
  return page;
}

const createUser = (page: Page, username: string, roleId: number) =>
  call(page, 'POST', '/api/users', {
    ...{ username, email: `${username}@example.com`, password: PASSWORD, roleId, requirePasswordChange: false },
  });

const chooseAction = async (page: Page, row: string, name: string) => {
  await page
    .getByRole('row')
    .filter({ hasText: row })
    .getByRole('button', { name: /^Actions for row/ })
    .click();
  await page.getByRole('menuitem', { name, exact: true }).click();
};

test('purges a deleted data set after a second administrator confirmed the purge, and erases a user', async ({
  ownBrowser,
}) => {
  test.setTimeout(2 * START_MS);
  const newPage = async () => (await ownBrowser.newContext({ baseURL: product.baseUrl })).newPage();
  const admin = await openSignedIn(await newPage(), 'admin');
  await createUser(admin, 'olga', 1);
  const ada = await createUser(admin, 'ada', 4);
  const type = await call(admin, 'POST', '/api/reference-types', {
    name: 'Codes',
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = (name: string) => call(admin, 'POST', '/api/reference-data', { name, typeId: type.id });
  const deletedDataSet = await createDataSet('Suppliers of 2019');
  const heldDataSet = await createDataSet('Suppliers under dispute');
  await call(admin, 'POST', `/api/reference-data/${deletedDataSet.id}/instances`, { rows: [{ data: { code: 'x' } }] });
  const keptDataSet = await createDataSet('Suppliers');
  await call(admin, 'POST', `/api/reference-data/${keptDataSet.id}/instances`, {
    rows: [{ data: { code: 'ada@example.com' } }],
  });

  await admin.goto('/admin/purge-data?tab=holds');
  await admin.getByRole('button', { name: 'Place a legal hold' }).first().click();
  const place = admin.getByRole('dialog', { name: 'Place a legal hold' });
  await place.getByRole('button', { name: 'Data set' }).click();
  await admin.getByRole('option', { name: /Suppliers under dispute/ }).click();
  await place.getByLabel('Matter').fill('Case 2026-17');
  await place.getByLabel('Reason').fill('Requested by the legal department');
  await place.getByRole('button', { name: 'Place' }).click();
  await expect(admin.getByRole('row').filter({ hasText: 'Case 2026-17' })).toContainText('Suppliers under dispute');

  for (const { id } of [deletedDataSet, heldDataSet]) await call(admin, 'DELETE', `/api/reference-data/${id}`);
  await admin.goto('/admin/purge-data');
  await admin.getByLabel('Deleted at least this many days ago').fill('0');
  await admin.getByRole('button', { name: 'Plan a purge' }).click();
  const plan = admin.getByRole('region', { name: 'Dry run', exact: true });
  await expect(plan).toContainText('Suppliers of 2019');
  await expect(plan).toContainText('Suppliers under dispute: Case 2026-17');
  const request = plan.getByRole('button', { name: 'Request this purge' });
  await plan.getByLabel('Reason').fill('Retention rule R7');
  await plan.getByLabel('Confirmation').fill('purge 2 data sets');
  await expect(request).toBeDisabled();
  await plan.getByLabel('Confirmation').fill('purge 1 data set');
  await request.click();
  await expect(admin.getByRole('row').filter({ hasText: 'Retention rule R7' })).toContainText(
    'Waits for a second administrator',
  );

  const olga = await openSignedIn(await newPage(), 'olga');
  await olga.getByRole('button', { name: /^Notifications/ }).click();
  await expect(olga.getByText('A purge waits for your confirmation')).toBeVisible();
  await olga.goto('/admin/purge-data?tab=waiting');
  await chooseAction(olga, 'Retention rule R7', 'Confirm');
  const confirm = olga.getByRole('dialog', { name: 'Confirm this purge' });
  await expect(confirm).toContainText('Suppliers of 2019');
  await confirm.getByRole('button', { name: 'Delete for good' }).click();
  // Leaving the page before the answer would cancel the request.
  await expect(confirm).toHaveCount(0);
  await olga.goto('/admin/purge-data?tab=done');
  const done = olga.getByRole('row').filter({ hasText: 'Retention rule R7' });
  await expect(done).toContainText('Done', { timeout: START_MS });
  await expect(done).toContainText('olga');

  const verified = await call<{ intact: boolean }>(olga, 'GET', '/api/audit-logs/verify');
  expect(verified.intact).toBe(true);
  await olga.goto('/audit-logs');
  await expect(
    olga.getByText('Administrator purged 1 deleted data set, confirmed by olga: "Retention rule R7"'),
  ).toBeVisible();
  await expect(olga.getByText('Suppliers of 2019')).toHaveCount(0);

  await admin.goto('/manage-users?q=ada');
  await chooseAction(admin, 'ada', 'Erase');
  const report = admin.getByRole('region', { name: 'Report' });
  await expect(report).toContainText('Rows of Suppliers: 1 place');
  await report.getByLabel('Type ada to confirm').fill('ada');
  await report.getByRole('button', { name: 'Erase' }).click();
  await expect(admin.getByRole('region', { name: 'Report' })).toHaveCount(0);
  await call(admin, 'GET', `/api/users/${ada.id}`);
  await admin.goto('/manage-users?q=Former');
  await expect(admin.getByRole('row').filter({ hasText: 'Former user' })).toContainText('Erased');
  for (const page of [admin, olga]) await page.context().close();
});
