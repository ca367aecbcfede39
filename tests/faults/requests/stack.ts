/** The product that the checks with many requests share, with objects of every kind. */
import { afterAll, beforeAll } from 'vitest';
import { createFixture, type PermissionFixture } from '../../stories/permissions/fixture.ts';
import { startTestStack, type TestStack } from '../../test-stack.ts';

export const PASSWORD = 'Many-requests-1';

export let stack: TestStack;
export let fixture: PermissionFixture;
beforeAll(async () => {
  // The front door trusts the address that a proxy in front of it reports.
  stack = await startTestStack('requests', { adminPassword: PASSWORD, env: { TRUST_FORWARDED: 'on' } });
  fixture = await createFixture(stack.baseUrl, stack.databaseUrl, PASSWORD);
});
afterAll(async () => {
  await fixture?.close();
  await stack?.stop();
});
