/** Restores a backup on the page. The data are then those of the backup, and the administrator has to sign in again. */
import type { Page } from '@playwright/test';
import { type LaunchedProduct, launchProduct, START_MS } from '../launched-product.ts';
import { expect, test } from './fixtures.ts';

const PASSWORD = 'Restore-browser-1';

let product: LaunchedProduct;
test.beforeAll(async () => {
  test.setTimeout(START_MS);
  product = await launchProduct('browser-restore', PASSWORD);
  await product.untilServing();
});
test.afterAll(() => product.stop());

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(({ pathname }) => pathname !== '/auth');
}

async function createType(page: Page, name: string): Promise<void> {
  const answer = await page.request.post(`${product.baseUrl}/api/reference-types`, {
    headers: { Origin: product.baseUrl, 'Idempotency-Key': name },
    data: { name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] },
  });
  expect(answer.status()).toBe(201);
}

test('restores a backup that was made and verified on the page', async ({ ownBrowser }) => {
  test.setTimeout(2 * START_MS);
  const page = await (await ownBrowser.newContext({ baseURL: product.baseUrl })).newPage();
  await page.goto('/auth');
  await signIn(page);
  await createType(page, 'Before the backup');

  await page.goto('/admin/database-backup');
  await page.getByRole('button', { name: 'Back up now' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Back up' }).click();
  const row = page.getByRole('row').filter({ hasText: '.tar.gz' });
  await expect(row).toContainText('Intact', { timeout: START_MS });
  const fileName = /rdm-[\w-]+\.tar\.gz/.exec((await row.textContent()) ?? '')?.[0] ?? '';

  await createType(page, 'After the backup');
  const choose = async (name: string) => {
    await row.getByRole('button', { name: /^Actions for row/ }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await choose('Verify');
  const verifying = page.getByRole('dialog', { name: 'Verify this backup' });
  await verifying.getByRole('switch', { name: 'Also restore a copy and compare it' }).click();
  await verifying.getByRole('button', { name: 'Verify' }).click();
  await expect(row).toContainText('by a restore', { timeout: START_MS });

  // The second tab must show the sign-in page after the restore without a click.
  const secondTab = await page.context().newPage();
  await secondTab.goto('/crosswalks');
  await expect(secondTab.getByRole('heading', { level: 1, name: 'Crosswalks' })).toBeVisible();

  await choose('Restore');
  const dialog = page.getByRole('dialog', { name: 'Restore this backup' });
  await expect(dialog.getByText(/events? will be lost/)).toBeVisible();
  const restore = dialog.getByRole('button', { name: 'Restore' });
  await expect(restore).toBeDisabled();
  await dialog.getByLabel('Name of the file').fill(fileName);
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await restore.click();
  // The page may show the progress for less than a second, so only the spec of the component tests the progress.
  await page.waitForURL('**/auth', { timeout: START_MS });
  await expect(page.getByText('because a backup was restored').first()).toBeVisible();
  await secondTab.waitForURL('**/auth');
  await expect(secondTab.getByText('because a backup was restored').first()).toBeVisible();

  await signIn(page);
  await page.goto('/reference-types');
  await expect(page.getByText('Before the backup')).toBeVisible();
  await expect(page.getByText('After the backup')).toHaveCount(0);
  await page.goto('/admin/database-backup');
  await expect(page.getByText('before_restore')).toBeVisible();
  await page.context().close();
});
