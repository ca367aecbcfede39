/** Administration of users, groups and roles, with the effect of each action (specification §2, §5, §6). */
import type { Page } from '@playwright/test';
import { callApi, expect, fillSignIn, signIn, signInByApi, test, uniqueName, visit } from './fixtures.ts';
import { FIRST_PASSWORD, recordToasts } from './test-users.ts';
import { chooseAction, createViewer, openListFor, rowOf } from './users-page.ts';

test.use({ reusesPages: true });

const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Sidebar' });

test.describe('users', () => {
  test('are managed in the Administration section, by administrators alone', async ({ openFor }) => {
    const admin = await openFor('admin');
    await admin.goto('/');
    await sidebar(admin).getByRole('button', { name: 'Administration' }).click();
    await sidebar(admin).getByRole('link', { name: 'Manage Users' }).click();
    await expect(admin).toHaveURL(/\/manage-users$/);
    await expect(admin.getByRole('heading', { level: 1, name: 'Manage Users' })).toBeVisible();
    await visit(admin, '/users');
    await expect(sidebar(admin).locator('[aria-current="page"]')).toHaveText('Manage Users');
    await sidebar(admin).getByRole('link', { name: 'Manage Roles' }).click();
    await expect(admin.getByRole('heading', { level: 1, name: 'Manage Roles' })).toBeVisible();

    const steward = await openFor('steward');
    for (const path of ['/manage-users', '/users', '/roles']) {
      await visit(steward, path);
      await expect(steward).toHaveURL(/:\d+\/$/);
    }
    await expect(sidebar(steward).getByRole('button', { name: 'Administration' })).toHaveCount(0);
  });

  test('are invited with a link in the mail outbox, and set their password', async ({ openFor }) => {
    const admin = await openFor('admin');
    const shownToasts = await recordToasts(admin);
    await admin.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const username = uniqueName('invited').replace(' ', '-');
    await admin.goto('/manage-users?new=true');
    const dialog = admin.getByRole('dialog', { name: 'Invite a user' });
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await expect(dialog.getByText('Username is required')).toBeVisible();
    await expect(dialog.getByText('Invalid email format')).toBeVisible();
    await dialog.getByLabel('Username').fill(username);
    await dialog.getByLabel('E-mail').fill(`${username}@example.com`);

    // Typed input is not discarded without a confirmation.
    await admin.keyboard.press('Escape');
    const confirmation = admin.getByRole('alertdialog', { name: 'Leave without saving?' });
    await confirmation.getByRole('button', { name: 'Stay' }).click();
    await expect(dialog.getByLabel('Username')).toHaveValue(username);
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await expect.poll(() => shownToasts.map(([title]) => title)).toContain('Invitation not sent yet');
    await expect(dialog).toHaveCount(0);

    const notSent = admin.getByRole('dialog', { name: 'Invitation not sent yet' });
    await expect(notSent).toContainText(`find the link for ${username} in the mail outbox`);
    await notSent.getByRole('link', { name: 'Open the mail outbox' }).click();
    const mail = admin.getByRole('dialog', { name: 'Your account for Reference Data Management' });
    // A mail of another test can move the row between the two clicks.
    await expect(async () => {
      await rowOf(admin, `${username}@example.com`).dblclick();
      await expect(mail).toBeVisible({ timeout: 3_000 });
    }).toPass();
    await expect(mail).toContainText('No mail server was configured');
    await mail.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(() => shownToasts.map(([title]) => title)).toContain('Link copied');
    const link = await admin.evaluate(() => navigator.clipboard.readText());

    const page = await openFor('anonymous');
    await page.goto(new URL(link).pathname + new URL(link).search);
    await page.getByLabel(/^Password/).fill(FIRST_PASSWORD);
    await page.getByLabel(/^Confirm password/).fill(FIRST_PASSWORD);
    await page.getByRole('button', { name: 'Choose password' }).click();
    await expect(page).toHaveURL(/\/auth$/);
    await fillSignIn(page, username, FIRST_PASSWORD);
    await expect(page.getByText(`Welcome, ${username}`).first()).toBeVisible();
  });

  test('are signed out at once when deactivated; the dialog counts API keys that keep working', async ({ openFor }) => {
    const admin = await openFor('admin');
    const user = await createViewer(admin, { roleId: 1 });
    const page = await openFor('anonymous');
    await signInByApi(page, user.username, FIRST_PASSWORD);
    const { id: collectionId } = await callApi(page, 'POST', '/api/collections', { name: uniqueName('Keyed') });
    await callApi(page, 'POST', '/api/api-keys', {
      name: uniqueName('Key'),
      scopes: [{ collectionId, scope: 'read' }],
    });
    await page.goto('/monitor');
    await expect(page.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();

    await openListFor(admin, user);
    await chooseAction(admin, user, 'Deactivate');
    const dialog = admin.getByRole('alertdialog', { name: `Deactivate ${user.username}?` });
    await expect(dialog).toContainText(
      'They are signed out immediately and cannot sign in until an administrator reactivates them.',
    );
    await expect(dialog).toContainText('1 active API key that they created keeps working');
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await expect(rowOf(admin, user.username)).toContainText('Inactive');
    await expect(page).toHaveURL(/\/auth$/, { timeout: 5_000 });
    await fillSignIn(page, user.username, FIRST_PASSWORD);
    await expect(page.getByRole('alertdialog', { name: 'Login failed' })).toBeVisible();
    await page.getByRole('button', { name: 'OK' }).click();

    await chooseAction(admin, user, 'Reactivate');
    await expect(rowOf(admin, user.username)).toContainText('Active');
    await callApi(admin, 'PATCH', `/api/users/${user.id}`, { roleId: 4 });
    await fillSignIn(page, user.username, FIRST_PASSWORD);
    await expect(page.getByText(`Welcome, ${user.username}`).first()).toBeVisible();
  });

  test('are erased after an administrator types their username, and appear as “Former user”', async ({ openFor }) => {
    const admin = await openFor('admin');
    const shownToasts = await recordToasts(admin);
    const user = await createViewer(admin, { displayName: uniqueName('Ada') });
    await openListFor(admin, user);
    await chooseAction(admin, user, 'Erase');
    const dialog = admin.getByRole('region', { name: 'Report' });
    await expect(dialog).toContainText('permanently removed');
    const erase = dialog.getByRole('button', { name: 'Erase' });
    await expect(erase).toBeDisabled();
    await dialog.getByLabel(`Type ${user.username} to confirm`).fill('somebody else');
    await expect(erase).toBeDisabled();
    await dialog.getByLabel(`Type ${user.username} to confirm`).fill(user.username);
    await erase.click();
    await expect.poll(() => shownToasts.map(([title]) => title)).toContain('User erased');
    await visit(admin, '/manage-users?q=Former&sort=createdAt&order=DESC');
    const former = rowOf(admin, 'Former user').first();
    await expect(former).toContainText('Erased');
    await former.getByRole('button', { name: /^Actions for row/ }).click();
    await expect(admin.getByRole('menuitem', { name: /^Edit/ })).toContainText('This user was erased');
    await admin.keyboard.press('Escape');
    await visit(admin, '/audit-logs?kind=user');
    await expect(rowOf(admin, 'Former user').first()).toBeVisible();
    await expect(admin.getByText(user.username)).toHaveCount(0);
  });

  test('cannot demote themselves as the last administrator', async ({ openFor }) => {
    const admin = await openFor('admin');
    const me = await callApi<{ id: number; username: string }>(admin, 'GET', '/api/user');
    await openListFor(admin, me);
    await chooseAction(admin, me, 'Edit');
    const dialog = admin.getByRole('dialog', { name: /^Edit / });
    await dialog.getByRole('combobox', { name: /^Role/ }).click();
    await admin.getByRole('option', { name: 'Viewer' }).click();
    await expect(dialog).toContainText(
      'When you save, the user stops being an administrator: the change takes effect with their next request.',
    );
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByRole('alert')).toContainText(
      'This is the last administrator: make another user an administrator first',
    );
    expect(await callApi(admin, 'GET', '/api/user')).toMatchObject({ isAdmin: true });
  });
});

