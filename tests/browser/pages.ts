/** Lists the pages of the application, and finds an address with data for each page. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { createCityRelationship } from './cities-and-countries.ts';
import { callApi, expect, type People, uniqueName } from './fixtures.ts';

const FEATURES = join(import.meta.dirname, '../../web/src/features');

/** Returns the paths and titles of all pages, read from the manifests of the features. A path may have parameters. */
export function routes(): { path: string; title: string; isPublic: boolean }[] {
  return readdirSync(FEATURES)
    .map((feature) => join(FEATURES, feature, 'routes.tsx'))
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const manifest = readFileSync(file, 'utf8');
      return [...manifest.matchAll(/\{[^{}]*?\bpath: '([^']+)'[^{}]*?\btitle: '([^']+)'[^{}]*\}/g)];
    })
    .map(([route, path = '', title = '']) => ({ path, title, isPublic: route.includes("access: 'public'") }));
}

/** The name of a relationship that is created once per worker for the pages of relationships. */
export const RELATIONSHIP_NAME = uniqueName('Cities of these pages');

let isRelationshipCreated = false;

/** Creates the relationship, if this worker has not done so yet. */
export async function createRelationshipOnce(openFor: People['openFor']): Promise<void> {
  if (isRelationshipCreated) return;
  await createCityRelationship(await openFor('steward'), await openFor('approver'), RELATIONSHIP_NAME);
  isRelationshipCreated = true;
}

/** For paths with an id: the list that contains the item, and a part of the item's name. */
const SAMPLES: readonly { prefix: string; list: string; namePart: string }[] = [
  { prefix: '/relationships/:', list: '/api/relationships', namePart: RELATIONSHIP_NAME },
  { prefix: '/crosswalk/comparison/:', list: '/api/reference-data', namePart: 'Countries, alpha-3' },
  { prefix: '/crosswalks/:', list: '/api/crosswalks', namePart: 'alpha-2' },
  { prefix: '/reference-data/:', list: '/api/reference-data', namePart: 'Countries, alpha-2' },
  { prefix: '/collections/:', list: '/api/collections', namePart: 'Geography' },
];

/** Replaces the parameter of a path by the id of an item or, in the help, by the name of a page. */
export async function addressOf(page: Page, path: string): Promise<string> {
  if (!path.includes(':')) return path;
  // This help page has a table and links.
  if (path === '/help/:page') return '/help/errors';
  const sample = SAMPLES.find(({ prefix }) => path.startsWith(prefix));
  expect(sample, `sample data for ${path}`).toBeDefined();
  const answer = await callApi<{ items: { id: number; name: string }[] }>(page, 'GET', `${sample?.list}?pageSize=1000`);
  const found = answer.items.find(({ name }) => name.includes(sample?.namePart ?? ''));
  expect(found, `${sample?.namePart} among ${sample?.list}`).toBeDefined();
  return path.replace(/:\w+/, String(found?.id));
}

export async function waitUntilLoaded(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
  await expect(page.locator('[aria-busy="true"], .animate-pulse')).toHaveCount(0);
  await expect(page.getByText('Loading...')).toHaveCount(0);
}

/** Limits lists to five rows to save time. Has an effect only before the first page is loaded. */
export async function limitRows(page: Page): Promise<void> {
  if (page.url() !== 'about:blank') return;
  await page.goto('/favicon.svg');
  await page.evaluate(() => sessionStorage.setItem('preferredPageSize', '5'));
}
