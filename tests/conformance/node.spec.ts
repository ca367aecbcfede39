/** Tests the information about the node, and its answers to methods that it does not support. */
import { EventStoreDBClient, persistentSubscriptionToStreamSettingsFromDefaults } from '@eventstore/db-client';
import { connectEventStore } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { collect, events, failureOf, itOfEmbeddedStore, newStream, useStore } from './target.ts';

const store = useStore();

describe('the node', () => {
  it.each(['LEADER', 'FOLLOWER', 'RANDOM'])('is found through gossip with the preference %s', async (preference) => {
    const url = store.url.replace('esdb:', 'esdb+discover:');
    const client = EventStoreDBClient.connectionString(`${url}&nodePreference=${preference}`);
    const stream = newStream();
    await client.appendToStream(stream, events(1));
    expect(await collect(client.readStream(stream))).toHaveLength(1);
    await client.dispose();
  });

  it('returns its version and the members of its cluster', async () => {
    const connected = connectEventStore(store.url);
    expect(await connected.version()).toMatch(/^\d+\.\d+/);
    expect(await connected.members()).toContainEqual({
      address: expect.stringMatching(/:\d+$/),
      state: 'LEADER',
      isAlive: true,
    });
    await connected.close();
  });

  it('cannot be queried while nothing listens at its address', async () => {
    const unreachable = connectEventStore('esdb://127.0.0.1:1?tls=false');
    await expect(unreachable.version()).rejects.toThrow();
    await expect(unreachable.members()).rejects.toThrow();
    await unreachable.close();
  });
});

describe('methods that this store does not support', () => {
  itOfEmbeddedStore('fail with UNIMPLEMENTED in the embedded store', async () => {
    const settings = persistentSubscriptionToStreamSettingsFromDefaults();
    for (const attempt of [
      store.client.createPersistentSubscriptionToStream(newStream(), 'group', settings),
      store.client.deletePersistentSubscriptionToStream(newStream(), 'group'),
      collect(store.client.subscribeToPersistentSubscriptionToStream(newStream(), 'group')),
      store.client.createProjection('projection', 'fromAll()'),
      store.client.listProjections(),
    ]) {
      const error = await failureOf(attempt);
      expect(error.message).toMatch(/UNIMPLEMENTED: .*does not implement/);
    }
  });
});