test.describe('groups', () => {
  test('are created, filled, renamed and deleted', async ({ openFor }) => {
    const admin = await openFor('admin');
    const displayName = uniqueName('Bea');
    const user = await createViewer(admin, { displayName });
    const [name, renamed] = [uniqueName('Readers'), uniqueName('Keepers')];
    await admin.goto('/manage-users?tab=groups');
    await admin.getByRole('button', { name: 'Create group' }).first().click();
    const create = admin.getByRole('dialog', { name: 'Create a group' });
    await create.getByRole('button', { name: 'Create group' }).click();
    await expect(create.getByText('Group name is required')).toBeVisible();
    await create.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await create.getByRole('button', { name: 'Create group' }).click();
    await expect(rowOf(admin, name)).toBeVisible();

    await rowOf(admin, name).dblclick();
    const members = admin.getByRole('dialog', { name: `Members of ${name}` });
    await expect(members.getByText('This group has no members')).toBeVisible();
    await members.getByRole('button', { name: 'Add a person…' }).click();
    await admin.getByPlaceholder('Type to search').fill(displayName);
    await admin.getByRole('option', { name: displayName }).click();
    await expect(members.getByRole('list', { name: 'Members' })).toContainText(displayName);
    await members.getByRole('button', { name: 'Save members' }).click();
    await expect(rowOf(admin, name).getByRole('gridcell').nth(2)).toHaveText('1');

    await rowOf(admin, name)
      .getByRole('button', { name: /^Actions for row/ })
      .click();
    await admin.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = admin.getByRole('dialog', { name: `Edit ${name}` });
    await edit.getByRole('textbox', { name: 'Name', exact: true }).fill(renamed);
    await edit.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(admin, renamed)).toBeVisible();

    // The details of a user show the groups of the user.
    await openListFor(admin, user);
    await rowOf(admin, user.username).dblclick();
    const groups = admin.getByRole('dialog', { name: displayName }).getByRole('region', { name: 'Groups' });
    await groups.getByRole('button', { name: `Remove from ${renamed}` }).click();
    await expect(groups).toContainText('This user belongs to no group.');
    await groups.getByRole('combobox', { name: 'Add to a group' }).click();
    await admin.getByRole('option', { name: renamed }).click();
    await expect(groups.getByRole('button', { name: `Remove from ${renamed}` })).toBeVisible();

    await visit(admin, '/manage-users?tab=groups');
    await rowOf(admin, renamed)
      .getByRole('button', { name: /^Actions for row/ })
      .click();
    await admin.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = admin.getByRole('alertdialog', { name: `Delete ${renamed}?` });
    await expect(dialog).toContainText('its 1 member loses these grants immediately. This action cannot be undone.');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(rowOf(admin, renamed)).toHaveCount(0);
  });
});

