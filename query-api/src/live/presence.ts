/**
 * Shares the users in each room among all instances of query-api: each instance publishes the ids of its own users by
 * NOTIFY. Instances share no other state of the live channel.
 */
import { randomUUID } from 'node:crypto';
import type { Room } from '@rdm/contracts';
import type { Log, Queryable } from '@rdm/platform';
import { z } from 'zod';
import type { PostgresNotifications } from '../read-models/postgres-notifications.ts';
import { batchByKey } from './batching.ts';

/** Changes of a room within this time are published together. */
const BATCH_DELAY_MS = 100;
/** Interval at which an instance publishes its rooms again. */
export const REPEAT_EVERY_MS = 4_000;
/** The other instances remove the users of an instance that has not published for this long. */
export const EXPIRES_MS = 10_000;
/**
 * Maximum number of users in a message, because a notification of PostgreSQL has less than 8,000 bytes. Other instances
 * do not show further users.
 */
const PUBLISHED_USERS_MAX = 400;

const Message = z.object({ instance: z.string(), room: z.string(), userIds: z.array(z.number()) });

export interface Presence {
  /** Call when the local users of a room may have changed. */
  changed(room: Room): void;
  /** Removes the users of this instance from the other instances. */
  close(): Promise<void>;
}

export interface PresenceDependencies {
  db: Queryable;
  notifications: Pick<PostgresNotifications, 'on'>;
  log: Log;
  /** The users who have sockets of this instance in a room. */
  localUsers(room: Room): readonly number[];
  /** Sends the users of a room to the sockets of this instance in the room. */
  send(room: Room, userIds: number[]): void;
}

export function openPresence({ db, notifications, log, localUsers, send }: PresenceDependencies): Presence {
  const instance = randomUUID();
  /** The last message of each room with local users. */
  const published = new Map<Room, string>();
  /** Users at other instances, by room and instance. */
  const remote = new Map<Room, Map<string, { userIds: readonly number[]; at: number }>>();

  const messageOf = (room: Room, userIds: readonly number[]): string =>
    JSON.stringify({ instance, room, userIds: userIds.slice(0, PUBLISHED_USERS_MAX) } satisfies z.infer<
      typeof Message
    >);

  /** A lost message needs no retry: rooms are published repeatedly, and users that are no longer published expire. */
  async function notify(messages: readonly string[]): Promise<void> {
    if (messages.length === 0) return;
    try {
      await db.query(`SELECT pg_notify('presence', message) FROM unnest($1::text[]) message`, [messages]);
    } catch (error) {
      log.warn({ err: error }, 'Presence could not be published');
    }
  }

  function publish(room: Room, userIds: readonly number[]): void {
    const [message, empty] = [messageOf(room, userIds), messageOf(room, [])];
    if (message === (published.get(room) ?? empty)) return;
    if (message === empty) published.delete(room);
    else published.set(room, message);
    void notify([message]);
  }

  const changes = batchByKey<Room>(BATCH_DELAY_MS, (room) => {
    const local = localUsers(room);
    publish(room, local);
    if (local.length === 0) return;
    const others = [...(remote.get(room)?.values() ?? [])].flatMap(({ userIds }) => userIds);
    send(room, [...new Set([...local, ...others])]);
  });

  function remove(room: Room, from: string): void {
    const instances = remote.get(room);
    if (!instances?.delete(from)) return;
    if (instances.size === 0) remote.delete(room);
    changes.changed(room);
  }

  notifications.on('presence', (payload) => {
    const { data: message } = Message.safeParse(toJson(payload));
    if (!message) log.warn({ payload: payload.slice(0, 100) }, 'A notification of presence could not be read');
    if (!message || message.instance === instance) return;
    const { instance: from, room, userIds } = message;
    if (userIds.length === 0) return remove(room, from);
    const instances = remote.get(room) ?? new Map<string, { userIds: readonly number[]; at: number }>();
    remote.set(room, instances);
    const before = instances.get(from);
    instances.set(from, { userIds, at: Date.now() });
    if (String(before?.userIds) !== String(userIds)) changes.changed(room);
  });

  const repeating = setInterval(() => {
    void notify([...published.values()]);
    const oldest = Date.now() - EXPIRES_MS;
    for (const [room, instances] of remote) for (const [from, { at }] of instances) if (at < oldest) remove(room, from);
  }, REPEAT_EVERY_MS);

  return {
    changed: (room) => changes.changed(room),
    async close() {
      clearInterval(repeating);
      changes.stop();
      const rooms = [...published.keys()];
      published.clear();
      await notify(rooms.map((room) => messageOf(room, [])));
    },
  };
}

/** Parses JSON; returns undefined for a text that is not JSON. */
function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
