/** Tests live changes in a page: batches, rooms, repeated changes, and missed changes after a reconnect. */
import type { JobMessage, LiveChange } from '@rdm/contracts/live/live';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api/index.ts';
import { coalesce, coalesceUntilPause } from './coalesce.ts';
import { type LiveSocket, liveConnection, type Watcher } from './connection.ts';
import { retryFailedReads } from './index.tsx';
import { isCached, isInRoom, rowIds } from './rooms.ts';

const change = (seq: number, more: Partial<LiveChange> = {}): LiveChange => ({
  seq,
  position: `${seq}/${seq}`,
  type: 'ReferenceTypeDefined',
  entity: 'reference-type',
  entityId: 1,
  ids: null,
  count: 1,
  revisions: null,
  changedFields: null,
  actorId: 2,
  commandId: `c${seq}`,
  ...more,
});

describe('batching changes of other users', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('flushes the first change immediately, and the following changes together at the end of the window', () => {
    const flushed: number[][] = [];
    const window = coalesce<number>((items) => flushed.push(items));
    window.add(1);
    window.add(2);
    window.add(3);
    expect(flushed).toEqual([[1]]);
    vi.advanceTimersByTime(300);
    expect(flushed).toEqual([[1], [2, 3]]);
  });

  it('flushes a change immediately after a window without changes', () => {
    const flushed: number[][] = [];
    const window = coalesce<number>((items) => flushed.push(items));
    window.add(1);
    vi.advanceTimersByTime(300);
    window.add(2);
    expect(flushed).toEqual([[1], [2]]);
  });

  it('flushes a thousand changes within a second in at most five batches', () => {
    const flushed: number[][] = [];
    const window = coalesce<number>((items) => flushed.push(items));
    for (let index = 0; index < 1_000; index++) {
      window.add(index);
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(1_000);
    expect(flushed.length).toBeLessThanOrEqual(5);
    expect(flushed.flat()).toHaveLength(1_000);
  });
});

describe('own changes', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('are batched until a pause', () => {
    const flushed: number[][] = [];
    const coalescer = coalesceUntilPause<number>((items) => flushed.push(items));
    coalescer.add(1);
    vi.advanceTimersByTime(399);
    coalescer.add(2);
    vi.advanceTimersByTime(399);
    expect(flushed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(flushed).toEqual([[1, 2]]);
  });

  it('are flushed after two seconds at the latest', () => {
    const flushed: number[][] = [];
    const coalescer = coalesceUntilPause<number>((items) => flushed.push(items));
    for (let index = 0; index < 50; index++) {
      coalescer.add(index);
      vi.advanceTimersByTime(100);
    }
    expect(flushed).toHaveLength(2);
    vi.advanceTimersByTime(400);
    expect(flushed.flat()).toHaveLength(50);
  });

  it('are dropped when the page closes', () => {
    const flushed: number[][] = [];
    const coalescer = coalesceUntilPause<number>((items) => flushed.push(items));
    coalescer.add(1);
    coalescer.stop();
    vi.advanceTimersByTime(5_000);
    expect(flushed).toEqual([]);
  });
});

describe('rooms', () => {
  it.each([
    ['types', change(1), true],
    ['types', change(1, { entity: 'crosswalk' }), false],
    ['crosswalk:3', change(1, { entity: 'mapping', entityId: 3 }), true],
    ['crosswalk:3', change(1, { entity: 'mapping', entityId: 4 }), false],
    ['approvals', change(1, { entity: 'mapping', entityId: 4 }), true],
    ['reviews', change(1, { entity: 'mapping', entityId: 4 }), true],
    ['data-set:3', change(1, { entity: 'instance', entityId: 3 }), true],
    ['collections', change(1, { entity: 'data-set', entityId: 3 }), true],
    ['crosswalks', change(1, { entity: 'crosswalk', entityId: 3 }), true],
    ['crosswalks', change(1, { entity: 'mapping', entityId: 3 }), false],
  ])('the room %s contains %o: %s', (room, liveChange, expected) => expect(isInRoom(room, liveChange)).toBe(expected));
});

