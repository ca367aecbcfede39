/** Creates users for single tests, and records the toasts of a page. */
import type { Page } from '@playwright/test';
import { callApi, removeAfterTest, uniqueName } from './fixtures.ts';

export const FIRST_PASSWORD = 'First-password-1';

export interface TestUser {
  id: number;
  username: string;
}

/** Creates a user who may sign in; a steward by default. */
export async function createUser(admin: Page, user: object = {}): Promise<TestUser> {
  const username = uniqueName('newcomer').replace(' ', '-');
  const { id } = await callApi(admin, 'POST', '/api/users', {
    username,
    email: `${username}@example.com`,
    password: FIRST_PASSWORD,
    roleId: 2,
    requirePasswordChange: false,
    ...user,
  });
  return { id, username };
}

export const createUsername = async (admin: Page, user: object = {}): Promise<string> =>
  (await createUser(admin, user)).username;

export const sessionFlag = (page: Page) => page.evaluate(() => sessionStorage.getItem('session_exists'));
export const toasts = (page: Page) => page.locator('[role="region"][aria-label^="Notifications"] li');

/**
 * Records the texts of each toast of a page, across navigations. Most toasts close after a second: a test on a busy
 * machine could miss a toast.
 */
export async function recordToasts(page: Page): Promise<string[][]> {
  const shownToasts: string[][] = [];
  const binding = await page.exposeFunction('toastWasShown', (texts: string[]) => void shownToasts.push(texts));
  const script = await page.addInitScript(() => {
    const recordToast = (node: Node) => {
      if (!(node instanceof HTMLElement)) return;
      const card = node.matches('li') ? node : node.querySelector('li');
      if (!card?.closest('[role="region"][aria-label^="Notifications"]')) return;
      const texts = [...card.querySelectorAll('.min-w-0 > *')].map((element) => element.textContent ?? '');
      void (window as unknown as { toastWasShown: (texts: string[]) => void }).toastWasShown(texts);
    };
    new MutationObserver((changes) => {
      for (const change of changes) change.addedNodes.forEach(recordToast);
    }).observe(document, { childList: true, subtree: true });
  });
  removeAfterTest(page, binding, script);
  return shownToasts;
}
