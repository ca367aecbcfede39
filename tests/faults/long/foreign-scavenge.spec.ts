/** Tests a purge on an event store of another installation whose user may scavenge. */
import { expect, it } from 'vitest';
import { createConfirmedPurge, useForeignStore, verifyAuditLog, waitForOutcomes } from '../foreign-scavenge/purges.ts';

useForeignStore({ mayScavenge: true });

it('a purge scavenges the store itself if its user may do so', async () => {
  const { id } = await createConfirmedPurge();
  expect(await waitForOutcomes(id, 1)).toMatchObject({ status: 'DONE', command: null, stored: null, leftovers: [] });
  expect(await verifyAuditLog()).toMatchObject({ intact: true, notes: [] });
});
