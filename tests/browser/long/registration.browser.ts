/**
 * Tests registration with a taken address, the settings of registration, and that a password reset ends the sessions of
 * the user (specification §2, §5, §8).
 */
import { callApi, expect, signIn, test, uniqueName } from '../fixtures.ts';
import { linkSentTo, registration, reset } from '../password-forms.ts';
import { createUsername, FIRST_PASSWORD, sessionFlag } from '../test-users.ts';

test.use({ reusesPages: true });

const NEXT_PASSWORD = 'Next-password-2';

const RULE_WITHOUT_SPECIAL =
  'Password must contain at least one uppercase letter, one lowercase letter, and one number';

test.describe('registering', () => {
  test('shows a dialog if the e-mail address already has an account, and keeps the input', async ({ openFor }) => {
    const username = await createUsername(await openFor('admin'));
    const page = await openFor('anonymous');
    await page.goto('/auth?mode=register');
    const { password, confirmation, submit } = registration(page);
    await page.getByLabel(/^E-mail/).fill(`${username}@example.com`);
    await page.getByLabel(/^Username/).fill(uniqueName('other').replace(' ', '-'));
    await password.fill(NEXT_PASSWORD);
    await confirmation.fill(NEXT_PASSWORD);
    await submit.click();
    const dialog = page.getByRole('alertdialog', { name: 'Registration failed' });
    await expect(dialog).toContainText('This e-mail address is taken');
    await dialog.getByRole('button', { name: 'OK' }).click();
    await expect(page.getByLabel(/^E-mail/)).toHaveValue(`${username}@example.com`);
    await expect(password).toHaveValue(NEXT_PASSWORD);
    expect(await sessionFlag(page)).toBeNull();
  });

  test('applies the settings for special characters in passwords and for registration', async ({ openFor }) => {
    const page = await openFor('anonymous');
    // The test changes the settings in the server's answer, because starting a second server would take long.
    const settings = { specialCharacter: false, registration: 'open' };
    await page.route('**/api/auth/config', async (route) => {
      const response = await route.fetch();
      const config = await response.json();
      await route.fulfill({
        response,
        json: {
          ...config,
          registration: settings.registration,
          passwordRules: { ...config.passwordRules, specialCharacter: settings.specialCharacter },
        },
      });
    });
    await page.goto('/auth?mode=register');
    const { password } = registration(page);
    await password.fill('lowercaseonly1');
    await password.blur();
    await expect(page.getByText(RULE_WITHOUT_SPECIAL, { exact: true })).toBeVisible();
    await password.fill('NoSpecialCharacter1');
    await expect(page.getByText(RULE_WITHOUT_SPECIAL, { exact: true })).toHaveCount(0);

    settings.registration = 'off';
    await page.goto('/auth?mode=register');
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Create an account' })).toHaveCount(0);
  });
});

test.describe('resetting a forgotten password', () => {
  test('ends the sessions of the user', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const page = await openFor('anonymous');
    await signIn(page, username, FIRST_PASSWORD);
    await callApi(page, 'POST', '/api/reset-password/request', { email: `${username}@example.com` });
    const tab = await page.context().newPage();
    await tab.goto(await linkSentTo(admin, `${username}@example.com`));
    await reset(tab).password.fill(NEXT_PASSWORD);
    await reset(tab).confirmation.fill(NEXT_PASSWORD);
    await reset(tab).submit.click();
    for (const each of [tab, page]) {
      await expect(each).toHaveURL(/\/auth$/);
      await expect(each.getByRole('button', { name: 'Sign in' })).toBeVisible();
    }
  });
});
