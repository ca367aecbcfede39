/**
 * Permissions of a collection on every page: granted, explained, copied, refused, and revoked while a user has the page open.
 */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, userIdOf } from './collections.ts';
import { callApi, expect, signInByApi, test, uniqueName, visit } from './fixtures.ts';
import { ADMIN_PASSWORD } from './stack.ts';
import { createUser, FIRST_PASSWORD } from './test-users.ts';

test.use({ reusesPages: true });

async function createDataSet(page: Page, collectionId: number): Promise<{ id: number; name: string }> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', { name: uniqueName('Code'), schemas });
  const name = uniqueName('Codes');
  const { id } = await callApi(page, 'POST', '/api/reference-data', { name, typeId, collectionId });
  return { id, name };
}

async function pick(page: Page, field: string, name: string, option: RegExp): Promise<void> {
  await page.getByLabel(field).click();
  await page.getByPlaceholder('Type to search').fill(name);
  await page.getByRole('option', { name: option }).click();
}

const row = (page: Page, name: string | RegExp) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

test('grants, changes, removes and restores a level of a user and of a group', async ({ openFor }) => {
  const steward = await openFor('steward');
  const admin = await openFor('admin');
  const { id, name } = await createCollection(steward);
  const group = uniqueName('Office');
  await callApi(admin, 'POST', '/api/groups', { name: group, description: '' });
  await steward.goto('/collections');
  await steward.getByRole('searchbox').fill(name);
  await steward.getByRole('link', { name }).click();
  await steward.getByRole('link', { name: 'Permissions' }).click();
  await expect(steward.getByRole('heading', { name: `Permissions of ${name}` })).toBeVisible();
  await expect(row(steward, /owner/)).toContainText('ADMIN');

  await pick(steward, 'User or group', 'viewer', /viewer/);
  await steward.getByRole('button', { name: 'Grant', exact: true }).click();
  await expect(steward.getByLabel(/^Level of /)).toHaveText('READ');
  await pick(steward, 'User or group', group, new RegExp(group));
  await steward.getByLabel('Level', { exact: true }).click();
  await steward.getByRole('option', { name: 'APPROVER' }).click();
  await steward.getByRole('button', { name: 'Grant', exact: true }).click();
  await expect(steward.getByLabel(`Level of ${group}`)).toHaveText('APPROVER');
  // The next grant starts with the lowest level.
  await expect(steward.getByLabel('Level', { exact: true })).toHaveText('READ');

  await steward.getByLabel(`Level of ${group}`).click();
  await steward.getByRole('option', { name: 'WRITE' }).click();
  await expect(steward.getByLabel(`Level of ${group}`)).toHaveText('WRITE');
  await steward.getByRole('button', { name: `Remove ${group}` }).click();
  await expect(row(steward, group)).toHaveCount(0);
  await steward.getByRole('button', { name: 'Undo' }).click();
  await expect(steward.getByLabel(`Level of ${group}`)).toHaveText('WRITE');

  const { items } = await callApi<{ items: { entityType: string; permissionLevel: string }[] }>(
    steward,
    'GET',
    `/api/collections/${id}/permissions`,
  );
  expect(items.map(({ entityType, permissionLevel }) => [entityType, permissionLevel])).toEqual([
    ['user', 'READ'],
    ['group', 'WRITE'],
  ]);

  await steward.goto(`/collections/${id}?tab=activity`);
  await expect(steward.getByText('Permissions changed').first()).toBeVisible();
  await expect(steward.getByText('Created', { exact: true })).toBeVisible();
});

