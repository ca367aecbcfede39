/** Creates collections with grants for browser tests. */
import type { Page } from '@playwright/test';
import { callApi, uniqueName } from './fixtures.ts';

export interface NamedItem {
  id: number;
  name: string;
}

interface Grant {
  entityType: 'user' | 'group';
  entityId: number;
  permissionLevel: 'READ' | 'WRITE' | 'APPROVER' | 'ADMIN';
}

export const userIdOf = async (page: Page): Promise<number> => (await callApi(page, 'GET', '/api/user')).id;

/** Returns a grant for the user of a page. */
export const grantTo = async (page: Page, permissionLevel: Grant['permissionLevel']): Promise<Grant> => ({
  entityType: 'user',
  entityId: await userIdOf(page),
  permissionLevel,
});

/** Creates a collection that belongs to the user of the page. */
export async function createCollection(
  page: Page,
  grants: readonly Grant[] = [],
  name = uniqueName('Shared'),
): Promise<NamedItem> {
  const { id } = await callApi(page, 'POST', '/api/collections', { name, description: '', tags: [] });
  if (grants.length > 0) await callApi(page, 'PUT', `/api/collections/${id}/permissions`, { permissions: grants });
  return { id, name };
}
