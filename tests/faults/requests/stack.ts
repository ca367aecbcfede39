/** The product that the checks with many requests in one test file share, with objects of every kind. */
import { afterAll, beforeAll } from 'vitest';
import { createFixture, type PermissionFixture } from '../../stories/permissions/fixture.ts';
import { startTestStack, type TestStack } from '../../test-stack.ts';

export const PASSWORD = 'Many-requests-1';

export let stack: TestStack;
export let fixture: PermissionFixture;

/** Starts the product before the first check of the test file, and stops it after the last one. */
export function useStack(): void {
  beforeAll(async () => {
    // The front door trusts the address that a proxy in front of it reports.
    stack = await startTestStack('requests', { adminPassword: PASSWORD, env: { TRUST_FORWARDED: 'on' } });
    fixture = await createFixture(stack.baseUrl, stack.databaseUrl, PASSWORD);
  });
  afterAll(async () => {
    await fixture?.close();
    await stack?.stop();
  });
}
