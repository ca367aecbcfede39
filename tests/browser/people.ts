/** People in browsers: each in a context of their own, signed in through the sign-in page. */
import { type Browser, type BrowserContext, test as base, chromium, type Page } from '@playwright/test';
import { findChromium } from './chromium.ts';
import { ADMIN_PASSWORD, SAMPLE_PASSWORD } from './stack.ts';

export type Username = 'admin' | 'steward' | 'approver' | 'viewer';

interface People {
  /** Opens a page for somebody; signed in unless told otherwise. */
  openFor: (username: Username | 'stranger', options?: OpenOptions) => Promise<Page>;
  baseUrl: string;
}

interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

// Without these flags a sandboxed machine's Chromium calls home, or cannot start as root.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const test = base.extend<People, { ownBrowser: Browser }>({
  ownBrowser: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a pattern even where nothing is used.
    async ({}, use) => {
      const browser = await chromium.launch({ executablePath: await findChromium(), args: ARGS });
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: see above.
  baseUrl: async ({}, use) => {
    await use(process.env['BASE_URL'] ?? '');
  },
  openFor: async ({ ownBrowser, baseUrl }, use, testInfo) => {
    const contexts: BrowserContext[] = [];
    await use(async (username, options = {}) => {
      const context = await ownBrowser.newContext({
        baseURL: baseUrl,
        viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
        colorScheme: options.dark ? 'dark' : 'light',
      });
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => testInfo.annotations.push({ type: 'page error', description: error.message }));
      if (username !== 'stranger') await signIn(page, username);
      return page;
    });
    for (const context of contexts) await context.close();
  },
});

/** Signs in through the page, as people do. */
export async function signIn(page: Page, username: Username, password?: string): Promise<void> {
  await page.goto('/auth');
  await page.getByLabel('Username', { exact: false }).first().fill(username);
  await page
    .getByLabel('Password', { exact: true })
    .fill(password ?? (username === 'admin' ? ADMIN_PASSWORD : SAMPLE_PASSWORD));
  await page.getByRole('button', { name: /^(sign|log) in$/i }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'));
}

export { expect } from '@playwright/test';
