/**
 * Tests the client of the product on a store with a tombstoned stream: the stream is refused as purged, but its
 * tombstone does not stop a reader of the whole log.
 */
import { randomUUID } from 'node:crypto';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { connectEventStore, type EventStore, isMark, Purged } from '@rdm/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, failureOf, temporaryDirectory } from './target.ts';

const directory = temporaryDirectory();
let store: EventStoreProcess;
let client: EventStore;
beforeAll(async () => {
  store = await startEventStoreProcess({ dir: directory.path, output: 'pipe' });
  client = connectEventStore(store.url);
  await client.append('names-types', [claim('before')], 'NO_STREAM');
  await client.append('names-roles', [claim('purged')], 'NO_STREAM');
  const official = connect(store.url);
  await official.tombstoneStream('names-roles');
  await official.dispose();
  await client.append('names-types', [claim('after')], 0);
});
afterAll(async () => {
  await client?.close();
  await store?.stop();
  directory.remove();
});

const claim = (name: string) => ({
  id: randomUUID(),
  type: 'NameClaimed',
  data: { name, ownerId: 1 },
  metadata: {
    ...{ $correlationId: 'c', $causationId: 'c', actorId: null, requestId: 'r' },
    ...{ sourceType: 'SYSTEM' as const, occurredAt: '2026-01-01T00:00:00.000Z', dataSetIds: [] },
  },
});

const readAllOf = async (stream: string) => {
  for await (const _ of client.read(stream));
};

it('the client throws Purged for a read, for the tail and for an append', async () => {
  expect(await failureOf(readAllOf('names-roles'))).toBeInstanceOf(Purged);
  expect(await failureOf(client.tail('names-roles'))).toBeInstanceOf(Purged);
  for (const expected of ['NO_STREAM', 0] as const) {
    const error = await failureOf(client.append('names-roles', [claim('again')], expected));
    expect(error).toBeInstanceOf(Purged);
    expect(error).toMatchObject({ code: 'PURGED', status: 410, message: 'This was purged' });
  }
  expect(await client.isDeleted('names-roles')).toBe(true);
});

it('the client skips the tombstone in reads of the whole log and in subscriptions to it', async () => {
  const read: string[] = [];
  for await (const { type, stream } of client.readAll(null)) read.push(`${type} ${stream}`);
  expect(read.at(-1)).toBe('NameClaimed names-types');
  expect(read.filter((event) => !event.startsWith('NameClaimed'))).toEqual([]);

  const delivered: string[] = [];
  for await (const item of client.subscribeToAll(null, new AbortController().signal)) {
    if (!isMark(item)) delivered.push(`${item.type} ${item.stream}`);
    else if (item.isCaughtUp) break;
  }
  expect(delivered).toEqual(read);
});
