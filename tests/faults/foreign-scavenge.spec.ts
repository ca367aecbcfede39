/** Tests a purge on an event store whose user may not scavenge: the operator scavenges, and a check then completes the purge. */
import { followScavenge, startScavenge } from '@rdm/platform/event-store/scavenge';
import { expect, it } from 'vitest';
import { done } from '../stories/fixtures.ts';
import {
  admin,
  createConfirmedPurge,
  proxy,
  store,
  useForeignStore,
  verifyAuditLog,
  waitForOutcomes,
} from './foreign-scavenge/purges.ts';

useForeignStore({ mayScavenge: false });

it('a purge returns the command of the scavenge and the number of events still stored, and is completed once the operator has scavenged', async () => {
  const {
    id,
    plan: { events },
  } = await createConfirmedPurge();
  const reclaimingView = {
    status: 'RECLAIMING',
    command: `curl -u ops -X POST -d '{}' http://127.0.0.1:${proxy.port}/admin/scavenge`,
    stored: events,
    problem: null,
  };
  expect(await waitForOutcomes(id, 1)).toMatchObject(reclaimingView);
  expect(await verifyAuditLog()).toMatchObject({
    intact: true,
    notes: [`${events} purged events are still stored until the next scavenge of the event store`],
  });

  done(await admin.post(`/api/purges/${id}/reclaim`));
  expect(await waitForOutcomes(id, 2)).toMatchObject(reclaimingView);

  const neverAborted = new AbortController().signal;
  expect(await followScavenge(await startScavenge(store.url), neverAborted)).toMatchObject({ result: 'Success' });
  done(await admin.post(`/api/purges/${id}/reclaim`));
  expect(await waitForOutcomes(id, 3)).toMatchObject({
    ...{ status: 'DONE', command: null, stored: null, problem: null },
    leftovers: [],
  });
  expect(await verifyAuditLog()).toMatchObject({ intact: true, notes: [] });
});