describe('a change', () => {
  it('has the ids of the changed entity or rows, or null for too many rows', () => {
    expect(rowIds(change(1, { entityId: 7 }))).toEqual([7]);
    expect(rowIds(change(1, { entity: 'mapping', entityId: 3, ids: [5, 6] }))).toEqual([5, 6]);
    expect(rowIds(change(1, { entity: 'mapping', entityId: 3, ids: null, count: 500 }))).toBeNull();
  });

  it('is cached if every changed row is cached with its new or a later revision', () => {
    const rowsChange = change(1, { ids: [5, 6], revisions: [2, 3] });
    expect(
      isCached(rowsChange, [
        {
          items: [
            { id: 5, revision: 2 },
            { id: 6, revision: 4 },
          ],
        },
      ]),
    ).toBe(true);
    expect(
      isCached(rowsChange, [
        [
          { id: 5, revision: 2 },
          { id: 6, revision: 2 },
        ],
      ]),
    ).toBe(false);
    expect(isCached(rowsChange, [[{ id: 5, revision: 2 }]])).toBe(false);
    expect(isCached(change(1), [[{ id: 1, revision: 9 }]])).toBe(false);
  });
});

const failure = (status: number) =>
  new ApiError('Failed', {
    status,
    statusText: '',
    code: undefined,
    details: undefined,
    requestId: undefined,
    retryAfter: undefined,
    serverMessage: '',
    raw: '',
  });

describe('failed reads', () => {
  it('are repeated if they are still shown and were not refused', async () => {
    const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    const requests: string[] = [];
    const observeFailing = (name: string, error: Error) =>
      new QueryObserver(queries, {
        queryKey: [name],
        queryFn: () => {
          requests.push(name);
          throw error;
        },
      });
    const failures = [
      observeFailing('unavailable', failure(503)),
      observeFailing('refused', failure(403)),
      observeFailing('left', failure(503)),
    ];
    const leave = failures.map((observer) => observer.subscribe(() => undefined));
    await vi.waitFor(() => expect(failures.every((each) => each.getCurrentResult().isError)).toBe(true));
    leave[2]?.();
    requests.length = 0;
    await retryFailedReads(queries);
    expect(requests).toEqual(['unavailable']);
    queries.clear();
  });
});

