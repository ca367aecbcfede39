/**
 * The live channel: sends changes to the clients in a room, if their grants allow it at that moment. Nothing is stored for
 * a client that is away: it requests what it missed (`since`), and grants are checked again.
 */
import type { IncomingMessage } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import type { AccessEvent, ClientMessages, JobMessage, Level, LiveChange, Room, ServerMessages } from '@rdm/contracts';
import { authenticate, type Metrics, type Principal, type RunningServer } from '@rdm/platform';
import { Server, type Socket } from 'socket.io';
import { progressOf } from '../entities/jobs.ts';
import { fromOwnPage } from '../http/origin.ts';
import type { QueryContext } from '../query-context.ts';
import type { Builds } from '../read-models/builds.ts';
import type { PostgresNotifications } from '../read-models/postgres-notifications.ts';
import { batchByKey } from './batching.ts';
import { coalesceChanges } from './coalesce-changes.ts';
import { type GovernedChange, openLiveChanges } from './live-changes.ts';
import { canReceive, type NotificationRecipient, readRecipients } from './notification-recipients.ts';
import { openPresence } from './presence.ts';
import {
  findRequirements,
  mayJoin,
  mayReceiveChange,
  mayRevokeAccess,
  type RoomRequirements,
  roomsOf,
  updateLevels,
} from './rooms.ts';
import { liveSessions } from './sessions.ts';
import { stalledClients, UNREAD_CHECK_EVERY_MS, type UnreadSocket } from './stalled-clients.ts';

type SocketData = UnreadSocket['data'] & {
  principal: Principal;
  /** The user's levels on collections, as last sent. */
  levels: Map<number, Level>;
  requirements: Map<Room, RoomRequirements>;
  /** Joins in progress. */
  joining: number;
};
type LiveServer = Server<ClientMessages, ServerMessages, Record<string, never>, SocketData>;
type LiveSocket = Socket<ClientMessages, ServerMessages, Record<string, never>, SocketData>;

export interface Live {
  clients(): number;
  /** Grants changed: removes users from rooms they may no longer be in, and notifies them. */
  accessChanged(event: AccessEvent): void;
  close(): Promise<void>;
}

export interface LiveDependencies extends Pick<QueryContext, 'readModels' | 'pool' | 'access' | 'settings' | 'log'> {
  server: RunningServer;
  builds: Builds;
  notifications: PostgresNotifications;
  metrics: Metrics;
}

/** Changes read and sent at a time. */
const BATCH = 500;
/** Beyond this many missed changes a page reloads its lists. */
const SINCE_MAX = 1_000;
const ROOMS_MAX = 100;
/** Concurrent joins of a client; each runs a query. */
const JOINING_MAX = 20;
/** How often sessions are checked, and changes are read again after a failure. */
const CHECKED_EVERY_MS = 4_000;
const JOB_MESSAGE_EVERY_MS = 250;
const INSTANCE_NAME = /^[0-9a-f]{8}$/;
const hasPresence = (room: Room): boolean =>
  room === 'approvals' || room.startsWith('crosswalk:') || room.startsWith('relationship:');