test('shows the sources of effective access', async ({ openFor }) => {
  const steward = await openFor('steward');
  const admin = await openFor('admin');
  const viewer = await openFor('viewer');
  const approver = await openFor('approver');
  const viewerId = await userIdOf(viewer);
  const group = uniqueName('Office');
  const { id: groupId } = await callApi(admin, 'POST', '/api/groups', { name: group, description: '' });
  await callApi(admin, 'PUT', `/api/groups/${groupId}/members`, { userIds: [viewerId] });
  const { id } = await createCollection(steward, [
    { entityType: 'user', entityId: viewerId, permissionLevel: 'READ' },
    { entityType: 'group', entityId: groupId, permissionLevel: 'APPROVER' },
  ]);
  await steward.goto(`/collections/${id}/permissions`);
  const sources = steward.getByRole('list', { name: /^Why / });

  await pick(steward, 'Effective access for', 'viewer', /viewer/);
  await expect(sources.getByRole('listitem')).toHaveText([
    /Granted to the user\s*READ/,
    new RegExp(`Granted to the group ${group}\\s*APPROVER`),
  ]);
  await pick(steward, 'Effective access for', 'steward', /steward/);
  await expect(sources.getByRole('listitem')).toHaveText([/Owns the collection\s*ADMIN/]);
  await pick(steward, 'Effective access for', 'admin', /admin/);
  await expect(sources.getByRole('listitem')).toHaveText([/Is an administrator\s*ADMIN/]);
  await pick(steward, 'Effective access for', 'approver', /approver/);
  await expect(steward.getByText('has no access to this collection.')).toBeVisible();
  expect(await userIdOf(approver)).toBeGreaterThan(0);
});

test('copies the permissions of another collection without removing any', async ({ openFor }) => {
  const steward = await openFor('steward');
  const viewerId = await userIdOf(await openFor('viewer'));
  const approverId = await userIdOf(await openFor('approver'));
  const from = await createCollection(steward, [
    { entityType: 'user', entityId: viewerId, permissionLevel: 'READ' },
    { entityType: 'user', entityId: approverId, permissionLevel: 'APPROVER' },
  ]);
  const to = await createCollection(steward, [{ entityType: 'user', entityId: viewerId, permissionLevel: 'WRITE' }]);
  await steward.goto(`/collections/${to.id}/permissions`);
  await steward.getByRole('button', { name: 'Copy from another collection' }).click();
  await steward.getByLabel('From').click();
  await steward.getByRole('option', { name: from.name }).click();
  const changes = steward.getByRole('list', { name: 'What would change' }).getByRole('listitem');
  await expect(changes).toHaveText([/none → APPROVER/]);
  await steward.getByRole('button', { name: 'Copy permissions' }).click();
  await expect(steward.getByLabel(/^Level of /)).toHaveText(['WRITE', 'APPROVER']);
});

test('refuses to remove the last ADMIN of a collection whose owner has left', async ({ openFor, baseUrl }) => {
  const admin = await openFor('admin');
  const { id: leavingId, username } = await createUser(admin);
  const leaving = await openFor('anonymous');
  await signInByApi(leaving, username, FIRST_PASSWORD);
  const viewer = await openFor('viewer');
  const { id } = await createCollection(leaving, [await grantTo(viewer, 'ADMIN')]);
  await callApi(admin, 'POST', `/api/users/${leavingId}/deactivate`, { password: ADMIN_PASSWORD });

  await viewer.goto(`${baseUrl}/collections/${id}/permissions`);
  await viewer.getByRole('button', { name: /^Remove / }).click();
  await expect(viewer.getByRole('alert')).toContainText(
    'At least one user must keep ADMIN on this collection: grant it to another user first',
  );
  await expect(viewer.getByLabel(/^Level of /)).toHaveText('ADMIN');
});

