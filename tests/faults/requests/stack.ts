/** Starts a product with the objects of the permission table, for the checks with many requests. */
import { afterAll, beforeAll } from 'vitest';
import { createFixture, type PermissionFixture } from '../../stories/permissions/fixture.ts';
import { startTestStack, type TestStack } from '../../test-stack.ts';

export const PASSWORD = 'Many-requests-1';

export let stack: TestStack;
export let fixture: PermissionFixture;

/** Starts the product before the first check of the test file, and stops it after the last one. */
export function useStack(): void {
  beforeAll(async () => {
    // The front door trusts X-Forwarded-For, so that each client can have an address of its own.
    stack = await startTestStack('requests', { adminPassword: PASSWORD, env: { TRUST_FORWARDED: 'on' } });
    fixture = await createFixture(stack.baseUrl, stack.databaseUrl, PASSWORD);
  });
  afterAll(async () => {
    await fixture?.close();
    await stack?.stop();
  });
}
