/** Playwright fixtures: pages of signed-in users, each in its own context, and API calls that prepare data. */
import { randomUUID } from 'node:crypto';
import {
  type Browser,
  type BrowserContext,
  test as base,
  chromium,
  type Disposable,
  expect,
  type Locator,
  type Page,
} from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from './chromium.ts';
import { ADMIN_PASSWORD, SAMPLE_PASSWORD } from './stack.ts';

export type Username = 'admin' | 'steward' | 'approver' | 'viewer';

export interface People {
  /** Opens a page for a user. The user is signed in, except for `anonymous`. */
  openFor: (username: Username | 'anonymous', options?: OpenOptions) => Promise<Page>;
  /**
   * Returns a page that the tests of a file share for this user and width. Each test must leave the page as it found
   * it. Navigate with `visit`, which does not load the app again.
   */
  sharedPageFor: (username: Username | 'anonymous', size?: { width: number; height: number }) => Promise<Page>;
  baseUrl: string;
  /**
   * Whether tests reuse the pages of earlier tests after a reset. A reused page loads in half the processor time. Open
   * an `unshared` page for an empty browser cache, and for changes that a reset does not undo: an installed clock, a
   * routed WebSocket, routes and listeners of the context. Init scripts and exposed functions need `removeAfterTest`.
   */
  reusesPages: boolean;
}

interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
  /** Whether to open a new page, which is closed at the end of the test. */
  unshared?: boolean;
}

const DESKTOP = { width: 1440, height: 900 };

export interface Shared {
  ownBrowser: Browser;
  /** Cookies of users who have signed in: each user signs in once per worker. */
  sessions: Map<Username, Awaited<ReturnType<BrowserContext['cookies']>>>;
  /** Pages of finished tests by base URL: signed out, with empty storage, and each in a context without other pages. */
  idlePages: Map<string, Page[]>;
  sharedPages: SharedPages;
}

/** The shared pages of one test file, by user and width. */
interface SharedPages {
  file: string;
  byPerson: Map<string, Page>;
}

export const test = base.extend<People, Shared>({
  ownBrowser: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a pattern even if the fixture uses no other fixture.
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
      await use(new Map());
    },
    { scope: 'worker' },
  ],
  sharedPages: [
    // biome-ignore lint/correctness/noEmptyPattern: see above.
    async ({}, use) => {
      await use({ file: '', byPerson: new Map() });
    },
    { scope: 'worker' },
  ],
  reusesPages: [false, { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: see above.
  baseUrl: async ({}, use) => {
    await use(process.env['BASE_URL'] ?? '');
  },
  openFor: async ({ ownBrowser, sessions, idlePages, sharedPages, reusesPages, baseUrl }, use, info) => {
    await closeSharedPagesOfOtherFiles(sharedPages, info.file);
    const idle = idlePages.get(baseUrl) ?? [];
    idlePages.set(baseUrl, idle);
    const pages: { page: Page; isReusable: boolean }[] = [];
    const crashes: string[] = [];
    await use(async (username, options = {}) => {
      const isReusable = reusesPages && !options.unshared;
      const page =
        (isReusable ? idle.pop() : undefined) ??
        (await (await ownBrowser.newContext({ baseURL: baseUrl, viewport: DESKTOP })).newPage());
      pages.push({ page, isReusable });
      // Set the size of the page only: other tests reuse the context, and new tabs get the size of the context.
      const { width = DESKTOP.width, height = DESKTOP.height, dark = false } = options;
      await page.setViewportSize({ width, height });
      // Animations are off, because drawing their frames costs processor time.
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
      page.on('pageerror', (error) => crashes.push(`${username} at ${page.url()}: ${error.message}`));
      if (username !== 'anonymous') await addSession(page, username, sessions);
      return page;
    });
    for (const { page, isReusable } of pages) {
      const { status, expectedStatus } = info;
      if (isReusable && status === expectedStatus && (await resetPage(page, baseUrl))) idle.push(page);
      else await page.context().close();
    }
    expect(crashes, 'no page threw an error').toEqual([]);
  },
  sharedPageFor: async ({ ownBrowser, sessions, sharedPages, baseUrl }, use, info) => {
    await closeSharedPagesOfOtherFiles(sharedPages, info.file);
    const crashes: string[] = [];
    const usedPages: { page: Page; listener: (error: Error) => void }[] = [];
    await use(async (username, size = DESKTOP) => {
      const key = `${username} ${size.width}`;
      let page = sharedPages.byPerson.get(key);
      if (page === undefined || page.isClosed()) {
        page = await (await ownBrowser.newContext({ baseURL: baseUrl, viewport: size })).newPage();
        if (username !== 'anonymous') await addSession(page, username, sessions);
        sharedPages.byPerson.set(key, page);
      }
      const opened = page;
      const listener = (error: Error) => void crashes.push(`${username} at ${opened.url()}: ${error.message}`);
      opened.on('pageerror', listener);
      usedPages.push({ page: opened, listener });
      return opened;
    });
    for (const { page, listener } of usedPages) page.off('pageerror', listener);
    expect(crashes, 'no page threw an error').toEqual([]);
  },
});

