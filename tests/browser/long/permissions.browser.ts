/** Tests the permissions of a collection, the pages that its readers see, and that a collection needs a name. */
import { createCollection, grantTo, userIdOf } from '../collections.ts';
import { callApi, expect, test, uniqueName, visit } from '../fixtures.ts';
import { createDataSet, pick } from '../permission-form.ts';

test.use({ reusesPages: true });

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

test('copies the permissions of another collection without lowering a level', async ({ openFor }) => {
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
  const changes = steward.getByRole('list', { name: 'Changes' }).getByRole('listitem');
  await expect(changes).toHaveText([/none → APPROVER/]);
  await steward.getByRole('button', { name: 'Copy permissions' }).click();
  await expect(steward.getByLabel(/^Level of /)).toHaveText(['WRITE', 'APPROVER']);
});

test('shows a concurrent change of permissions, and applies both changes', async ({ openFor }) => {
  const steward = await openFor('steward');
  const viewerId = await userIdOf(await openFor('viewer'));
  const approverId = await userIdOf(await openFor('approver'));
  const { id } = await createCollection(steward, [{ entityType: 'user', entityId: viewerId, permissionLevel: 'READ' }]);
  await steward.goto(`/collections/${id}/permissions`);
  await expect(steward.getByLabel(/^Level of /)).toHaveText('READ');
  // The requests for the list fail until the page writes, so that the page shows the old list.
  let hasWritten = false;
  await steward.route(`**/api/collections/${id}/permissions`, async (route) => {
    const isWrite = route.request().method() === 'PUT';
    if (!hasWritten && !isWrite) return route.abort();
    if (!hasWritten) {
      hasWritten = true;
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
  await dialog.getByRole('button', { name: 'Apply my change as well' }).click();
  await expect(steward.getByLabel(/^Level of /)).toHaveText(['WRITE', 'APPROVER']);
});

test('shows readers the data sets of a collection, but not its administration', async ({ openFor }) => {
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
