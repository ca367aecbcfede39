/**
 * Checks every page in both themes and on a phone: its title, no axe violation, no horizontal scrolling, no console
 * error.
 */
import type { ConsoleMessage, Page } from '@playwright/test';
import { expectAccessible, expectAccessibleInBothThemes } from './axe.ts';
import { expect, test, visit } from './fixtures.ts';
import { addressOf, createRelationshipOnce, limitRows, routes, waitUntilLoaded } from './pages.ts';

test.use({ reusesPages: true });
// Each page of the app has its own test, so that several workers check pages at the same time.
test.describe.configure({ mode: 'parallel' });

/** Collects console errors, except the 401 that a page gets for a visitor who is not signed in. */
function collectErrors(page: Page): { errors: string[]; stop: () => void } {
  const errors: string[] = [];
  const listener = (message: ConsoleMessage) => {
    const isExpected = message.location().url.endsWith('/api/user') && message.text().includes('401');
    if (message.type() === 'error' && !isExpected) errors.push(message.text());
  };
  page.on('console', listener);
  return { errors, stop: () => page.off('console', listener) };
}

const PHONE = { width: 390, height: 844 };

test.beforeAll(({ openFor }) => createRelationshipOnce(openFor));

test('finds the pages of the features', () => {
  expect(routes().length).toBeGreaterThan(10);
  expect(routes()).toContainEqual({ path: '/auth', title: 'Sign in', isPublic: true });
  expect(routes()).toContainEqual({ path: '/reference-types', title: 'Reference Data Types', isPublic: false });
});

/** Addresses of pages that axe checks at another address. */
const ALIASES = ['/api-test', '/documentation', '/reference-data/:id/instances', '/reference-types-list', '/users'];

/** Addresses that redirect at once. The tests of single sign-on cover `/auth/callback`. */
const REDIRECTS = ['/auth/callback', '/crosswalks/:id'];

for (const { path, title, isPublic } of routes().filter((route) => !REDIRECTS.includes(route.path))) {
  test(`is served, titled, accessible in both themes and usable at 390 px: ${path}`, async ({ sharedPageFor }) => {
    const person = isPublic ? 'anonymous' : 'admin';
    const page = await sharedPageFor(person);
    const phone = await sharedPageFor(person, PHONE);
    const errorCollectors = [collectErrors(page), collectErrors(phone)];
    const address = await addressOf(page, path);
    await limitRows(page);
    await visit(page, address);
    await expect(page).toHaveURL(new RegExp(`${address}$`));
    await waitUntilLoaded(page);
    await expect(page).toHaveTitle(`${title} · Reference Data Management`);
    const heading = (await page.getByRole('heading', { level: 1 }).first().textContent()) ?? '';
    if (!ALIASES.includes(path)) {
      await expectAccessibleInBothThemes(page, path, { withShell: path === '/' });
      for (const tab of await page.getByRole('tab', { selected: false }).all()) {
        const name = (await tab.textContent()) ?? '';
        await tab.click();
        await waitUntilLoaded(page);
        await expectAccessible(page, `${path}, tab ${name}`);
      }
    }

    // The phone loads the address, because every page has to open from its address.
    await limitRows(phone);
    await phone.goto(address);
    await waitUntilLoaded(phone);
    await expect(phone).toHaveTitle(`${title} · Reference Data Management`);
    await expect(phone).toHaveURL(new RegExp(`${address}$`));
    // Loading the address shows the same page as the router.
    await expect(phone.getByRole('heading', { level: 1 }).first()).toHaveText(heading);
    const sideways = await phone.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main, [data-scrolls]:has(main)')]
        .filter((element) => element.scrollWidth > element.clientWidth)
        .map((element) => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
    );
    expect(sideways, 'elements wider than a screen of 390 px').toEqual([]);
    for (const { errors, stop } of errorCollectors) {
      stop();
      expect(errors).toEqual([]);
    }
  });
}
