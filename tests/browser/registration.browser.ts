/**
 * Registration, a forgotten password and the link that resets it, with the real mail outbox (specification §2, §5, §8).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, fillSignIn, test, uniqueName } from './fixtures.ts';
import { linkSentTo, type PasswordForm, registration, reset } from './password-forms.ts';
import { createUsername, FIRST_PASSWORD, recordToasts, sessionFlag } from './test-users.ts';

test.use({ reusesPages: true });

const NEXT_PASSWORD = 'Next-password-2';
const TOO_SHORT = 'Password must be at least 10 characters';
const RULE =
  'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character';
const DIFFER = "Passwords don't match";
const CONFIRM = 'Please confirm your password';

/**
 * Breaks each password rule of specification §5, one after another, and expects its message. Then enters
 * `NEXT_PASSWORD` in both fields, and shows and hides it.
 */
async function expectRules(page: Page, { password, confirmation, submit }: PasswordForm): Promise<void> {
  await submit.click();
  await expect(page.getByText(CONFIRM)).toBeVisible();
  await expect(page.getByText(TOO_SHORT)).toBeVisible();
  for (const [tried, message] of [
    ['Short-1', TOO_SHORT],
    ['lowercase-only-1', RULE],
    ['UPPERCASE-ONLY-1', RULE],
    ['No-digit-at-all', RULE],
    ['NoSpecialCharacter1', RULE],
  ] as const) {
    await password.fill(tried);
    await expect(page.getByText(message), tried).toBeVisible();
  }
  await password.fill(NEXT_PASSWORD);
  await expect(page.getByText(RULE)).toHaveCount(0);
  await confirmation.fill('Something-else-3');
  await expect(page.getByText(DIFFER)).toBeVisible();
  await confirmation.fill(NEXT_PASSWORD);
  await expect(page.getByText(DIFFER)).toHaveCount(0);

  for (const field of [password, confirmation]) {
    await expect(field).toHaveAttribute('type', 'password');
    await field.locator('..').getByRole('button', { name: 'Show password' }).click();
    await expect(field).toHaveAttribute('type', 'text');
    await field.locator('..').getByRole('button', { name: 'Hide password' }).click();
    await expect(field).toHaveAttribute('type', 'password');
  }
}

test.describe('registering', () => {
  test('creates an account, signs in and opens the link that the user came with', async ({ openFor }) => {
    const page = await openFor('anonymous');
    const shownToasts = await recordToasts(page);
    const name = uniqueName('person').replace(' ', '-');
    await page.goto('/crosswalks?q=alpha');
    await page.getByRole('link', { name: 'Create an account' }).click();
    const { password, confirmation, submit } = registration(page);

    await submit.click();
    await expect(page.getByText('Invalid email format')).toBeVisible();
    await page.getByLabel(/^E-mail/).fill('not an address');
    await expect(page.getByText('Invalid email format')).toBeVisible();
    await page.getByLabel(/^E-mail/).fill(`${name}@example.com`);
    await expect(page.getByText('Invalid email format')).toHaveCount(0);
    await expectRules(page, { password, confirmation, submit });

    for (const [label, value] of [
      ['First name', 'Ada'],
      ['Last name', 'Byron'],
      ['Display name', 'Ada Byron'],
      ['Phone number', '+44 20 7946 0000'],
      ['Department', 'Engines'],
      ['Job title', 'Analyst'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).fill(value);
    }
    await submit.click();
    await expect(page).toHaveURL(/\/crosswalks\?q=alpha$/);
    await expect.poll(() => shownToasts).toContainEqual(['Registration successful']);
    await expect(page.getByText(`Welcome, ${name}`)).toBeVisible();
    expect(await sessionFlag(page)).not.toBeNull();

    const admin = await openFor('admin');
    // The list has the new user once the projector has processed the registration.
    const findUsers = async () => (await callApi<{ items: object[] }>(admin, 'GET', `/api/users?q=${name}`)).items;
    await expect.poll(findUsers).toMatchObject([
      {
        username: name,
        email: `${name}@example.com`,
        roleName: 'Viewer',
        firstName: 'Ada',
        lastName: 'Byron',
        displayName: 'Ada Byron',
        phoneNumber: '+44 20 7946 0000',
        department: 'Engines',
        jobTitle: 'Analyst',
        authProvider: 'local',
        requirePasswordChange: false,
      },
    ]);
  });
});

test.describe('a forgotten password', () => {
  test('is replaced once through the link of a mail', async ({ openFor }) => {
    const admin = await openFor('admin');
    const username = await createUsername(admin);
    const address = `${username}@example.com`;
    const page = await openFor('anonymous');
    const shownToasts = await recordToasts(page);

    await test.step('requests the mail', async () => {
      await page.goto('/auth');
      await page.getByRole('link', { name: 'Forgot password?' }).click();
      const send = page.getByRole('button', { name: 'Send reset email' });
      await send.click();
      await expect(page.getByText('Invalid email format')).toBeVisible();
      await page.getByLabel(/^E-mail/).fill(address);
      await page.context().setOffline(true);
      await send.click();
      const dialog = page.getByRole('alertdialog', { name: 'Failed to send reset email' });
      await expect(dialog).toContainText('The server cannot be reached. Check your connection and try again.');
      await dialog.getByRole('button', { name: 'OK' }).click();
      await page.context().setOffline(false);
      await send.click();
      await expect
        .poll(() => shownToasts)
        .toContainEqual(['Password reset email sent', 'Check your email for instructions to reset your password.']);
    });

    await test.step('opens the form from the link in the mail', async () => {
      await page.goto(await linkSentTo(admin, address));
      await expect(page.getByLabel(/^Token/)).not.toHaveValue('');
      await expectRules(page, reset(page));
    });

    await test.step('refuses a recent password', async () => {
      await reset(page).password.fill(FIRST_PASSWORD);
      await reset(page).confirmation.fill(FIRST_PASSWORD);
      await reset(page).submit.click();
      const dialog = page.getByRole('alertdialog', { name: 'Password reset failed' });
      await expect(dialog).toContainText('Choose a password that is not one of your last 5');
      await dialog.getByRole('button', { name: 'OK' }).click();
    });

    await test.step('accepts a new password, and signs in with it', async () => {
      await reset(page).password.fill(NEXT_PASSWORD);
      await reset(page).confirmation.fill(NEXT_PASSWORD);
      await reset(page).submit.click();
      await expect(page).toHaveURL(/\/auth$/);
      await expect
        .poll(() => shownToasts)
        .toContainEqual(['Password reset successful', 'You can now login with your new password.']);
      await expect(page.getByRole('note')).toContainText('Password reset successful');
      await fillSignIn(page, username, NEXT_PASSWORD);
      await expect(page.getByText(`Welcome, ${username}`).first()).toBeVisible();
    });

    await test.step('refuses the token of a used link', async () => {
      const secondBrowser = await openFor('anonymous');
      const link = new URL(await linkSentTo(admin, address), 'http://mail.example');
      await secondBrowser.goto('/reset-password');
      await secondBrowser.getByLabel(/^Token/).fill(link.searchParams.get('token') ?? '');
      await reset(secondBrowser).password.fill('Third-password-3');
      await reset(secondBrowser).confirmation.fill('Third-password-3');
      await reset(secondBrowser).submit.click();
      await expect(secondBrowser.getByRole('alertdialog', { name: 'Password reset failed' })).toContainText(
        'This link is not valid any more. Please ask for a new one.',
      );
    });
  });
});
