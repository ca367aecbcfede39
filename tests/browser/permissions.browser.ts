/** Tests the permissions of a collection, also while users have its pages open. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, userIdOf } from './collections.ts';
import { callApi, expect, signInByApi, test, uniqueName } from './fixtures.ts';
import { createDataSet, pick } from './permission-form.ts';
import { ADMIN_PASSWORD } from './stack.ts';
import { createUser, FIRST_PASSWORD } from './test-users.ts';

test.use({ reusesPages: true });

const row = (page: Page, name: string | RegExp) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

test('grants levels, and changes, removes and restores the level of a group', async ({ openFor }) => {
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

test('refuses to remove the last ADMIN of a collection whose owner was deactivated', async ({ openFor, baseUrl }) => {
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

test('updates open pages when a grant is revoked or the collection is deleted', async ({ openFor }) => {
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
  // The viewer does not find the new data set before its projection.
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
