/** Creates users, and runs the actions of their rows on the Manage Users page. */
import type { Page } from '@playwright/test';
import { expect, visit } from './fixtures.ts';
import { createUser, type TestUser } from './test-users.ts';

export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Creates a user who may only read. */
export const createViewer = (admin: Page, user: object = {}): Promise<TestUser> =>
  createUser(admin, { roleId: 4, ...user });

/** Opens the list filtered to this user. */
export async function openListFor(page: Page, { username }: TestUser): Promise<void> {
  await visit(page, `/manage-users?q=${username}`);
  await expect(rowOf(page, username)).toHaveCount(1);
}

export async function chooseAction(page: Page, { username }: TestUser, action: string): Promise<void> {
  await rowOf(page, username)
    .getByRole('button', { name: /^Actions for row/ })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}
