/** What a client learns of the node, and what the node says to what it does not do. */
import { EventStoreDBClient, persistentSubscriptionToStreamSettingsFromDefaults } from '@eventstore/db-client';
import { connectEventStore } from '@rdm/platform';
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

  it('says its version, and which members its cluster has', async () => {
    const connected = connectEventStore(store.url);
    expect(await connected.version()).toMatch(/^\d+\.\d+/);
    expect(await connected.members()).toContainEqual({
      address: expect.stringMatching(/:\d+$/),
      state: 'LEADER',
      isAlive: true,
    });
    await connected.close();
  });

  it('is not known while nothing listens at its address', async () => {
    const away = connectEventStore('esdb://127.0.0.1:1?tls=false');
    await expect(away.version()).rejects.toThrow();
    await expect(away.members()).rejects.toThrow();
    await away.close();
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
