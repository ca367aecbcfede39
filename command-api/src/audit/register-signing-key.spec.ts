/** Tests the registration of the signing key. The store refuses an append at a revision that is not the current one. */
import type { RecordedEvent } from '@rdm/contracts';
import { type EventStore, type Log, type NewEvent, WrongRevision } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { registerSigningKey } from './register-signing-key.ts';

const log = { info: () => undefined } as unknown as Log;
const KEY = { keyId: 'a'.repeat(16), publicKey: 'first' };
const OTHER = { keyId: 'b'.repeat(16), publicKey: 'second' };

function createMemoryStore(): Pick<EventStore, 'read' | 'append'> & { events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  return {
    events,
    async *read() {
      yield* [...events];
    },
    async append(stream: string, appended: readonly NewEvent[], expected: number | 'NO_STREAM') {
      if (events.length !== (expected === 'NO_STREAM' ? 0 : expected + 1)) throw new WrongRevision(stream);
      for (const event of appended) {
        const metadata = { ...event.metadata, schemaVersion: 1 };
        events.push({ ...event, metadata, stream, revision: events.length, position: BigInt(events.length) });
      }
      return { revision: events.length - 1, position: BigInt(events.length) };
    },
  };
}

const registeredKeys = (store: ReturnType<typeof createMemoryStore>) => store.events.map(({ data }) => data);

describe('the registration of the signing key', () => {
  it('registers a key once', async () => {
    const store = createMemoryStore();
    await registerSigningKey(store, log, KEY);
    await registerSigningKey(store, log, KEY);
    expect(registeredKeys(store)).toEqual([KEY]);
    expect(store.events[0]).toMatchObject({ type: 'SigningKeyRegistered', stream: 'system-keys' });
  });

  it('registers a second key, and the first key only once', async () => {
    const store = createMemoryStore();
    for (const key of [KEY, OTHER, KEY]) await registerSigningKey(store, log, key);
    expect(registeredKeys(store)).toEqual([KEY, OTHER]);
  });

  it('registers each key once when instances start at the same time', async () => {
    const store = createMemoryStore();
    await Promise.all([KEY, OTHER, KEY, OTHER].map((key) => registerSigningKey(store, log, key)));
    expect(registeredKeys(store)).toHaveLength(2);
    expect(registeredKeys(store)).toEqual(expect.arrayContaining([KEY, OTHER]));
  });
});
