/**
 * The live channel: sends changes to the clients of a room, after a check of their current grants. Messages to
 * disconnected clients are not stored: a client requests missed changes with `since`, which checks the grants again.
 */
import type { AccessEvent, Level, Room } from '@rdm/contracts';
import { authenticate, type Metrics, type RunningServer } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import type { Builds } from '../read-models/builds.ts';
import type { PostgresNotifications } from '../read-models/postgres-notifications.ts';
import { openChangeSender } from './change-sender.ts';
import { openJobProgress } from './job-progress.ts';
import { createLiveServer, type LiveServer, type LiveSocket, socketsOf, usersInRoom } from './live-server.ts';
import { openPresence } from './presence.ts';
import { openRoomMembership, type RoomMembership } from './room-membership.ts';
import { mayJoin, updateLevels } from './rooms.ts';
import { findValidSessions } from './sessions.ts';
import { findStalledClients, UNREAD_CHECK_EVERY_MS } from './stalled-clients.ts';

export interface Live {
  clients(): number;
  /**
   * Call this after each change of users, roles, groups or grants: disconnects deactivated users, removes clients from
   * rooms that they may no longer join, and notifies users whose own levels changed.
   */
  accessChanged(event: AccessEvent): void;
  close(): Promise<void>;
}

export interface LiveDependencies extends Pick<QueryContext, 'readModels' | 'pool' | 'access' | 'settings' | 'log'> {
  server: RunningServer;
  builds: Builds;
  notifications: PostgresNotifications;
  metrics: Metrics;
}

/** The interval for checking sessions and for reading new changes whose notification was lost. */
const CHECKED_EVERY_MS = 4_000;
const hasPresence = (room: Room): boolean =>
  room === 'approvals' || room.startsWith('crosswalk:') || room.startsWith('relationship:');

export async function openLive(deps: LiveDependencies): Promise<Live> {
  const { pool, access, settings, log, server, notifications, metrics } = deps;
  const sentMessages = metrics.counter('live_messages_total', 'Live messages by kind', ['kind']);
  const connectedClients = metrics.gauge('live_clients', 'Clients of the live channel');
  const io = createLiveServer(server.server, settings.PUBLIC_URL);
  authenticateSockets(io, deps);

  const disconnectStalled = () => {
    for (const socket of findStalledClients(socketsOf(io).values(), Date.now())) {
      log.info({ userId: socket.data.principal.userId }, 'A live client does not read: it is disconnected');
      socket.conn.close(true);
    }
  };
  const sender = await openChangeSender({ ...deps, io, sentMessages, batchSent: disconnectStalled });
  const presence = openPresence({
    db: pool,
    notifications,
    log,
    localUsers: (room) => usersInRoom(io, room),
    send: (room, userIds) => io.to(room).emit('presence', { room, userIds }),
  });
  const membersChanged = (room: Room) => {
    if (hasPresence(room)) presence.changed(room);
  };
  const membership = openRoomMembership({ ...deps, sentSeq: sender.seq, membersChanged });

  io.on('connection', (socket) => {
    const { userId } = socket.data.principal;
    socket.data.requirements.set(`user:${userId}`, { userId });
    void socket.join(`user:${userId}`);
    connectedClients.inc();
    socket.on('join', (room, answer) => {
      if (typeof answer !== 'function') return;
      membership.join(socket, room).then(answer, (error: unknown) => {
        log.warn({ err: error }, 'A room could not be joined');
        answer({ ok: false, error: 'A part of the system is restarting' });
      });
    });
    socket.on('leave', (room) => {
      if (typeof room !== 'string' || room === `user:${userId}`) return;
      membership.leave(socket, room);
    });
    socket.on('since', (after, answer) => {
      if (typeof answer !== 'function') return;
      sender.since(socket, after).then(answer, (error: unknown) => {
        log.warn({ err: error }, 'Missed changes could not be read');
        answer({ complete: false, changes: [], seq: sender.seq() });
      });
    });
    socket.on('disconnect', () => {
      connectedClients.dec();
      for (const room of socket.data.requirements.keys()) membersChanged(room);
    });
  });

  notifications.on('projected', sender.sendNew);
  notifications.onConnected(sender.sendNew);

  const jobs = openJobProgress({ io, pool, access, log, sentMessages });
  notifications.on('jobs', (payload) => {
    const jobId = /"jobId"\s*:\s*(\d+)/.exec(payload)?.[1];
    if (jobId !== undefined) jobs.changed(Number(jobId));
  });

  // When a user marks notifications as read in one tab, all tabs of the user update.
  notifications.on('notified', (userId) => io.to(`user:${userId}`).emit('notified'));

  const stalledCheck = setInterval(disconnectStalled, UNREAD_CHECK_EVERY_MS);
  const checking = setInterval(() => {
    sender.sendNew();
    checkSessions(io, deps).catch((error: unknown) =>
      log.warn({ err: error }, 'Sessions of live clients could not be checked'),
    );
  }, CHECKED_EVERY_MS);

  return {
    clients: () => socketsOf(io).size,
    accessChanged: (event) => applyAccessChange(io, deps, membership, event),
    async close() {
      clearInterval(checking);
      clearInterval(stalledCheck);
      jobs.stop();
      io.disconnectSockets(true);
      io.engine.close();
      await presence.close();
      await sender.idle();
    },
  };
}

function authenticateSockets(io: LiveServer, deps: LiveDependencies): void {
  const { access, log } = deps;
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
      log.warn({ err: error }, 'A live client could not be authenticated');
      next(new Error('A part of the system is restarting'));
    }
  });
}

function endSession(socket: LiveSocket): void {
  socket.emit('session', { ended: true });
  socket.disconnect(true);
}

function applyAccessChange(
  io: LiveServer,
  { access }: Pick<QueryContext, 'access'>,
  membership: RoomMembership,
  event: AccessEvent,
): void {
  const state = access.snapshot();
  const collectionId = 'collectionId' in event.data ? event.data.collectionId : null;
  const collectionIds = collectionId === null ? [...state.collections.keys()] : [collectionId];
  for (const socket of socketsOf(io).values()) {
    const { userId } = socket.data.principal;
    if (state.users.get(userId)?.active !== true) {
      endSession(socket);
      continue;
    }
    for (const [room, requirements] of [...socket.data.requirements]) {
      if (!mayJoin(state, userId, requirements)) membership.leave(socket, room);
    }
    if (updateLevels(socket.data.levels, state, userId, collectionIds)) socket.emit('access', { collectionId });
  }
}

async function checkSessions(io: LiveServer, { pool }: Pick<QueryContext, 'pool'>): Promise<void> {
  const sockets = [...socketsOf(io).values()];
  if (sockets.length === 0) return;
  const alive = await findValidSessions(pool, [...new Set(sockets.map((socket) => socket.data.principal.sessionId))]);
  for (const socket of sockets) {
    const session = alive.get(socket.data.principal.sessionId);
    if (!session) endSession(socket);
    else if (session.requirePasswordChange) socket.disconnect(true);
  }
}
