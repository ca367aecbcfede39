/** What a client learns of the node, and what the node says to what it does not do. */
import { EventStoreDBClient, persistentSubscriptionToStreamSettingsFromDefaults } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { collect, events, failure, itOfEmbeddedStore, newStream, useStore } from './target.ts';

const store = useStore();

describe('the node', () => {
  it.each(['LEADER', 'FOLLOWER', 'RANDOM'])('is found through gossip by who prefers a %s', async (preference) => {
    const url = store.url.replace('esdb:', 'esdb+discover:');
    const client = EventStoreDBClient.connectionString(`${url}&nodePreference=${preference}`);
    const stream = newStream();
    await client.appendToStream(stream, events(1));
    expect(await collect(client.readStream(stream))).toHaveLength(1);
    await client.dispose();
  });
});

describe('methods that this store leaves out', () => {
  itOfEmbeddedStore('end with "unimplemented" (embedded store only)', async () => {
    const settings = persistentSubscriptionToStreamSettingsFromDefaults();
    for (const attempt of [
      store.client.createPersistentSubscriptionToStream(newStream(), 'group', settings),
      store.client.deletePersistentSubscriptionToStream(newStream(), 'group'),
      collect(store.client.subscribeToPersistentSubscriptionToStream(newStream(), 'group')),
      store.client.createProjection('projection', 'fromAll()'),
      store.client.listProjections(),
    ]) {
      const error = await failure(attempt);
      expect(error.message).toMatch(/UNIMPLEMENTED: .*does not implement/);
    }
  });
});
