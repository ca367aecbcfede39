import type { RecordedEvent } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import type { EventStore } from '../event-store/event-store.ts';
import { createLog } from '../service/log.ts';
import { openAccess } from './access.ts';

const registered = (userId: number, id: string, revision: number): RecordedEvent =>
  ({
    ...{ id, revision, stream: 'access-main', position: BigInt(revision), metadata: {} },
    ...{ type: 'UserRegistered', data: { userId, roleId: 1 } },
  }) as unknown as RecordedEvent;

function accessOf(events: RecordedEvent[]) {
  const store = {
    async *read(_stream: string, from = 0) {
      yield* events.slice(from);
    },
  } as unknown as EventStore;
  return openAccess(store);
}

describe('access when another copy of the log is put in place', () => {
  it('is folded from the start if the copy is shorter', async () => {
    const events = [registered(1, 'a', 0), registered(2, 'b', 1)];
    const access = accessOf(events);
    expect([...(await access.current()).users.keys()]).toEqual([1, 2]);
    events.pop();
    expect([...(await access.current()).users.keys()]).toEqual([1]);
    expect(access.revision()).toBe(0);
  });

  it('is folded from the start if the copy has other events at the same revisions', async () => {
    const events = [registered(1, 'a', 0), registered(2, 'b', 1)];
    const access = accessOf(events);
    await access.current();
    events.splice(1, 1, registered(3, 'c', 1), registered(4, 'd', 2));
    expect([...(await access.current()).users.keys()]).toEqual([1, 3, 4]);
    expect([...access.snapshot().users.keys()]).toEqual([1, 3, 4]);
  });
});

describe('reads of access', () => {
  function accessWithReadCount() {
    let reads = 0;
    const store = {
      async *read(_stream: string, from = 0) {
        reads += 1;
        yield* [registered(1, 'a', 0)].slice(from);
      },
    } as unknown as EventStore;
    return { access: openAccess(store), reads: () => reads };
  }

  it('share a read that began at the given time or later', async () => {
    const { access, reads } = accessWithReadCount();
    const arrivedAt = performance.now();
    await Promise.all([access.current(arrivedAt), access.current(arrivedAt)]);
    await access.current(arrivedAt);
    expect(reads()).toBe(1);
  });

  it('do not share a read that began before the given time', async () => {
    const { access, reads } = accessWithReadCount();
    await access.current();
    await access.current(performance.now());
    await access.current();
    expect(reads()).toBe(3);
  });

  it('do not share a read that failed', async () => {
    let isUnavailable = true;
    const store = {
      async *read() {
        if (isUnavailable) throw new Error('The event store is unavailable');
        yield registered(1, 'a', 0);
      },
    } as unknown as EventStore;
    const access = openAccess(store);
    const arrivedAt = performance.now();
    await expect(access.current(arrivedAt)).rejects.toThrow('unavailable');
    isUnavailable = false;
    expect([...(await access.current(arrivedAt)).users.keys()]).toEqual([1]);
  });
});

describe('following access', () => {
  it('reports a change that is appended while the first read fails', async () => {
    const events = [registered(1, 'a', 0)];
    const stopping = new AbortController();
    let reads = 0;
    const store = {
      async *read(_stream: string, from = 0) {
        reads += 1;
        yield* events.slice(from);
        if (reads > 1) return;
        events.push({ ...registered(1, 'b', 1), type: 'UserDeactivated', data: { userId: 1 } });
        throw new Error('The connection was lost');
      },
      async *subscribeToStream(_stream: string, after: number | null) {
        yield* events.slice(after === null ? 0 : after + 1);
      },
    } as unknown as EventStore;
    const reported: string[] = [];
    await openAccess(store).follow(stopping.signal, createLog('spec', 'silent'), ({ type }) => {
      reported.push(type);
      stopping.abort();
    });
    expect(reported).toEqual(['UserDeactivated']);
  });
});
