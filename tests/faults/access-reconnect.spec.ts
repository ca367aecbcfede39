/** Tests access changes after restarts of the event store: each change is reported once. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCESS_STREAM, type AccessEvent } from '@rdm/contracts';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { connectEventStore, createLog, type EventStore, openAccess } from '@rdm/platform';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const ROUNDS = 4;
const log = createLog('spec', 'silent');
let directory: string;
let store: EventStoreProcess;
let client: EventStore;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rdm-access-'));
  store = await startEventStoreProcess({ dir: directory, output: 'pipe' });
  client = connectEventStore(store.url);
});
afterAll(async () => {
  await client.close();
  await store.stop();
  rmSync(directory, { recursive: true, force: true });
});

const metadata = {
  ...{ $correlationId: 'c', $causationId: 'c', actorId: null, requestId: 'r' },
  ...{ sourceType: 'SYSTEM' as const, occurredAt: '2026-01-01T00:00:00.000Z', dataSetIds: [] },
};

/** Repeats an append until the store answers. */
async function append(event: AccessEvent, expected: number): Promise<void> {
  const id = randomUUID();
  const expectedRevision = expected < 0 ? 'NO_STREAM' : expected;
  await vi.waitFor(() => client.append(ACCESS_STREAM, [{ id, ...event, metadata }], expectedRevision), 30_000);
}

it('a deactivation is reported once if a request reads it before the subscription does', async () => {
  let revision = -1;
  for (let userId = 1; userId <= ROUNDS; userId += 1) {
    await append({ type: 'UserRegistered', data: { userId, roleId: 1 } }, revision++);
  }
  /** Subscriptions wait for this promise, so that a request reads the stream first. */
  let requestRead = Promise.resolve();
  const access = openAccess({
    ...client,
    async *subscribeToStream(...args: Parameters<EventStore['subscribeToStream']>) {
      await requestRead;
      yield* client.subscribeToStream(...args);
    },
  });
  const reported: AccessEvent[] = [];
  const stopping = new AbortController();
  const followed = access.follow(stopping.signal, log, (event) => reported.push(event));
  await vi.waitFor(() => expect(access.revision()).toBe(revision), 30_000);

  for (let userId = 1; userId <= ROUNDS; userId += 1) {
    let endWait = () => {};
    requestRead = new Promise((resolve) => {
      endWait = resolve;
    });
    await store.kill();
    store = await startEventStoreProcess({ dir: directory, port: store.port, output: 'pipe' });
    await append({ type: 'UserDeactivated', data: { userId } }, revision++);
    const state = await vi.waitFor(() => access.current(), 30_000);
    expect(state.users.get(userId)?.active).toBe(false);
    endWait();
    await vi.waitFor(() => expect(reported).toHaveLength(userId), 30_000);
  }
  expect(reported.map(({ data }) => (data as { userId: number }).userId)).toEqual([1, 2, 3, 4]);
  stopping.abort();
  await followed;
});
