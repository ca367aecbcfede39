/**
 * Administration of users, the permissions of administrator roles, and site paths (specification §2, §5, §6).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, fillSignIn, signInByApi, test } from '../fixtures.ts';
import { FIRST_PASSWORD, recordToasts } from '../test-users.ts';
import { chooseAction, createViewer, openListFor, rowOf } from '../users-page.ts';

test.use({ reusesPages: true });

const grid = (page: Page, name: string) => page.getByRole('grid', { name });

test.describe('users', () => {
  test('lose an unconfirmed e-mail address when an administrator releases it', async ({ openFor }) => {
    const admin = await openFor('admin');
    const shownToasts = await recordToasts(admin);
    const user = await createViewer(admin);
    await openListFor(admin, user);
    await chooseAction(admin, user, 'Details');
    const details = admin.getByRole('dialog');
    await expect(details).toContainText('(not confirmed)');
    await details.getByRole('button', { name: 'Release e-mail address' }).click();
    const dialog = admin.getByRole('alertdialog', { name: /^Release the e-mail address of/ });
    await expect(dialog).toContainText('until you enter another address under Edit');
    await dialog.getByRole('button', { name: 'Release address' }).click();
    await expect.poll(() => shownToasts.map(([title]) => title)).toContain('E-mail address released');
    await expect(rowOf(admin, user.username)).not.toContainText('@');

    // An account without an address can still be edited, and get a new address.
    await chooseAction(admin, user, 'Edit');
    const edit = admin.getByRole('dialog');
    await edit.getByLabel('Department').fill('Sales');
    await edit.getByRole('button', { name: 'Save' }).click();
    await expect(edit).toHaveCount(0);
    await chooseAction(admin, user, 'Edit');
    await admin.getByRole('dialog').getByLabel('E-mail').fill(`new-${user.username}@example.com`);
    await admin.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(admin, user.username)).toContainText(`new-${user.username}@example.com`);
  });

  test('have unique usernames', async ({ openFor }) => {
    const admin = await openFor('admin');
    const user = await createViewer(admin);
    await admin.goto('/manage-users?new=true');
    const dialog = admin.getByRole('dialog', { name: 'Invite a user' });
    await dialog.getByLabel('Username').fill(user.username);
    await dialog.getByLabel('E-mail').fill(`other-${user.username}@example.com`);
    await dialog.getByLabel('With a password that you give to the user').check();
    await dialog.getByLabel(/^Password/).fill('short');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await expect(dialog.getByText('Password must be at least 10 characters')).toBeVisible();
    await dialog.getByLabel(/^Password/).fill(FIRST_PASSWORD);
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await expect(dialog.getByRole('alert')).toContainText('This username is taken');
  });

  test('are filtered by role and by state', async ({ openFor }) => {
    const admin = await openFor('admin');
    const user = await createViewer(admin);
    await callApi(admin, 'POST', `/api/users/${user.id}/deactivate`);
    await openListFor(admin, user);
    await admin.getByRole('combobox', { name: 'State' }).click();
    await admin.getByRole('option', { name: 'Inactive' }).click();
    await expect(rowOf(admin, user.username)).toContainText('Inactive');
    await admin.getByRole('combobox', { name: 'Role' }).click();
    await admin.getByRole('option', { name: 'Steward' }).click();
    await expect(admin.getByText('Nothing matches')).toBeVisible();
    await admin.getByRole('button', { name: 'Clear search and filter' }).click();
    await expect(rowOf(admin, 'admin@example.com')).toBeVisible();
  });

  test('can be edited concurrently, with a dialog for changes of the same field', async ({ openFor }) => {
    const admin = await openFor('admin');
    const user = await createViewer(admin);
    await openListFor(admin, user);
    await chooseAction(admin, user, 'Edit');
    const dialog = admin.getByRole('dialog', { name: `Edit ${user.username}` });
    await dialog.getByLabel('Department').fill('Codes');
    await dialog.getByLabel('Display name').fill('Ada mine');
    await callApi(admin, 'PATCH', `/api/users/${user.id}`, { displayName: 'Ada theirs', jobTitle: 'Keeper' });
    await dialog.getByRole('button', { name: 'Save' }).click();

    const conflict = admin.getByRole('dialog', { name: 'Another user changed the same fields' });
    await expect(conflict).toContainText('Ada theirs');
    await conflict.getByLabel(/Mine/).check();
    await conflict.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(admin, user.username)).toContainText('Ada mine');
    expect(await callApi(admin, 'GET', `/api/users/${user.id}`)).toMatchObject({
      displayName: 'Ada mine',
      department: 'Codes',
      jobTitle: 'Keeper',
      revision: 3,
    });
  });

  test('change live in the list of another browser', async ({ openFor }) => {
    const [watching, acting] = [await openFor('admin'), await openFor('admin')];
    const user = await createViewer(acting);
    await openListFor(watching, user);
    await callApi(acting, 'PATCH', `/api/users/${user.id}`, { roleId: 3 });
    await expect(rowOf(watching, user.username)).toContainText('Approver');
    await callApi(acting, 'PATCH', `/api/users/${user.id}`, { displayName: 'Seen at once' });
    await expect(rowOf(watching, user.username)).toContainText('Seen at once');
  });

  test('are unlocked by an administrator after too many wrong passwords', async ({ openFor }) => {
    const admin = await openFor('admin');
    const shownToasts = await recordToasts(admin);
    const user = await createViewer(admin);
    const page = await openFor('anonymous');
    await page.goto('/auth');
    for (let attempt = 0; attempt < 5; attempt++) {
      await fillSignIn(page, user.username, 'Wrong-password-1');
      await page.getByRole('alertdialog', { name: 'Login failed' }).getByRole('button', { name: 'OK' }).click();
    }
    await openListFor(admin, user);
    await expect(rowOf(admin, user.username)).toContainText('Locked');
    await chooseAction(admin, user, 'Unlock');
    await expect.poll(() => shownToasts.map(([title]) => title)).toContain('User unlocked');
    await expect(rowOf(admin, user.username)).not.toContainText('Locked');
    await fillSignIn(page, user.username, FIRST_PASSWORD);
    await expect(page.getByText(`Welcome, ${user.username}`).first()).toBeVisible();
  });

  test('must change the password on request of an administrator, and are signed out by “End sessions”', async ({
    openFor,
  }) => {
    const admin = await openFor('admin');
    const shownToasts = await recordToasts(admin);
    const user = await createViewer(admin);
    const page = await openFor('anonymous');
    await signInByApi(page, user.username, FIRST_PASSWORD);
    await openListFor(admin, user);
    await chooseAction(admin, user, 'Require password change');
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Require password change' }).click();
    await expect(rowOf(admin, user.username)).toContainText('Must change password');
    await page.goto('/monitor');
    await expect(page.getByRole('dialog', { name: 'Change Password Required' })).toBeVisible();

    await chooseAction(admin, user, 'End sessions');
    await admin.getByRole('alertdialog').getByRole('button', { name: 'End sessions' }).click();
    await expect.poll(() => shownToasts.map(([title]) => title)).toContain('Sessions ended');
    await page.goto('/monitor');
    await expect(page).toHaveURL(/\/auth$/);
  });
});

test.describe('administrator roles', () => {
  const box = (page: Page, name: string | RegExp) =>
    page.getByRole('dialog').getByRole('checkbox', { name, exact: true });

  test('keep all permissions', async ({ openFor }) => {
    const admin = await openFor('admin');
    await admin.goto('/roles');
    await grid(admin, 'Roles').getByRole('row').filter({ hasText: 'Administrator' }).first().dblclick();
    await expect(admin.getByRole('dialog')).toContainText('only the name and the description can change');
    for (const name of ['Reference data', /^Monitor/, 'Create collections']) {
      await expect(box(admin, name)).toBeChecked();
      await expect(box(admin, name)).toBeDisabled();
    }
  });
});

test.describe('site paths', () => {
  test('show the pages that a user may open, and let only administrators choose the user', async ({ openFor }) => {
    const steward = await openFor('steward');
    await steward.goto('/site-paths?q=audit');
    const auditLogs = steward.getByRole('row').filter({ has: steward.getByText('/audit-logs', { exact: true }) });
    await expect(auditLogs).toContainText('No');
    await expect(auditLogs).toContainText('Administrators');
    await expect(steward.getByRole('button', { name: /^As / })).toHaveCount(0);

    const admin = await openFor('admin');
    await admin.goto('/site-paths?q=approvals');
    await expect(rowOf(admin, '/approvals')).toContainText('Yes');
    await admin.getByRole('button', { name: /^As / }).click();
    await admin.getByPlaceholder('Type to search').fill('viewer');
    await admin.getByRole('option', { name: /viewer/ }).click();
    await expect(rowOf(admin, '/approvals')).toContainText('No');
  });
});