describe('the connection', () => {
  type Emitted = { event: string; argument: unknown; answer: (response: never) => void };

  function fakeSocket() {
    const handlers = new Map<string, (argument?: unknown) => void>();
    const emitted: Emitted[] = [];
    let accessChanges = 0;
    let returns = 0;
    let refusals = 0;
    const socket = {
      active: true,
      connected: false,
      recovered: false,
      on: (event: string, handler: (argument?: unknown) => void) => handlers.set(event, handler),
      emit: (event: string, argument: unknown, answer: (response: never) => void) =>
        emitted.push({ event, argument, answer }),
      disconnect: () => undefined,
    };
    const take = (event: string): Emitted => {
      const index = emitted.findIndex((message) => message.event === event);
      const [message] = emitted.splice(index, 1);
      if (index < 0 || message === undefined) throw new Error(`${event} was not sent`);
      return message;
    };
    return {
      socket,
      live: liveConnection(socket as unknown as LiveSocket, {
        onSessionEnd: () => undefined,
        onRefused: () => refusals++,
        onAccess: () => accessChanges++,
        onReturn: () => returns++,
      }),
      returns: () => returns,
      refusals: () => refusals,
      accessChanges: () => accessChanges,
      receive: (event: string, argument?: unknown) => handlers.get(event)?.(argument),
      answer: (event: string, response: unknown) => take(event).answer(response as never),
      take,
      sent: () => emitted.map(({ event, argument }) => `${event} ${argument}`),
      connect(recovered = false) {
        socket.connected = true;
        socket.recovered = recovered;
        handlers.get('connect')?.();
      },
      drop() {
        socket.connected = false;
        handlers.get('disconnect')?.();
      },
    };
  }

  function testWatcher() {
    const delivered: number[] = [];
    const jobs: JobMessage[] = [];
    let gaps = 0;
    const watcher: Watcher = {
      onChange: ({ seq }) => delivered.push(seq),
      onGap: () => gaps++,
      onJob: (job) => jobs.push(job),
    };
    return { watcher, delivered, jobs, gaps: () => gaps };
  }

  it('reports a connection that the server ended or refused', () => {
    const { socket, connect, receive, drop, refusals } = fakeSocket();
    receive('connect_error', new Error('xhr poll error'));
    connect();
    drop();
    expect(refusals()).toBe(0);
    socket.active = false;
    receive('connect_error', new Error('Sign in first'));
    connect();
    drop();
    expect(refusals()).toBe(2);
  });

  it('joins a room once for all watchers, and leaves the room after the last watcher', () => {
    const { live, connect, sent } = fakeSocket();
    const first = live.watch('types', testWatcher().watcher);
    connect();
    const second = live.watch('types', testWatcher().watcher);
    expect(sent()).toEqual(['join types']);
    first();
    expect(sent()).toEqual(['join types']);
    second();
    expect(sent()).toEqual(['join types', 'leave types']);
  });

  it('reports a gap after the first join, because earlier changes were not delivered', () => {
    const { live, connect, answer } = fakeSocket();
    const { watcher, gaps } = testWatcher();
    live.watch('types', watcher);
    connect();
    answer('join', { ok: true, seq: 5 });
    expect(gaps()).toBe(1);
  });

  it('delivers a change of several rooms once', () => {
    const { live, connect, receive } = fakeSocket();
    const { watcher, delivered } = testWatcher();
    live.watch('types', watcher);
    live.watch('approvals', watcher);
    connect();
    receive('change', change(7));
    receive('change', change(7));
    expect(delivered).toEqual([7]);
  });

  it('requests missed changes after a reconnect, and delivers each change once', () => {
    const { live, connect, drop, receive, answer, take } = fakeSocket();
    const { watcher, delivered, gaps } = testWatcher();
    live.watch('types', watcher);
    connect();
    answer('join', { ok: true, seq: 5 });
    receive('change', change(6));
    drop();
    expect(live.state()).toBe('lost');
    connect();
    answer('join', { ok: true, seq: 9 });
    const emitted = take('since');
    expect(emitted.argument).toBe(6);
    receive('change', change(9));
    emitted.answer({ complete: true, seq: 9, changes: [change(7), change(8), change(9)] } as never);
    expect(delivered.sort()).toEqual([6, 7, 8, 9]);
    expect(gaps()).toBe(1);
  });

  it('reports a gap if the server cannot return all missed changes', () => {
    const { live, connect, drop, answer } = fakeSocket();
    const { watcher, gaps } = testWatcher();
    live.watch('types', watcher);
    connect();
    answer('join', { ok: true, seq: 5 });
    drop();
    connect();
    answer('join', { ok: true, seq: 99_999 });
    answer('since', { complete: false, seq: 99_999, changes: [] });
    expect(gaps()).toBe(2);
  });

  it('does not join rooms again if the server recovered the connection', () => {
    const { live, connect, drop, answer, sent } = fakeSocket();
    live.watch('types', testWatcher().watcher);
    connect();
    answer('join', { ok: true, seq: 5 });
    drop();
    connect(true);
    expect(sent()).toEqual([]);
  });

  it('reports each reconnect, but not the first connection', () => {
    const { connect, drop, returns } = fakeSocket();
    connect();
    expect(returns()).toBe(0);
    drop();
    connect();
    drop();
    connect(true);
    expect(returns()).toBe(2);
  });

  it('reports a change of the user’s own access levels', () => {
    const { accessChanges, receive } = fakeSocket();
    receive('access', { collectionId: 3 });
    expect(accessChanges()).toBe(1);
  });

  it('delivers the progress of a job only to its watchers', () => {
    const { live, connect, receive } = fakeSocket();
    const one = testWatcher();
    const other = testWatcher();
    live.watch('job:1', one.watcher);
    live.watch('job:2', other.watcher);
    connect();
    receive('job', { jobId: 1, progress: 50 });
    expect(one.jobs).toHaveLength(1);
    expect(other.jobs).toHaveLength(0);
  });
});
