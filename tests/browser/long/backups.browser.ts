/** Tests the backups page: an administrator makes, verifies, keeps and deletes a backup, and sets the schedule. */
import type { Page } from '@playwright/test';
import { callApi, expect, test, visit } from '../fixtures.ts';
import { toasts } from '../test-users.ts';

interface ListedBackup {
  id: number;
  fileName: string | null;
  verifiedAt: string | null;
}

const backups = async (page: Page): Promise<ListedBackup[]> =>
  (await callApi<{ items: ListedBackup[] }>(page, 'GET', '/api/backups')).items;

const rowOf = (page: Page, { fileName }: ListedBackup) => page.getByRole('row').filter({ hasText: fileName ?? '' });

const chooseAction = async (page: Page, backup: ListedBackup, name: string) => {
  await rowOf(page, backup)
    .getByRole('button', { name: /^Actions for row/ })
    .click();
  await page.getByRole('menuitem', { name, exact: true }).click();
};

test('manages a backup and the schedule of backups', async ({ openFor }) => {
  const page = await openFor('admin');
  await visit(page, '/admin/database-backup');
  const before = new Set((await backups(page)).map(({ id }) => id));
  await page.getByRole('button', { name: 'Back up now' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Back up' }).click();
  await expect.poll(() => toasts(page).allInnerTexts()).toContainEqual(expect.stringContaining('Backup started'));

  const findNewBackup = async () =>
    (await backups(page)).find(({ id, verifiedAt }) => !before.has(id) && verifiedAt !== null);
  await expect.poll(findNewBackup).toBeTruthy();
  const backup = (await findNewBackup()) as ListedBackup;
  await expect(rowOf(page, backup)).toContainText('Intact');
  await expect(page.getByText(/^Last backup .* verified\./)).toBeVisible();

  await chooseAction(page, backup, 'Verify');
  await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click();
  await expect.poll(async () => (await findNewBackup())?.verifiedAt).not.toBe(backup.verifiedAt);

  await chooseAction(page, backup, 'Keep');
  await expect(rowOf(page, backup)).toContainText('Kept');

  await page.getByRole('button', { name: 'Schedule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule of backups' });
  await expect(dialog.getByRole('switch', { name: 'Make backups by this schedule' })).toBeChecked();
  await dialog.getByLabel('Time', { exact: false }).first().fill('03:30');
  await dialog.getByRole('combobox', { name: /Time zone/ }).fill('Nowhere/Land');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('This is not a time zone: enter one such as Europe/Berlin')).toBeVisible();
  await dialog.getByRole('combobox', { name: /Time zone/ }).fill('Europe/Berlin');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/daily at 03:30 Europe\/Berlin/)).toBeVisible();
  await expect(page.getByText(/Next: .* \(daily at 03:30 Europe\/Berlin\)/)).toBeVisible();

  await chooseAction(page, backup, 'Download');
  const download = page.getByRole('dialog', { name: 'Download this backup' });
  await download.getByLabel('Your password').fill('not my password');
  await download.getByRole('button', { name: 'Download' }).click();
  await expect(download.getByText('The password is not correct')).toBeVisible();
  await download.getByRole('button', { name: 'Cancel' }).click();

  await chooseAction(page, backup, 'Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(rowOf(page, backup)).toHaveCount(0);
});
