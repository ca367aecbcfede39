/** People in browsers: each in a context of their own, and how a story prepares what it begins with. */
import { randomUUID } from 'node:crypto';
import { type Browser, type BrowserContext, test as base, chromium, expect, type Page } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from './chromium.ts';
import { ADMIN_PASSWORD, SAMPLE_PASSWORD } from './stack.ts';

export type Username = 'admin' | 'steward' | 'approver' | 'viewer';

interface People {
  /** Opens a page for somebody; signed in unless they are a stranger. */
  openFor: (username: Username | 'stranger', options?: OpenOptions) => Promise<Page>;
  baseUrl: string;
  /**
   * `test.use({ keepsPages: true })` lets stories take over the pages of the stories before them, emptied: a warm page
   * loads in half the processor time. What a page cannot forget needs a page that is `unshared`: an init script, an
   * installed clock, an exposed function, a routed WebSocket, a route or listener of its whole context, answers that must
   * not come from the browser's cache.
   */
  keepsPages: boolean;
}

interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
  /** Opens a new page, and closes it with the story. */
  unshared?: boolean;
}

const DESKTOP = { width: 1440, height: 900 };

interface Shared {
  ownBrowser: Browser;
  /** The cookies of those who signed in already: once per person is enough for all stories. */
  sessions: Map<Username, Awaited<ReturnType<BrowserContext['cookies']>>>;
  /** Pages of ended stories, each the only one of its context: signed out, and without anything stored. */
  idlePages: Page[];
}

export const test = base.extend<People, Shared>({
  ownBrowser: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a pattern even where nothing is used.
    async ({}, use) => {
      const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS });
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  sessions: [
    // biome-ignore lint/correctness/noEmptyPattern: see above.
    async ({}, use) => {
      await use(new Map());
    },
    { scope: 'worker' },
  ],
  idlePages: [
    // biome-ignore lint/correctness/noEmptyPattern: see above.
    async ({}, use) => {
      await use([]);
    },
    { scope: 'worker' },
  ],
  keepsPages: [false, { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: see above.
  baseUrl: async ({}, use) => {
    await use(process.env['BASE_URL'] ?? '');
  },
  openFor: async ({ ownBrowser, sessions, idlePages, keepsPages, baseUrl }, use, info) => {
    const pages: { page: Page; isKept: boolean }[] = [];
    const crashes: string[] = [];
    await use(async (username, options = {}) => {
      const isKept = keepsPages && !options.unshared;
      const page =
        (isKept ? idlePages.pop() : undefined) ??
        (await (await ownBrowser.newContext({ baseURL: baseUrl, viewport: DESKTOP })).newPage());
      pages.push({ page, isKept });
      // Set on the page, not on its context: the context outlives the story, and new tabs take its size.
      const { width = DESKTOP.width, height = DESKTOP.height, dark = false } = options;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      page.on('pageerror', (error) => crashes.push(`${username} at ${page.url()}: ${error.message}`));
      if (username === 'stranger') return page;
      const known = sessions.get(username);
      if (known !== undefined) {
        await page.context().addCookies(known);
      } else {
        await enter(page, username, username === 'admin' ? ADMIN_PASSWORD : SAMPLE_PASSWORD);
        sessions.set(username, await page.context().cookies());
      }
      return page;
    });
    for (const { page, isKept } of pages) {
      const { status, expectedStatus } = info;
      if (isKept && status === expectedStatus && (await emptied(page, baseUrl))) idlePages.push(page);
      else await page.context().close();
    }
    expect(crashes, 'no page threw an error').toEqual([]);
  },
});

/** Makes a page as new for another story, as far as that is possible; answers whether it is. */
async function emptied(page: Page, baseUrl: string): Promise<boolean> {
  if (page.isClosed()) return false;
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  // A document without scripts: nothing is stored again after this, and its process stays warm.
  await page.goto(`${baseUrl}/favicon.svg`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
  await page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null, media: null });
  return true;
}

/** Signs the browser in behind its pages, for stories of what comes afterwards: the next page it opens is somebody's. */
export async function enter(page: Page, username: string, password: string): Promise<void> {
  await asked(page, 'POST', '/api/login', { username, password });
}

/** Signs in through the page, as people do. */
export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/auth');
  await fillSignIn(page, username, password);
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'));
}

export async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Names of one story's own things, so that no story meets another's. */
export const own = (name: string): string => `${name} ${randomUUID().slice(0, 8)}`;

/** Position of the last thing that a story wrote behind its pages. */
let written: string | undefined;

/**
 * Does something through the API as the person of the page, and answers with what came back. What is read includes what
 * was written this way, by whomever, however busy the machine: an answer that says it is behind is asked again.
 */
export async function asked<T = { id: number }>(
  page: Page,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  data?: unknown,
  revision?: number,
): Promise<T> {
  const baseUrl = process.env['BASE_URL'] ?? '';
  for (;;) {
    const response = await page.request.fetch(`${baseUrl}${path}`, {
      method,
      ...(data === undefined ? {} : { data }),
      headers: {
        Origin: baseUrl,
        'Idempotency-Key': randomUUID(),
        ...(method === 'GET' && written !== undefined ? { 'X-Min-Position': written } : {}),
        ...(revision === undefined ? {} : { 'If-Match': `"${revision}"` }),
      },
    });
    expect(response.ok(), `${method} ${path}: ${response.status()} ${await response.text()}`).toBe(true);
    const headers = response.headers();
    if (method !== 'GET') written = headers['x-position'] ?? written;
    if (headers['x-behind'] !== 'true') return (await response.json()) as T;
  }
}

/** Keeps calls waiting until they are released, so that a busy page can be looked at. */
export async function heldBack(page: Page, url: string | RegExp): Promise<{ release: () => void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return { release };
}

export { expect };