test('shows two users who change the same list the changes of each other', async ({ openFor }) => {
  const steward = await openFor('steward');
  const viewerId = await userIdOf(await openFor('viewer'));
  const approverId = await userIdOf(await openFor('approver'));
  const { id } = await createCollection(steward, [{ entityType: 'user', entityId: viewerId, permissionLevel: 'READ' }]);
  await steward.goto(`/collections/${id}/permissions`);
  await expect(steward.getByLabel(/^Level of /)).toHaveText('READ');
  // The page cannot reload before it writes: it goes on showing the old list.
  let wrote = false;
  await steward.route(`**/api/collections/${id}/permissions`, async (route) => {
    const writes = route.request().method() === 'PUT';
    if (!wrote && !writes) return route.abort();
    if (!wrote) {
      wrote = true;
      await callApi(steward, 'PUT', `/api/collections/${id}/permissions`, {
        permissions: [
          { entityType: 'user', entityId: viewerId, permissionLevel: 'READ' },
          { entityType: 'user', entityId: approverId, permissionLevel: 'APPROVER' },
        ],
      });
    }
    return route.continue();
  });
  await steward.getByLabel(/^Level of /).click();
  await steward.getByRole('option', { name: 'WRITE' }).click();
  const dialog = steward.getByRole('dialog', { name: 'Another user changed this collection' });
  await expect(dialog.getByRole('list', { name: 'Their changes' })).toContainText('none → APPROVER');
  await expect(dialog).toContainText('Grant WRITE to');
  await dialog.getByRole('button', { name: 'Apply mine as well' }).click();
  await expect(steward.getByLabel(/^Level of /)).toHaveText(['WRITE', 'APPROVER']);
});

test('removes the access of a user on every page when a grant is revoked', async ({ openFor }) => {
  const steward = await openFor('steward');
  const viewer = await openFor('viewer');
  const approver = await openFor('approver');
  const viewerId = await userIdOf(viewer);
  const approverId = await userIdOf(approver);
  const { id, name } = await createCollection(steward, [
    { entityType: 'user', entityId: viewerId, permissionLevel: 'READ' },
    { entityType: 'user', entityId: approverId, permissionLevel: 'ADMIN' },
  ]);
  const dataSet = await createDataSet(steward, id);
  const list = await viewer.context().newPage();
  // The viewer sees the data of the steward once they are projected.
  await expect(async () => {
    await viewer.goto(`/reference-data/${dataSet.id}`);
    await expect(viewer.getByRole('heading', { name: dataSet.name })).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await list.goto(`/collections?q=${encodeURIComponent(name)}`);
  await approver.goto(`/collections/${id}`);
  await expect(list.getByRole('link', { name })).toBeVisible();
  await expect(approver.getByRole('heading', { name })).toBeVisible();

  await steward.goto(`/collections/${id}/permissions`);
  await steward.getByRole('button', { name: /^Remove .*[Vv]iewer/ }).click();
  await expect(viewer.getByText('This is no longer shared with you, or it was deleted.').first()).toBeVisible();
  await expect(list.getByRole('link', { name })).toHaveCount(0);

  await callApi(steward, 'DELETE', `/api/collections/${id}`);
  await expect(approver.getByText('This collection is gone', { exact: true })).toBeVisible();
});

test('leads readers of a collection to its data sets, but not to its administration', async ({ openFor }) => {
  const steward = await openFor('steward');
  const viewer = await openFor('viewer');
  const { id, name } = await createCollection(steward, [await grantTo(viewer, 'READ')]);
  const dataSet = await createDataSet(steward, id);
  await viewer.goto(`/collections?q=${encodeURIComponent(name)}`);
  await viewer.getByRole('link', { name }).click();
  await expect(viewer).toHaveURL(/\/reference-data\?/);
  await expect(viewer.getByRole('link', { name: dataSet.name })).toBeVisible();
  for (const path of [`/collections/${id}`, `/collections/${id}/permissions`]) {
    await visit(viewer, path);
    await expect(viewer.getByText('This page is for the administrators of the collection')).toBeVisible();
  }
  await viewer.getByRole('link', { name: 'Show its data sets' }).click();
  await expect(viewer.getByRole('link', { name: dataSet.name })).toBeVisible();
});

test('requires a name for a collection', async ({ openFor }) => {
  const steward = await openFor('steward');
  await steward.goto('/collections?new=true');
  await steward.getByRole('button', { name: 'Create collection' }).last().click();
  await expect(steward.getByText('Collection name is required')).toBeVisible();
});
