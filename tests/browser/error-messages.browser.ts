/**
 * The messages of pages when the server refuses a request: lockouts, missing permissions, proxies, and the error dialog
 * (specification §8).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, fillSignIn, removeAfterStory, signIn, signInByApi, test, uniqueName } from './fixtures.ts';
import { createUser, createUsername, FIRST_PASSWORD, sessionFlag, toasts } from './test-users.ts';

test.use({ reusesPages: true });

const NEXT_PASSWORD = 'Next-password-2';
const NO_PERMISSION = "You don't have permission to perform this action";
const NO_APPROVER_PERMISSION = "You don't have APPROVER permission for this collection";

const errorDialog = (page: Page, title: string) => page.getByRole('alertdialog', { name: title });

async function dismissError(page: Page, title: string): Promise<void> {
  await errorDialog(page, title).getByRole('button', { name: 'OK' }).click();
  await expect(errorDialog(page, title)).toBeHidden();
}

/** Blocks live updates, so that the page uses the data that it has loaded. */
async function blockLiveUpdates(page: Page): Promise<void> {
  await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
  await page.route('**/socket.io/**', (route) => route.abort());
}

/** Sends a request as the user of the page, outside of the page, and expects a refusal. */
async function expectApiRefusal(page: Page, path: string, data: object): Promise<void> {
  const { origin } = new URL(page.url());
  const response = await page.request.post(path, { data, headers: { Origin: origin } });
  expect(response.ok(), path).toBe(false);
}

/** Stores the text of `app-error` events in the document, as any part of the page may receive them. */
async function recordAppErrors(page: Page): Promise<void> {
  const script = await page.addInitScript(() => {
    window.addEventListener('app-error', (event) => {
      const { title, description } = (event as CustomEvent<{ title: string; description: string }>).detail;
      document.documentElement.dataset['received'] = `${title} | ${description}`;
    });
  });
  removeAfterStory(page, script);
}
const pendingErrors = (page: Page) =>
  page.evaluate(() =>
    ((window as { pendingErrors?: { title: string; description: string }[] }).pendingErrors ?? []).map(
      ({ title, description }) => [title, description],
    ),
  );

