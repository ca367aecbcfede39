/** Creates types, and finds their rows on the Reference Data Types page. */
import type { Locator, Page } from '@playwright/test';
import { callApi, uniqueName } from './fixtures.ts';

interface TypeSeed {
  name?: string;
  description?: string;
  schemas?: { name: string; dataType: string; isPrimaryKey: boolean }[];
}

const CODE_AND_RANK = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'rank', dataType: 'number', isPrimaryKey: false },
];

export async function createType(page: Page, seed: TypeSeed = {}): Promise<{ id: number; name: string }> {
  const name = seed.name ?? uniqueName('Type');
  const { id } = await callApi(page, 'POST', '/api/reference-types', {
    name,
    description: seed.description ?? 'Made by a test',
    schemas: seed.schemas ?? CODE_AND_RANK,
  });
  return { id, name };
}

export async function openTypeRow(page: Page, query: string): Promise<Locator> {
  await page.goto(`/reference-types?q=${encodeURIComponent(query)}`);
  return row(page, query);
}

export const row = (page: Page, text: string) =>
  page.getByRole('grid', { name: 'Reference Data Types' }).getByRole('row').filter({ hasText: text });
