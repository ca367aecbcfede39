/** Live changes by other users: offline and back without a gap, rows that stay under the cursor, and presence. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo } from './collections.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

const grid = (page: Page, name: string) => page.getByRole('grid', { name });

/** Creates a data set that the approver may read. */
async function createDataSet(
  steward: Page,
  approver: Page,
  codes: readonly string[],
): Promise<{ id: number; name: string }> {
  const { id: collectionId } = await createCollection(
    steward,
    [await grantTo(approver, 'APPROVER')],
    uniqueName('Watched'),
  );
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    description: '',
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'note', dataType: 'string', isPrimaryKey: false },
    ],
  });
  const name = uniqueName('Codes');
  const { id } = await callApi(steward, 'POST', '/api/reference-data', { name, typeId, collectionId });
  await add(steward, id, codes);
  // A page does not know which position to wait for: the rows are projected before it opens.
  await callApi(approver, 'GET', `/api/reference-data/${id}/instances`);
  return { id, name };
}

const add = (page: Page, dataSetId: number, codes: readonly string[]) =>
  callApi(page, 'POST', `/api/reference-data/${dataSetId}/instances`, {
    rows: codes.map((code) => ({ data: { code, note: 'as it was' } })),
  });

const shownCodes = (page: Page, name: string) =>
  grid(page, name)
    .locator('[data-row]')
    .evaluateAll((rows) =>
      rows
        .flatMap((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? ''))
        .filter((text) => /^0\d{3}$/.test(text)),
    );

test('catches up after being offline, without a missing or duplicate row', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id, name } = await createDataSet(steward, approver, ['0001', '0002']);
  await approver.goto(`/reference-data/${id}`);
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(2);
  await approver.evaluate(() => document.body.setAttribute('data-marked', ''));

  await approver.context().setOffline(true);
  await expect(approver.getByText('Reconnecting…')).toBeVisible();
  for (let code = 3; code <= 12; code += 1) await add(steward, id, [String(code).padStart(4, '0')]);
  const rows = await callApi<{ items: { id: number; revision: number; data: { code: string } }[] }>(
    steward,
    'GET',
    `/api/reference-data/${id}/instances?sort=code`,
  );
  const [first, second] = rows.items;
  await callApi(steward, 'PATCH', `/api/reference-data/${id}/instances`, [
    { id: first?.id, revision: first?.revision, data: { note: 'changed meanwhile' } },
  ]);
  await callApi(steward, 'DELETE', `/api/reference-data/${id}/instances`, {
    rows: [{ id: second?.id, revision: second?.revision }],
  });
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(2);

  await approver.context().setOffline(false);
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(11);
  expect(await shownCodes(approver, name)).toEqual([
    '0001',
    ...Array.from({ length: 10 }, (_, index) => String(index + 3).padStart(4, '0')),
  ]);
  await expect(grid(approver, name).getByText('changed meanwhile')).toHaveCount(1);
  await expect(approver.locator('body')).toHaveAttribute('data-marked', '');

  // The page still receives changes.
  await add(steward, id, ['0013']);
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(12);
});

test('shows that it is reconnecting while the connection is lost', async ({ openFor }) => {
  const page = await openFor('steward', { unshared: true });
  let severed = false;
  let connected = false;
  const sockets = new Set<{ close: () => Promise<void> }>();
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (severed) {
      void socket.close();
      return;
    }
    sockets.add(socket);
    const server = socket.connectToServer();
    server.onMessage((message) => {
      // The CONNECT packet of Socket.IO: only a page that was connected can lose its connection.
      if (String(message).startsWith('40')) connected = true;
      socket.send(message);
    });
  });
  await page.route('**/socket.io/**', (route) => (severed ? route.abort() : route.continue()));
  await page.goto('/reference-types');
  await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toHaveAttribute('aria-busy', 'false');
  await expect.poll(() => connected).toBe(true);

  severed = true;
  for (const socket of sockets) await socket.close();
  await expect(page.getByText('Reconnecting…')).toBeVisible();
  severed = false;
  await expect(page.getByText('Reconnecting…')).toBeHidden();
});

test('keeps rows under the cursor while other users add to the list', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id, name } = await createDataSet(steward, approver, ['0005', '0006', '0007']);
  await approver.goto(`/reference-data/${id}`);
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(3);
  await grid(approver, name).locator('[data-row="1"]').hover();

  await add(steward, id, ['0001', '0002']);
  const bar = approver.getByRole('button', { name: '2 new changes – show' });
  await expect(bar).toBeVisible();
  expect(await shownCodes(approver, name)).toEqual(['0005', '0006', '0007']);
  await bar.click();
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(5);
  expect(await shownCodes(approver, name)).toEqual(['0001', '0002', '0005', '0006', '0007']);
});

test('flashes a row that another user changed and names the user, but not for own changes', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id, name } = await createDataSet(steward, approver, ['0001', '0002']);
  await approver.goto(`/reference-data/${id}`);
  await steward.goto(`/reference-data/${id}`);
  for (const page of [approver, steward]) await expect(grid(page, name).locator('[data-row]')).toHaveCount(2);
  const path = `/api/reference-data/${id}/instances`;
  const change = async (note: string) => {
    const rows = await callApi<{ items: { id: number; revision: number }[] }>(steward, 'GET', `${path}?sort=code`);
    const [row] = rows.items;
    await callApi(steward, 'PATCH', path, [{ id: row?.id, revision: row?.revision, data: { note } }]);
  };
  const changed = grid(approver, name).locator('[data-row="0"]');
  // A change that is made before the page joins its room shows no flash. Once the page shows a changed row, it has joined.
  await change('changed first');
  await expect(changed).toContainText('changed first');
  await expect(changed).not.toHaveAttribute('data-flash', '');
  await change('changed again');
  await expect(changed).toHaveAttribute('data-flash', '');
  await expect(changed.locator('[data-actor="Sam Steward"]')).toBeVisible();
  await expect(changed).toContainText('changed again');
  await expect(changed).not.toHaveAttribute('data-flash', '');
  await expect(grid(steward, name).locator('[data-row="0"]')).toContainText('changed again');
  await expect(grid(steward, name).locator('[data-flash]')).toHaveCount(0);
});

test('shows on the approvals dashboard who else views it', async ({ openFor }) => {
  const approver = await openFor('approver');
  const admin = await openFor('admin');
  await approver.goto('/approvals');
  await admin.goto('/approvals');
  await expect(approver.getByText(/admin.* looking at this too/i)).toBeVisible();
  await expect(admin.getByText(/Ada Approver.* looking at this too/)).toBeVisible();
  await admin.goto('/monitor');
  await expect(approver.getByText(/looking at this too/)).toHaveCount(0);
});
