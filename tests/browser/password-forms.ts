/** The forms that set a password, and the link of a mail that opens one of them. */
import type { Page } from '@playwright/test';
import type { MailView } from '@rdm/contracts/identity/identity';
import { callApi, expect } from './fixtures.ts';

export interface PasswordForm {
  password: ReturnType<Page['getByLabel']>;
  confirmation: ReturnType<Page['getByLabel']>;
  submit: ReturnType<Page['getByRole']>;
}

export const registration = (page: Page): PasswordForm => ({
  password: page.getByLabel(/^Password/),
  confirmation: page.getByLabel(/^Confirm password/),
  submit: page.getByRole('button', { name: 'Register' }),
});

export const reset = (page: Page): PasswordForm => ({
  password: page.getByLabel(/^New password/),
  confirmation: page.getByLabel(/^Confirm new password/),
  submit: page.getByRole('button', { name: 'Reset password' }),
});

/** Returns the password link in the newest mail to an address. Without a mail server, the outbox keeps the mails. */
export async function linkSentTo(admin: Page, address: string): Promise<string> {
  let link: string | undefined;
  await expect
    .poll(async () => {
      const query = new URLSearchParams({ q: address });
      const { items } = await callApi<{ items: MailView[] }>(admin, 'GET', `/api/mail-outbox?${query}`);
      link = items.find(({ to }) => to === address)?.text?.match(/\/reset-password\?token=\S+/)?.[0];
      return link;
    })
    .toBeDefined();
  return link ?? '';
}
