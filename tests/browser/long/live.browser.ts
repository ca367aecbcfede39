/** Live changes by other users: rows that stay under the cursor, and presence. */
import { expect, test } from '../fixtures.ts';
import { addRows, createDataSet, grid, shownCodes } from '../watched-data-sets.ts';

test.use({ reusesPages: true });

test('keeps rows under the cursor while other users add to the list', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id, name } = await createDataSet(steward, approver, ['0005', '0006', '0007']);
  await approver.goto(`/reference-data/${id}`);
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(3);
  await grid(approver, name).locator('[data-row="1"]').hover();

  await addRows(steward, id, ['0001', '0002']);
  const bar = approver.getByRole('button', { name: '2 new changes – show' });
  await expect(bar).toBeVisible();
  expect(await shownCodes(approver, name)).toEqual(['0005', '0006', '0007']);
  await bar.click();
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(5);
  expect(await shownCodes(approver, name)).toEqual(['0001', '0002', '0005', '0006', '0007']);
});

test('shows on the approvals dashboard who else views it', async ({ openFor }) => {
  const approver = await openFor('approver');
  const admin = await openFor('admin');
  await approver.goto('/approvals');
  await admin.goto('/approvals');
  await expect(approver.getByText(/admin.* viewing this page too/i)).toBeVisible();
  await expect(admin.getByText(/Ada Approver.* viewing this page too/)).toBeVisible();
  await admin.goto('/monitor');
  await expect(approver.getByText(/viewing this page too/)).toHaveCount(0);
});
