/** Tests the messages at sign-in, sign-out and password changes, also for answers of a proxy (specification §8). */
import { dismissError, errorDialog, expectApiRefusal, pendingErrors } from '../error-dialog.ts';
import { expect, fillSignIn, signIn, signInByApi, test, uniqueName } from '../fixtures.ts';
import { createUsername, FIRST_PASSWORD, toasts } from '../test-users.ts';

test.use({ reusesPages: true });

const NEXT_PASSWORD = 'Next-password-2';
const NO_PERMISSION = "You don't have permission to perform this action";

test.describe('signing in and out', () => {
  test('keeps an error in the window object for 1,000,000 milliseconds after the user has dismissed it', async ({
    openFor,
  }) => {
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

  // The embedded product has no proxy, so the test fulfils the requests.
  test('shows the error message of an answer that a proxy sends', async ({ openFor }) => {
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

  test('repeats a call with the X-Origin header when a proxy removes the Origin header', async ({ openFor }) => {
    const username = await createUsername(await openFor('admin'));
    const page = await openFor('anonymous');
    const sentOrigins: (string | undefined)[] = [];
    // Removes the Origin header of the browser, as a proxy could.
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

test.describe('a password change', () => {
  test('shows the reason of a refusal in the alert of the dialog', async ({ openFor }) => {
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

    // Answers of a proxy.
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

  test('shows the success for one second, and signs out after two', async ({ openFor }) => {
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
