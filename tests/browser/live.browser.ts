/** Tests live changes by other users, also after a lost connection, and the rows that flash. */
import { callApi, expect, test } from './fixtures.ts';
import { addRows, createDataSet, grid, shownCodes } from './watched-data-sets.ts';

test.use({ reusesPages: true });

test('catches up after being offline, without a missing or duplicate row', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { id, name } = await createDataSet(steward, approver, ['0001', '0002']);
  await approver.goto(`/reference-data/${id}`);
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(2);
  await approver.evaluate(() => document.body.setAttribute('data-marked', ''));

  await approver.context().setOffline(true);
  await expect(approver.getByText('Reconnecting…')).toBeVisible();
  for (let code = 3; code <= 12; code += 1) await addRows(steward, id, [String(code).padStart(4, '0')]);
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
  await addRows(steward, id, ['0013']);
  await expect(grid(approver, name).locator('[data-row]')).toHaveCount(12);
});

test('shows “Reconnecting…” while the connection is lost', async ({ openFor }) => {
  const page = await openFor('steward', { unshared: true });
  let isSevered = false;
  let isConnected = false;
  const sockets = new Set<{ close: () => Promise<void> }>();
  await page.routeWebSocket(/socket\.io/, (socket) => {
    if (isSevered) {
      void socket.close();
      return;
    }
    sockets.add(socket);
    const server = socket.connectToServer();
    server.onMessage((message) => {
      // '40' is the CONNECT packet of Socket.IO. Only a connected page can lose its connection.
      if (String(message).startsWith('40')) isConnected = true;
      socket.send(message);
    });
  });
  await page.route('**/socket.io/**', (route) => (isSevered ? route.abort() : route.continue()));
  await page.goto('/reference-types');
  await expect(page.getByRole('grid', { name: 'Reference Data Types' })).toHaveAttribute('aria-busy', 'false');
  await expect.poll(() => isConnected).toBe(true);

  isSevered = true;
  for (const socket of sockets) await socket.close();
  await expect(page.getByText('Reconnecting…')).toBeVisible();
  isSevered = false;
  await expect(page.getByText('Reconnecting…')).toBeHidden();
});

test('flashes a row and names the user only after a change by another user', async ({ openFor }) => {
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
  // The page flashes no row before it joins its room. The first change shows that the page has joined.
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
