/** Finds the warning before the end of a session and the sign-in button, and reads the time of the last activity. */
import type { Page } from '@playwright/test';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export const warning = (page: Page) => page.getByRole('dialog', { name: 'Session Timeout' });
export const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in' });
export const lastActivity = (page: Page) => page.evaluate(() => Number(localStorage.getItem('last-activity')));
