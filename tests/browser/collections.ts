/** Collections that a story begins with: whose they are, and who else may do what in them. */
import type { Page } from '@playwright/test';
import { asked, own } from './fixtures.ts';

export interface Named {
  id: number;
  name: string;
}

interface Grant {
  entityType: 'user' | 'group';
  entityId: number;
  permissionLevel: 'READ' | 'WRITE' | 'APPROVER' | 'ADMIN';
}

export const idOf = async (page: Page): Promise<number> => (await asked(page, 'GET', '/api/user')).id;

/** What lets the person of a page do something in a collection. */
export const grantTo = async (page: Page, permissionLevel: Grant['permissionLevel']): Promise<Grant> => ({
  entityType: 'user',
  entityId: await idOf(page),
  permissionLevel,
});

/** A collection of the page's person. */
export async function aCollection(page: Page, grants: readonly Grant[] = [], name = own('Shared')): Promise<Named> {
  const { id } = await asked(page, 'POST', '/api/collections', { name, description: '', tags: [] });
  if (grants.length > 0) await asked(page, 'PUT', `/api/collections/${id}/permissions`, { permissions: grants });
  return { id, name };
}
