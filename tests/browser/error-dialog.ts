/** Finds and closes the error dialog, reads the recorded errors of the page, and expects error responses of the API. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export const errorDialog = (page: Page, title: string) => page.getByRole('alertdialog', { name: title });

export async function dismissError(page: Page, title: string): Promise<void> {
  await errorDialog(page, title).getByRole('button', { name: 'OK' }).click();
  await expect(errorDialog(page, title)).toBeHidden();
}

/** Sends a POST request outside of the page, with the cookies of the page, and expects an error response. */
export async function expectApiRefusal(page: Page, path: string, data: object): Promise<void> {
  const { origin } = new URL(page.url());
  const response = await page.request.post(path, { data, headers: { Origin: origin } });
  expect(response.ok(), path).toBe(false);
}

/** Returns title and description of the errors in `window.pendingErrors`, the list that the app keeps for scripts. */
export const pendingErrors = (page: Page) =>
  page.evaluate(() =>
    ((window as { pendingErrors?: { title: string; description: string }[] }).pendingErrors ?? []).map(
      ({ title, description }) => [title, description],
    ),
  );