test.describe('signing in', () => {
  test('refuses wrong passwords, then locks with the message of the server, for the right password too', async ({
    openFor,
  }) => {
    const username = await createUsername(await openFor('admin'));
    const page = await openFor('anonymous');
    await recordAppErrors(page);
    await page.goto('/auth');
    await fillSignIn(page, username, 'Wrong-password-1');
    await expect(errorDialog(page, 'Login failed')).toContainText('Invalid username or password');
    await dismissError(page, 'Login failed');
    for (const attempt of [2, 3, 4]) {
      await expectApiRefusal(page, '/api/login', { username, password: `Wrong-password-${attempt}` });
    }
    for (const password of ['Wrong-password-5', FIRST_PASSWORD]) {
      await fillSignIn(page, username, password);
      await expect(errorDialog(page, 'Login failed')).toContainText(
        'Account temporarily locked. Try again in 15 minutes',
      );
      await dismissError(page, 'Login failed');
    }
    await expect(toasts(page)).toHaveCount(0);
    expect(await sessionFlag(page)).toBeNull();

    await expect(page.locator('html')).toHaveAttribute(
      'data-received',
      'Login failed | Account temporarily locked. Try again in 15 minutes',
    );
    expect(await pendingErrors(page)).toHaveLength(3);
    expect((await pendingErrors(page)).at(0)).toEqual(['Login failed', 'Invalid username or password']);
  });

  test('keeps an error on the window for 1,000,000 milliseconds after it was read', async ({ openFor }) => {
    const page = await openFor('anonymous', { unshared: true });
    await page.clock.install();
    await page.goto('/auth');
    await fillSignIn(page, uniqueName('unknown'), 'Wrong-password-1');
    await expect(errorDialog(page, 'Login failed')).toBeVisible();
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    await errorDialog(page, 'Login failed').getByRole('button', { name: 'OK' }).click();
    await page.clock.fastForward(999_999);
    expect(await pendingErrors(page)).toHaveLength(1);
    await page.clock.fastForward(1);
    expect(await pendingErrors(page)).toHaveLength(0);
  });

  // The embedded product has no proxy in front of it: the test fulfils the requests instead.
  test('shows the answer that a proxy sends itself', async ({ openFor }) => {
    const page = await openFor('anonymous');
    await page.goto('/auth');
    const long = 'The gateway sends a long text. '.repeat(60);
    for (const [answer, message] of [
      [
        { status: 401, contentType: 'text/html', body: '<!doctype html><title>Sign in to the network</title>' },
        /^Session expired or authentication required$/,
      ],
      [
        { status: 403, contentType: 'text/html', body: '<html><body>Forbidden</body></html>' },
        /^Session expired or authentication required$/,
      ],
      [{ status: 429, contentType: 'text/plain', body: long }, new RegExp(`^${long.slice(0, 500).trim()} ?$`)],
      [{ status: 400, json: { message: 'From message' } }, /^From message$/],
      [{ status: 400, json: { error: 'From error', message: 'not here' } }, /^From error$/],
      [{ status: 400, json: { data: { message: 'From data' } } }, /^From data$/],
      [{ status: 418, json: {} }, /^I'm a teapot$/i],
      [{ status: 400, json: { error: 'You are not authorized' } }, new RegExp(`^${NO_PERMISSION}$`)],
    ] as const) {
      await page.route('**/api/login', (route) => route.fulfill(answer), { times: 1 });
      await fillSignIn(page, uniqueName('unknown'), 'Wrong-password-1');
      await expect(errorDialog(page, 'Login failed').getByText(message)).toBeVisible();
      await dismissError(page, 'Login failed');
    }
  });

  test('repeats a call once, with its origin in another header, when a proxy removes the Origin header', async ({
    openFor,
  }) => {
    const username = await createUsername(await openFor('admin'));
    const page = await openFor('anonymous');
    const sentOrigins: (string | undefined)[] = [];
    // The browser sets the Origin header itself; the second attempt covers a proxy that removes it.
    await page.route('**/api/logout', async (route) => {
      const { origin: _, referer: __, ...headers } = await route.request().allHeaders();
      sentOrigins.push(headers['x-origin']);
      await route.fulfill({ response: await route.fetch({ headers }) });
    });
    await signIn(page, username, FIRST_PASSWORD);
    const { origin } = new URL(page.url());
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await expect(page).toHaveURL(/\/auth$/);
    expect(sentOrigins).toEqual([undefined, origin]);
  });
});

test.describe('a failed password change', () => {
  test('shows the reason in the red alert of the dialog', async ({ openFor }) => {
    const username = await createUsername(await openFor('admin'), { requirePasswordChange: true });
    const page = await openFor('anonymous');
    await page.goto('/auth');
    await fillSignIn(page, username, FIRST_PASSWORD);
    const dialog = page.getByRole('dialog', { name: 'Change Password Required' });
    const field = (label: string) => dialog.getByLabel(new RegExp(`^${label}`));
    const alert = dialog.getByRole('alert').filter({ hasText: 'Failed to change password' });
    async function change(current: string, next: string): Promise<void> {
      await field('Current Password').fill(current);
      await field('New Password').fill(next);
      await field('Confirm New Password').fill(next);
      await dialog.getByRole('button', { name: 'Change Password' }).click();
    }

    await change(FIRST_PASSWORD, FIRST_PASSWORD);
    await expect(alert).toContainText('Choose a password that is not one of your last 5');
    await change('Wrong-password-1', NEXT_PASSWORD);
    await expect(alert).toContainText('Current password is incorrect');
    for (const attempt of [2, 3, 4]) {
      const passwords = { currentPassword: `Wrong-password-${attempt}`, newPassword: NEXT_PASSWORD };
      await expectApiRefusal(page, '/api/change-password', passwords);
    }
    await change('Wrong-password-5', NEXT_PASSWORD);
    await expect(alert).toContainText('Too many wrong passwords. Try again in 15 minutes');

    await page.context().setOffline(true);
    await change(FIRST_PASSWORD, NEXT_PASSWORD);
    await expect(alert).toContainText('The server cannot be reached. Check your connection and try again.');
    await page.context().setOffline(false);

    // Answers that only a proxy between browser and server sends.
    for (const [answer, message] of [
      [{ status: 413, contentType: 'text/plain', body: '' }, '413: Payload Too Large'],
      [{ status: 418, contentType: 'text/plain', body: 'Kept by the gateway' }, 'Kept by the gateway'],
      [{ status: 400, json: { data: { message: 'From data' }, message: 'not here' } }, 'From data'],
    ] as const) {
      await page.route('**/api/change-password', (route) => route.fulfill(answer), { times: 1 });
      await change(FIRST_PASSWORD, NEXT_PASSWORD);
      await expect(alert).toContainText(message);
    }
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
  });

  test('shows the success for two seconds before it signs out', async ({ openFor }) => {
    const username = await createUsername(await openFor('admin'));
    const page = await openFor('anonymous', { unshared: true });
    await page.clock.install();
    await signInByApi(page, username, FIRST_PASSWORD);
    await page.goto('/change-password');
    await page.getByLabel(/^Current Password/).fill(FIRST_PASSWORD);
    await page.getByLabel(/^New Password/).fill(NEXT_PASSWORD);
    await page.getByLabel(/^Confirm New Password/).fill(NEXT_PASSWORD);
    const logouts: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/logout')) logouts.push(request.url());
    });
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000);
    await page.getByRole('main').getByRole('button', { name: 'Change Password' }).click();

    // The toast closes after one second, the session ends after two.
    await expect(toasts(page)).toContainText('Password changed');
    await expect(toasts(page)).toContainText('Your password has been successfully updated.');
    await page.clock.runFor(999);
    await expect(toasts(page)).toHaveAttribute('data-state', 'open');
    await page.clock.runFor(1);
    await expect(toasts(page)).toHaveCount(0);
    await page.clock.runFor(999);
    expect(logouts).toHaveLength(0);
    await page.clock.runFor(1);
    await expect.poll(() => logouts.length).toBe(1);
    await page.clock.resume();
    await expect(page).toHaveURL(/\/auth$/);
    await fillSignIn(page, username, NEXT_PASSWORD);
    await expect(page).toHaveURL(/:\d+\/$/);
  });
});