export async function openLive(deps: LiveDependencies): Promise<Live> {
  const { readModels, pool, access, settings, log, server, builds, notifications, metrics } = deps;
  const changes = openLiveChanges(pool, readModels);
  const sentMessages = metrics.counter('live_messages_total', 'Live messages by kind', ['kind']);
  const connectedClients = metrics.gauge('live_clients', 'Clients of the live channel');

  const io: LiveServer = new Server(server.server, {
    path: '/socket.io',
    serveClient: false,
    maxHttpBufferSize: 16 * 1024,
    pingInterval: 20_000,
    pingTimeout: 10_000,
    perMessageDeflate: false,
    // Other WebSockets belong to the change feed.
    destroyUpgrade: false,
    allowRequest: (request: IncomingMessage, answer) => answer(null, fromOwnPage(request.headers, settings.PUBLIC_URL)),
  });

  // Behind a gateway the session id starts with the name of this instance, as only this instance knows the session.
  const generateId = io.engine.generateId.bind(io.engine);
  io.engine.generateId = (request: IncomingMessage) => {
    const { 'x-instance': name } = request.headers;
    const id = generateId(request);
    return typeof name === 'string' && INSTANCE_NAME.test(name) ? `${name}.${id}` : id;
  };

  io.use(async (socket, next) => {
    try {
      const principal = await authenticate(socket.request.headers, deps);
      if (!principal || principal.apiKey) return next(new Error('Sign in first'));
      const state = access.snapshot();
      const levels = new Map<number, Level>();
      updateLevels(levels, state, principal.userId, state.collections.keys());
      socket.data = { principal, levels, requirements: new Map(), joining: 0 };
      next();
    } catch (error) {
      log.warn({ err: error }, 'A live client could not be let in');
      next(new Error('A part of the system is restarting'));
    }
  });

  /** The seq up to which changes have been sent. */
  let seq = await changes.head();

  io.on('connection', (socket) => {
    const { userId } = socket.data.principal;
    socket.data.requirements.set(`user:${userId}`, { userId });
    void socket.join(`user:${userId}`);
    connectedClients.inc();
    socket.on('join', (room, answer) => {
      if (typeof answer !== 'function') return;
      join(socket, room).then(answer, (error: unknown) => {
        log.warn({ err: error }, 'A room could not be joined');
        answer({ ok: false, error: 'A part of the system is restarting' });
      });
    });
    socket.on('leave', (room) => {
      if (typeof room !== 'string' || room === `user:${userId}`) return;
      leave(socket, room);
    });
    socket.on('since', (after, answer) => {
      if (typeof answer !== 'function') return;
      since(socket, after).then(answer, (error: unknown) => {
        log.warn({ err: error }, 'Missed changes could not be read');
        answer({ complete: false, changes: [], seq });
      });
    });
    socket.on('disconnect', () => {
      connectedClients.dec();
      for (const room of socket.data.requirements.keys()) presenceChanged(room);
    });
  });

  async function join(socket: LiveSocket, room: unknown) {
    const refused = { ok: false as const, error: 'There is nothing here to look at' };
    const { data } = socket;
    if (typeof room !== 'string' || data.requirements.size >= ROOMS_MAX || data.joining >= JOINING_MAX) return refused;
    data.joining += 1;
    const needs = await findRequirements(readModels, room, nextProjected).finally(() => {
      data.joining -= 1;
    });
    if (!needs || !mayJoin(access.snapshot(), socket.data.principal.userId, needs)) return refused;
    if (socket.disconnected) return refused;
    socket.data.requirements.set(room, needs);
    await socket.join(room);
    presenceChanged(room);
    return { ok: true as const, seq };
  }

  function leave(socket: LiveSocket, room: Room) {
    if (!socket.data.requirements.delete(room)) return;
    void socket.leave(room);
    presenceChanged(room);
  }

  /** Resolves with the next projected batch, or after a timeout. */
  const nextProjected = (patienceMs: number) =>
    new Promise<void>((resolve) => {
      let reloads = 0;
      const stop = () => {
        clearTimeout(timer);
        unwatch();
        resolve();
      };
      const timer = setTimeout(stop, patienceMs);
      // `watch` itself starts the first reload.
      const unwatch = builds.watch(() => {
        reloads += 1;
        if (reloads > 1) stop();
      });
    });

  async function since(socket: LiveSocket, after: unknown) {
    const upTo = seq;
    if (typeof after !== 'number' || !Number.isSafeInteger(after) || after < 0) {
      return { complete: false, changes: [], seq: upTo };
    }
    // A higher seq comes from a log that has lost events since.
    if (after >= upTo) return { complete: after === upTo, changes: [], seq: upTo };
    const [missed, oldest] = await Promise.all([changes.read(after, upTo, SINCE_MAX + 1), changes.oldest()]);
    if (missed.length > SINCE_MAX || after + 1 < oldest) return { complete: false, changes: [], seq: upTo };
    const state = access.snapshot();
    const { principal } = socket.data;
    // The client was not notified of grants removed meanwhile: it may show more than it may read now.
    if (missed.some(({ change }) => mayRevokeAccess(change))) return { complete: false, changes: [], seq: upTo };
    const received = missed.filter(
      ({ change, dataSets }) =>
        roomsOf(change, state).some((room) => socket.rooms.has(room)) &&
        mayReceiveChange(state, principal.userId, change, dataSets),
    );
    return { complete: true, changes: received.map(({ change }) => change), seq: upTo };
  }

  /** Sends to the clients in the rooms that may receive it now. */
  function emit(
    rooms: Room[],
    isAllowed: (socket: LiveSocket) => boolean,
    send: (to: ReturnType<LiveServer['to']>) => void,
  ) {
    const members = io.of('/').adapter.rooms;
    const audience = new Set<string>();
    for (const room of rooms) for (const id of members.get(room) ?? []) audience.add(id);
    if (audience.size === 0) return;
    const denied: string[] = [];
    for (const id of audience) {
      const socket = io.of('/').sockets.get(id);
      if (!socket || !isAllowed(socket)) denied.push(id);
    }
    if (denied.length < audience.size) send(io.to(rooms).except(denied));
  }

  function sendChange({ change, dataSets }: GovernedChange) {
    const state = access.snapshot();
    const allowed = new Map<number, boolean>();
    const isAllowed = (socket: LiveSocket) => {
      const { userId } = socket.data.principal;
      const known = allowed.get(userId) ?? mayReceiveChange(state, userId, change, dataSets);
      allowed.set(userId, known);
      return known;
    };
    emit(roomsOf(change, state), isAllowed, (to) => to.emit('change', change satisfies LiveChange));
    sentMessages.inc({ kind: 'change' });
  }

  /** The notifications of a batch. If they cannot be read, changes are sent all the same, and pages load notifications when opened. */
  async function recipientsOf(batch: readonly GovernedChange[]): Promise<NotificationRecipient[]> {
    if (io.of('/').sockets.size === 0) return [];
    return readRecipients(readModels, batch).catch((error: unknown) => {
      log.warn({ err: error }, 'Notifications could not be read: nobody is told of them');
      return [];
    });
  }

  /** Notifies the recipients of new notifications; pages load the content. */
  function notify(recipients: readonly NotificationRecipient[]) {
    if (recipients.length === 0) return;
    const state = access.snapshot();
    const allowed = new Map<number, boolean>();
    for (const socket of io.of('/').sockets.values()) {
      const { userId } = socket.data.principal;
      const known = allowed.get(userId) ?? recipients.some((each) => canReceive(state, userId, each));
      allowed.set(userId, known);
      if (!known) continue;
      socket.emit('notified');
      sentMessages.inc({ kind: 'notified' });
    }
  }

  // One run at a time, in order of seq; a notification during a run starts another.
  let sending: Promise<void> | undefined;
  let hasMore = false;
  const sendNewChanges = () => {
    hasMore = true;
    sending ??= (async () => {
      while (hasMore) {
        hasMore = false;
        for (let read = BATCH; read === BATCH; ) {
          const batch = await changes.read(seq, null, BATCH);
          read = batch.length;
          for (const governed of coalesceChanges(batch)) {
            seq = governed.change.seq;
            sendChange(governed);
          }
          notify(await recipientsOf(batch));
          if (read > 0) {
            disconnectStalled();
            // Lets the sockets write before the next batch.
            await immediate();
          }
        }
      }
    })()
      .catch((error: unknown) => log.warn({ err: error }, 'Changes could not be read: they are told with the next'))
      .finally(() => {
        sending = undefined;
      });
  };
  notifications.on('projected', sendNewChanges);
  notifications.onConnected(sendNewChanges);

  const disconnectStalled = () => {
    for (const socket of stalledClients(io.of('/').sockets.values(), Date.now())) {
      log.info({ userId: socket.data.principal.userId }, 'A live client does not read: cut');
      socket.conn.close(true);
    }
  };
  const stalledCheck = setInterval(disconnectStalled, UNREAD_CHECK_EVERY_MS);

  const presence = openPresence({
    db: pool,
    notifications,
    log,
    localUsers(room) {
      const sockets = [...(io.of('/').adapter.rooms.get(room) ?? [])].map((id) => io.of('/').sockets.get(id));
      return [...new Set(sockets.flatMap((socket) => (socket ? [socket.data.principal.userId] : [])))];
    },
    send: (room, userIds) => io.to(room).emit('presence', { room, userIds }),
  });
  const presenceChanged = (room: Room) => {
    if (hasPresence(room)) presence.changed(room);
  };

  const jobs = batchByKey<number>(JOB_MESSAGE_EVERY_MS, (jobId) => {
    sendJobProgress(jobId).catch((error: unknown) => log.warn({ err: error }, 'Progress of a job could not be read'));
  });
  notifications.on('jobs', (payload) => {
    const jobId = /"jobId"\s*:\s*(\d+)/.exec(payload)?.[1];
    if (jobId !== undefined) jobs.changed(Number(jobId));
  });

  // Marking as read in one tab updates the other tabs.
  notifications.on('notified', (userId) => io.to(`user:${userId}`).emit('notified'));

  async function sendJobProgress(jobId: number) {
    const { rows } = await pool.query(PROGRESS, [jobId]);
    const row = rows[0] as (Omit<JobMessage, 'progress' | 'secondsLeft'> & { parentJobId: number | null }) | undefined;
    if (!row) return;
    const { parentJobId, ...progress } = row;
    const left = Math.max(0, row.total - row.processed);
    const message: JobMessage = {
      ...progress,
      progress: progressOf(row),
      secondsLeft: row.rate ? Math.ceil(left / row.rate) : null,
    };
    const rooms = [`job:${jobId}`, ...(parentJobId === null ? [] : [`job:${parentJobId}`])];
    const isAllowed = (socket: LiveSocket) =>
      rooms.every((room) => {
        const needs = socket.data.requirements.get(room);
        return !needs || mayJoin(access.snapshot(), socket.data.principal.userId, needs);
      });
    emit(rooms, isAllowed, (to) => to.emit('job', message));
    sentMessages.inc({ kind: 'job' });
  }

  function endSession(socket: LiveSocket) {
    socket.emit('session', { ended: true });
    socket.disconnect(true);
  }

  /**
   * Removes clients from rooms they may no longer be in, and notifies users whose own levels changed; needs no query. The
   * changes that the projector stores later are sent only to clients that may still read them.
   */
  function accessChanged(event: AccessEvent) {
    const state = access.snapshot();
    const collectionId = 'collectionId' in event.data ? event.data.collectionId : null;
    const collectionIds = collectionId === null ? [...state.collections.keys()] : [collectionId];
    for (const socket of io.of('/').sockets.values()) {
      const { userId } = socket.data.principal;
      if (state.users.get(userId)?.active !== true) {
        endSession(socket);
        continue;
      }
      for (const [room, needs] of [...socket.data.requirements]) {
        if (!mayJoin(state, userId, needs)) leave(socket, room);
      }
      if (updateLevels(socket.data.levels, state, userId, collectionIds)) socket.emit('access', { collectionId });
    }
  }

  async function checkSessions() {
    const sockets = [...io.of('/').sockets.values()];
    if (sockets.length === 0) return;
    const alive = await liveSessions(pool, [...new Set(sockets.map((socket) => socket.data.principal.sessionId))]);
    for (const socket of sockets) {
      const session = alive.get(socket.data.principal.sessionId);
      if (!session) endSession(socket);
      else if (session.requirePasswordChange) socket.disconnect(true);
    }
  }
  const checking = setInterval(() => {
    sendNewChanges();
    checkSessions().catch((error: unknown) =>
      log.warn({ err: error }, 'Sessions of live clients could not be checked'),
    );
  }, CHECKED_EVERY_MS);

  return {
    clients: () => io.of('/').sockets.size,
    accessChanged,
    async close() {
      clearInterval(checking);
      clearInterval(stalledCheck);
      jobs.stop();
      io.disconnectSockets(true);
      io.engine.close();
      await presence.close();
      await sending;
    },
  };
}

const PROGRESS = `
  SELECT job_id AS "jobId", parent_job_id AS "parentJobId", status, processed, total,
         coalesce((counts ->> 'failed')::bigint, 0) AS failed,
         CASE WHEN status = 'IN_PROGRESS' THEN rate END AS rate
    FROM jobs.progress WHERE job_id = $1`;