test.describe('roles', () => {
  const box = (page: Page, name: string | RegExp) =>
    page.getByRole('dialog').getByRole('checkbox', { name, exact: true });

  test('grant the selected routes, show why they cannot be deleted, and are deleted when unused', async ({
    openFor,
  }) => {
    const admin = await openFor('admin');
    const name = uniqueName('Auditor');
    await admin.goto('/roles');
    await admin.getByRole('button', { name: 'Create role' }).click();
    const create = admin.getByRole('dialog', { name: 'Create a role' });
    await create.getByRole('button', { name: 'Create role' }).click();
    await expect(create.getByText('Name is required')).toBeVisible();
    await create.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await box(admin, 'Reference data').click();
    await expect(box(admin, /^Crosswalks/)).toBeChecked();
    await box(admin, /^Relationships/).click();
    await expect(box(admin, 'Reference data')).toHaveAttribute('aria-checked', 'mixed');
    await box(admin, 'Create data sets').click();
    await create.getByRole('button', { name: 'Create role' }).click();
    await expect(rowOf(admin, name)).toContainText('Reference Data Types, Reference Data Collections, Crosswalks');
    await expect(rowOf(admin, name)).toContainText('Create data sets');

    const { items } = await callApi<{ items: { id: number; name: string }[] }>(
      admin,
      'GET',
      '/api/roles?pageSize=1000',
    );
    const roleId = items.find((role) => role.name === name)?.id;
    const user = await createViewer(admin, { roleId });
    const page = await openFor('anonymous');
    await signIn(page, user.username, FIRST_PASSWORD);
    await expect(sidebar(page).getByRole('link', { name: 'Crosswalks' })).toBeVisible();
    await expect(sidebar(page).getByRole('link', { name: 'Relationships' })).toHaveCount(0);

    // The assignment of the role to a user arrives live.
    await expect(rowOf(admin, name).getByRole('link', { name: '1' })).toBeVisible();
    await rowOf(admin, name)
      .getByRole('button', { name: /^Actions for row/ })
      .click();
    await expect(admin.getByRole('menuitem', { name: /^Delete/ })).toContainText(
      'This role cannot be deleted: 1 user has it',
    );
    await admin.keyboard.press('Escape');

    await rowOf(admin, name).dblclick();
    await box(admin, /^Crosswalks/).click();
    await expect(admin.getByRole('dialog')).toContainText(
      '1 user has this role: the change takes effect with their next request.',
    );
    await admin.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect(sidebar(page).getByRole('link', { name: 'Crosswalks' })).toHaveCount(0);

    await callApi(admin, 'PATCH', `/api/users/${user.id}`, { roleId: 4 });
    await expect(rowOf(admin, name).getByRole('link', { name: '0' })).toBeVisible();
    await rowOf(admin, name)
      .getByRole('button', { name: /^Actions for row/ })
      .click();
    await admin.getByRole('menuitem', { name: 'Delete' }).click();
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(rowOf(admin, name)).toHaveCount(0);
  });
});
