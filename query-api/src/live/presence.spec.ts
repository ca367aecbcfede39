/** Tests presence at several instances that share one database, with a simulated clock. */
import { EventEmitter } from 'node:events';
import { createLog } from '@rdm/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXPIRES_MS, openPresence, type Presence, REPEAT_EVERY_MS } from './presence.ts';

const ROOM = 'crosswalk:3';
const SETTLED_MS = 500;
const log = createLog('spec', 'silent');

/** Delivers each notification to all instances including the sender, like PostgreSQL. */
let database: EventEmitter;
let payloads: string[];
const opened: Presence[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  database = new EventEmitter();
  payloads = [];
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((presence) => presence.close()));
  vi.useRealTimers();
});

function openInstance() {
  const users = new Map<string, number[]>();
  const sent: number[][] = [];
  const state = { isDead: false };
  const presence = openPresence({
    db: {
      query: async (_text: string, [messages]: [string[]]) => {
        if (state.isDead) throw new Error('This instance is dead');
        payloads.push(...messages);
        for (const message of messages) database.emit('presence', message);
      },
    } as never,
    notifications: { on: (channel, listener) => void database.on(channel, listener) },
    log,
    localUsers: (room) => users.get(room) ?? [],
    send: (_room, userIds) => sent.push(userIds),
  });
  opened.push(presence);
  return {
    presence,
    die() {
      state.isDead = true;
    },
    lastSent: () => sent.at(-1),
    async setUsers(userIds: number[], room = ROOM) {
      users.set(room, userIds);
      presence.changed(room);
      await vi.advanceTimersByTimeAsync(SETTLED_MS);
    },
  };
}

describe('presence', () => {
  it('sends each instance the users of all instances, each user once', async () => {
    const [one, other] = [openInstance(), openInstance()];
    await one.setUsers([1, 2]);
    expect(one.lastSent()).toEqual([1, 2]);
    await other.setUsers([2, 3]);
    expect([one.lastSent(), other.lastSent()]).toEqual([
      [1, 2, 3],
      [2, 3, 1],
    ]);
    await one.setUsers([]);
    expect(other.lastSent()).toEqual([2, 3]);
  });

  it('removes the users of an instance that closes', async () => {
    const [one, other] = [openInstance(), openInstance()];
    await one.setUsers([1]);
    await other.setUsers([2]);
    await other.presence.close();
    await vi.advanceTimersByTimeAsync(SETTLED_MS);
    expect(one.lastSent()).toEqual([1]);
  });

  it('removes the users of an instance that stops publishing', async () => {
    const [one, other, dead] = [openInstance(), openInstance(), openInstance()];
    await one.setUsers([1]);
    await other.setUsers([2]);
    await dead.setUsers([3]);
    expect(one.lastSent()).toEqual([1, 2, 3]);
    dead.die();
    await vi.advanceTimersByTimeAsync(EXPIRES_MS + REPEAT_EVERY_MS + SETTLED_MS);
    expect(one.lastSent()).toEqual([1, 2]);
  });

  it('reaches an instance that starts later, at the next regular publication', async () => {
    const one = openInstance();
    await one.setUsers([1]);
    const laterInstance = openInstance();
    await laterInstance.setUsers([2]);
    expect(laterInstance.lastSent()).toEqual([2]);
    await vi.advanceTimersByTimeAsync(REPEAT_EVERY_MS + SETTLED_MS);
    expect(laterInstance.lastSent()).toEqual([2, 1]);
  });

  it('is published once per change, and not repeated for an empty room', async () => {
    const one = openInstance();
    await one.setUsers([1]);
    await one.setUsers([1]);
    expect(payloads).toHaveLength(1);
    await one.setUsers([]);
    await vi.advanceTimersByTimeAsync(2 * REPEAT_EVERY_MS);
    expect(payloads.map((payload) => JSON.parse(payload).userIds)).toEqual([[1], []]);
  });

  it('limits the message for a large room to the maximum size of PostgreSQL', async () => {
    const one = openInstance();
    const users = Array.from({ length: 1_000 }, (_, index) => 999_999_999_990_000 + index);
    await one.setUsers(users, `relationship:999999999999999:${'x'.repeat(64)}`);
    expect(Buffer.byteLength(payloads[0] ?? '')).toBeLessThan(8_000);
    expect(one.lastSent()).toHaveLength(1_000);
  });

  it('ignores a notification that it cannot read', async () => {
    const one = openInstance();
    for (const payload of ['', '{', '{"instance":"x"}', '[]']) database.emit('presence', payload);
    await one.setUsers([1]);
    expect(one.lastSent()).toEqual([1]);
  });
});