test.describe('a permission that was revoked', () => {
  interface Review {
    collectionId: number;
    crosswalkId: number;
  }

  /** Creates a submitted crosswalk in a collection where the given user may approve. */
  async function createPendingReview(admin: Page, reviewerId: number): Promise<Review> {
    const { id: collectionId } = await callApi(admin, 'POST', '/api/collections', { name: uniqueName('Reviewed') });
    await grant(admin, collectionId, reviewerId, 'APPROVER');
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
    const { id: typeId } = await callApi(admin, 'POST', '/api/reference-types', {
      name: uniqueName('Reviewed'),
      schemas,
    });
    const sides: number[] = [];
    for (const side of ['Source', 'Target']) {
      const { id } = await callApi(admin, 'POST', '/api/reference-data', {
        name: uniqueName(side),
        typeId,
        collectionId,
      });
      await callApi(admin, 'POST', `/api/reference-data/${id}/instances`, { rows: [{ data: { code: 'a' } }] });
      sides.push(id);
    }
    const { id: crosswalkId } = await callApi(admin, 'POST', '/api/crosswalks', {
      name: uniqueName('Reviewed'),
      sourceSystemId: sides[0],
      targetSystemId: sides[1],
      sourceAttribute: 'code',
      targetAttribute: 'code',
    });
    const drafted = await callApi<{ results: { id: number; revision: number }[] }>(
      admin,
      'POST',
      `/api/crosswalks/${crosswalkId}/mappings`,
      { rows: [{ sourceValue: 'a', targetValue: 'a' }] },
    );
    const rows = drafted.results.map(({ id, revision }) => ({ id, revision }));
    await callApi(admin, 'POST', `/api/crosswalks/${crosswalkId}/mappings/submit`, { rows });
    return { collectionId, crosswalkId };
  }

  const grant = (admin: Page, collectionId: number, entityId: number, permissionLevel: string) =>
    callApi(admin, 'PUT', `/api/collections/${collectionId}/permissions`, {
      permissions: [{ entityType: 'user', entityId, permissionLevel }],
    });

  test('names the missing APPROVER level for an approval, in the list and on the dashboard', async ({ openFor }) => {
    const admin = await openFor('admin');
    const { id: reviewerId, username: reviewer } = await createUser(admin, { roleId: 3 });
    const { collectionId, crosswalkId } = await createPendingReview(admin, reviewerId);
    const page = await openFor('anonymous', { unshared: true });
    await blockLiveUpdates(page);
    await signInByApi(page, reviewer, FIRST_PASSWORD);
    const dashboard = await page.context().newPage();
    await blockLiveUpdates(dashboard);
    await page.goto(`/crosswalks/${crosswalkId}/mappings?tab=pending`);
    const approve = page.getByRole('grid', { name: 'pending mappings' }).getByRole('button', { name: 'Approve' });
    await expect(approve.first()).toBeEnabled();
    await dashboard.goto('/approvals');
    await expect(
      dashboard.getByRole('grid', { name: 'Approvals: review' }).locator('[data-row]').first(),
    ).toBeVisible();

    await grant(admin, collectionId, reviewerId, 'READ');
    await approve.first().click();
    await expect(errorDialog(page, 'Approve: refused')).toContainText(NO_APPROVER_PERMISSION);
    await dismissError(page, 'Approve: refused');

    await dashboard.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await dashboard.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Approve' }).click();
    await dashboard.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await expect(dashboard.getByText(NO_APPROVER_PERMISSION).first()).toBeVisible();
  });

  test('reports a missing permission for any other action', async ({ openFor }) => {
    const admin = await openFor('admin');
    const { id: reviewerId, username: steward } = await createUser(admin);
    const { collectionId } = await createPendingReview(admin, reviewerId);
    await grant(admin, collectionId, reviewerId, 'ADMIN');
    const page = await openFor('anonymous', { unshared: true });
    await blockLiveUpdates(page);
    await signInByApi(page, steward, FIRST_PASSWORD);
    await page.goto(`/collections/${collectionId}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await grant(admin, collectionId, reviewerId, 'READ');
    await page.getByRole('menuitem', { name: 'Delete collection' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await expect(errorDialog(page, 'The collection was not deleted')).toContainText(NO_PERMISSION);
    await dismissError(page, 'The collection was not deleted');
  });
});
