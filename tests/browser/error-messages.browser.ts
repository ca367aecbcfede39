/** The messages of pages when the server refuses a request: lockouts and missing permissions (specification §8). */
import type { Page } from '@playwright/test';
import { dismissError, errorDialog, expectApiRefusal, pendingErrors } from './error-dialog.ts';
import { callApi, expect, fillSignIn, removeAfterTest, signInByApi, test, uniqueName } from './fixtures.ts';
import { createUser, createUsername, FIRST_PASSWORD, sessionFlag, toasts } from './test-users.ts';

test.use({ reusesPages: true });

const NO_PERMISSION = "You don't have permission to perform this action";
const NO_APPROVER_PERMISSION = "You don't have APPROVER permission for this collection";

/** Blocks live updates, so that the page uses the data that it has loaded. */
async function blockLiveUpdates(page: Page): Promise<void> {
  await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
  await page.route('**/socket.io/**', (route) => route.abort());
}

/** Stores the text of the last `app-error` event in the document. Any script on the page can receive these events. */
async function recordAppErrors(page: Page): Promise<void> {
  const script = await page.addInitScript(() => {
    window.addEventListener('app-error', (event) => {
      const { title, description } = (event as CustomEvent<{ title: string; description: string }>).detail;
      document.documentElement.dataset['received'] = `${title} | ${description}`;
    });
  });
  removeAfterTest(page, script);
}

test.describe('signing in', () => {
  test('shows the message of the server after wrong passwords and while the account is locked', async ({ openFor }) => {
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
});

test.describe('a refusal after a permission was revoked', () => {
  interface Review {
    collectionId: number;
    crosswalkId: number;
  }

  /** Creates a crosswalk with a submitted mapping, in a collection where the given user may approve. */
  async function createPendingReview(admin: Page, reviewerId: number): Promise<Review> {
    const { id: collectionId } = await callApi(admin, 'POST', '/api/collections', { name: uniqueName('Reviewed') });
    await grant(admin, collectionId, reviewerId, 'APPROVER');
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
    const { id: typeId } = await callApi(admin, 'POST', '/api/reference-types', {
      name: uniqueName('Reviewed'),
      schemas,
    });
    const ends: number[] = [];
    for (const end of ['Source', 'Target']) {
      const { id } = await callApi(admin, 'POST', '/api/reference-data', {
        name: uniqueName(end),
        typeId,
        collectionId,
      });
      await callApi(admin, 'POST', `/api/reference-data/${id}/instances`, { rows: [{ data: { code: 'a' } }] });
      ends.push(id);
    }
    const { id: crosswalkId } = await callApi(admin, 'POST', '/api/crosswalks', {
      name: uniqueName('Reviewed'),
      sourceSystemId: ends[0],
      targetSystemId: ends[1],
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

  test('reports a missing permission for the deletion of a collection', async ({ openFor }) => {
    const admin = await openFor('admin');
    const { id: userId, username } = await createUser(admin);
    const { collectionId } = await createPendingReview(admin, userId);
    await grant(admin, collectionId, userId, 'ADMIN');
    const page = await openFor('anonymous', { unshared: true });
    await blockLiveUpdates(page);
    await signInByApi(page, username, FIRST_PASSWORD);
    await page.goto(`/collections/${collectionId}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await grant(admin, collectionId, userId, 'READ');
    await page.getByRole('menuitem', { name: 'Delete collection' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await expect(errorDialog(page, 'The collection was not deleted')).toContainText(NO_PERMISSION);
    await dismissError(page, 'The collection was not deleted');
  });
});