/** Closes the shared pages of other test files: they would continue to read live changes. */
async function closeSharedPagesOfOtherFiles(shared: SharedPages, file: string): Promise<void> {
  if (shared.file === file) return;
  const pages = [...shared.byPerson.values()];
  shared.byPerson.clear();
  shared.file = file;
  for (const page of pages) await page.context().close();
}

/** Signs the context of the page in, with the session cookies of the user if this worker has them. */
async function addSession(page: Page, username: Username, sessions: Shared['sessions']): Promise<void> {
  const cookies = sessions.get(username);
  if (cookies !== undefined) {
    await page.context().addCookies(cookies);
    return;
  }
  await signInByApi(page, username, username === 'admin' ? ADMIN_PASSWORD : SAMPLE_PASSWORD);
  sessions.set(username, await page.context().cookies());
}

/** Navigates by the router if the page shows the app; otherwise loads the address. */
export async function visit(page: Page, address: string): Promise<void> {
  if (!page.url().startsWith('http') || page.url().endsWith('.svg')) {
    await page.goto(address);
    return;
  }
  const { href } = new URL(address, page.url());
  await Promise.all([
    // Wait for the navigation, so that assertions on the address do not see the previous address.
    page.waitForEvent('framenavigated', (frame) => frame === page.mainFrame() && frame.url() === href),
    page.evaluate((to) => {
      if (new URL(to).pathname !== location.pathname) document.querySelector('h1')?.setAttribute('data-left', '');
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate', { state: null }));
    }, href),
  ]);
  // The router shows the previous page until the code of the next one has loaded.
  await expect(page.locator('h1[data-left]')).toHaveCount(0);
}

/** The init scripts and functions that `resetPage` removes. */
const additions = new WeakMap<Page, Disposable[]>();

/** Removes an init script or an exposed function before another test reuses the page. */
export function removeAfterTest(page: Page, ...added: Disposable[]): void {
  additions.set(page, [...(additions.get(page) ?? []), ...added]);
}

/** Resets a page for the next test; returns whether the page can be reused. */
async function resetPage(page: Page, baseUrl: string): Promise<boolean> {
  if (page.isClosed()) return false;
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  page.removeAllListeners();
  for (const added of additions.get(page) ?? []) await added.dispose();
  additions.delete(page);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  // Load a document without scripts: it stores nothing, and the process of the page stays warm.
  await page.goto(`${baseUrl}/favicon.svg`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
  await page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null, media: null });
  return true;
}

/** Signs the context of the page in through the API: pages that are loaded afterwards are signed in. */
export async function signInByApi(page: Page, username: string, password: string): Promise<void> {
  await callApi(page, 'POST', '/api/login', { username, password });
}

/** Signs in through the sign-in page. */
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

/** The bar that shows the last action and offers to undo it. */
export const lastAction = (page: Page): Locator => page.getByRole('region', { name: 'Last action' });

/** Returns a unique name, so that tests do not use the data of other tests. */
export const uniqueName = (name: string): string => `${name} ${randomUUID().slice(0, 8)}`;

/** Position of the last write that this worker sent with `callApi`. */
let lastPosition: string | undefined;

/**
 * Sends an API request as the user of the page and returns the body. Repeats a read until the answer includes all
 * writes that this worker sent with `callApi`.
 */
export async function callApi<T = { id: number }>(
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
        ...(method === 'GET' && lastPosition !== undefined ? { 'X-Min-Position': lastPosition } : {}),
        ...(revision === undefined ? {} : { 'If-Match': `"${revision}"` }),
      },
    });
    // The projector has not processed an event that the answer needs.
    if (response.status() === 503 && (await response.text()).includes('"BEHIND"')) continue;
    expect(response.ok(), `${method} ${path}: ${response.status()} ${await response.text()}`).toBe(true);
    const headers = response.headers();
    if (method !== 'GET') lastPosition = headers['x-position'] ?? lastPosition;
    if (headers['x-behind'] !== 'true') return (await response.json()) as T;
  }
}

/** Holds requests until they are released, so that a test can check a busy page. */
export async function holdRequests(page: Page, url: string | RegExp): Promise<{ release: () => void }> {
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
