/**
 * Takes a picture of every page at two widths in both themes for `docs/screens`, and the pictures of the help. Runs on
 * request against a fresh product, never with the tests.
 */
import { join } from 'node:path';
import { createCityRelationship } from './cities-and-countries.ts';
import { test } from './fixtures.ts';
import { addressOf, RELATIONSHIP_NAME, routes } from './pages.ts';
import { takePicture } from './picture.ts';

const SCREENS = join(import.meta.dirname, '../../docs/screens');
const HELP = join(import.meta.dirname, '../../web/public/help-pictures');

const WIDTHS = [1440, 390];

const fileOf = (path: string): string => (path === '/' ? 'start' : path.slice(1).replace(/[/:]+/g, '-'));

test.beforeAll(async ({ openFor }) => {
  await createCityRelationship(await openFor('steward'), await openFor('approver'), RELATIONSHIP_NAME);
});

/** Addresses without a picture, because they redirect at once. */
const REDIRECTS = ['/auth/callback', '/crosswalks/:id'];

for (const { path, isPublic } of routes().filter((route) => !REDIRECTS.includes(route.path))) {
  test(`takes the pictures of ${path}`, async ({ openFor }) => {
    for (const width of WIDTHS)
      for (const dark of [false, true]) {
        const page = await openFor(isPublic ? 'anonymous' : 'admin', {
          width,
          height: width === 390 ? 844 : 900,
          dark,
        });
        await page.goto(await addressOf(page, path));
        await takePicture(page, join(SCREENS, `${fileOf(path)}-${width}${dark ? '-dark' : ''}.jpg`));
      }
  });
}

/** Each entry has the name of the picture, the user, and the page that the picture shows. */
const HELP_PICTURES = [
  ['import-a-list', 'steward', '/onboarding'],
  ['edit-rows', 'steward', '/reference-data/:id'],
  ['map-codes', 'steward', '/crosswalks/:id/mappings'],
  ['approve-changes', 'approver', '/approvals'],
  ['give-access', 'admin', '/collections/:id/permissions'],
  ['who-changed', 'admin', '/audit-logs'],
  ['missing-mappings', 'steward', '/missing-mappings'],
  ['monitor', 'admin', '/monitor'],
  ['reference-types', 'steward', '/reference-types'],
  ['graph', 'steward', '/reference-data/:id/graph'],
] as const;

test('takes the pictures of the help', async ({ openFor }) => {
  for (const [name, username, path] of HELP_PICTURES) {
    const page = await openFor(username, { width: 1280, height: 720 });
    await page.goto(await addressOf(page, path));
    await takePicture(page, join(HELP, `${name}.jpg`));
  }
});
