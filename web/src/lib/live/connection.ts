/**
 * The socket connection of the page: joins rooms while they are watched, delivers each change once, and requests missed
 * changes by `seq` after a reconnect.
 */
import type { ClientMessages, JobMessage, LiveChange, Room, ServerMessages } from '@rdm/contracts/live/live';
import type { Socket } from 'socket.io-client';

export type LiveSocket = Pick<
  Socket<ServerMessages, ClientMessages>,
  'on' | 'emit' | 'disconnect' | 'connected' | 'active' | 'recovered'
>;

export interface Watcher {
  /**
   * Called for the changes of all watched rooms. `isMissed` is true if the server sent the change only on request,
   * because the page may have missed it while it was not in the room.
   */
  onChange: (change: LiveChange, isMissed: boolean) => void;
  /** Called if changes may have been missed, so that the displayed data must be read again. */
  onGap: () => void;
  onJob?: (job: JobMessage) => void;
  onPresence?: (userIds: readonly number[]) => void;
}

export type ConnectionState = 'off' | 'connecting' | 'connected' | 'lost';

export interface Connection {
  /**
   * Adds a watcher and returns a function that removes it. The room is joined for its first watcher and left after its
   * last.
   */
  watch: (room: Room, watcher: Watcher) => () => void;
  /**
   * Calls the listener when the user has a new notification, and when the socket connects without its missed messages,
   * because there may be a notification among them.
   */
  onNotified: (listener: () => void) => () => void;
  state: () => ConnectionState;
  onState: (listener: () => void) => () => void;
  stop: () => void;
}

const DELIVERED_CHANGES_MAX = 2_000;

export interface ConnectionEvents {
  onSessionEnd: () => void;
  /**
   * The server refused or ended the connection, because the session has ended or a service restarts. The socket does
   * not try again.
   */
  onRefused: () => void;
  /** The user's access levels have changed, so that the page may show data that the user can no longer read. */
  onAccess: () => void;
  /** The server can be reached again, so that failed reads can be repeated. */
  onReturn: () => void;
}

export function liveConnection(
  socket: LiveSocket,
  { onSessionEnd, onRefused, onAccess, onReturn }: ConnectionEvents,
): Connection {
  const rooms = new Map<Room, Set<Watcher>>();
  const delivered = new Set<string>();
  const stateListeners = new Set<() => void>();
  const notifiedListeners = new Set<() => void>();
  const callNotifiedListeners = () => {
    for (const listener of notifiedListeners) listener();
  };
  let seq = 0;
  let state: ConnectionState = 'connecting';

  function setState(next: ConnectionState) {
    state = next;
    for (const listener of stateListeners) listener();
  }

  const watchers = (): Set<Watcher> => new Set([...rooms.values()].flatMap((set) => [...set]));

  function deliver(change: LiveChange, isMissed: boolean) {
    const key = `${change.seq} ${change.entity} ${change.entityId}`;
    seq = Math.max(seq, change.seq);
    if (delivered.has(key)) return;
    delivered.add(key);
    const oldest = delivered.values().next();
    if (delivered.size > DELIVERED_CHANGES_MAX && !oldest.done) delivered.delete(oldest.value);
    for (const watcher of watchers()) watcher.onChange(change, isMissed);
  }

  function catchUp(from: number, watchersOfRoom: () => Iterable<Watcher>) {
    socket.emit('since', from, (answer) => {
      for (const change of answer.changes) deliver(change, true);
      seq = Math.max(seq, answer.seq);
      if (!answer.complete) for (const watcher of watchersOfRoom()) watcher.onGap();
    });
  }

  function join(room: Room) {
    const from = seq;
    socket.emit('join', room, (answer) => {
      if (!answer.ok) return;
      const watchersOfRoom = () => rooms.get(room) ?? [];
      // Requests the changes that were made after the page read its data and before it joined the room, because they
      // were not delivered.
      if (from > 0) catchUp(from, watchersOfRoom);
      else for (const watcher of watchersOfRoom()) watcher.onGap();
      seq = Math.max(seq, answer.seq);
    });
  }

  socket.on('connect', () => {
    const isBack = state === 'lost';
    setState('connected');
    if (!socket.recovered) for (const room of rooms.keys()) join(room);
    if (isBack) onReturn();
    if (!socket.recovered) callNotifiedListeners();
  });
  // `active` means that the socket itself will try to connect again.
  const checkRefusal = () => {
    if (!socket.active) onRefused();
  };
  socket.on('disconnect', () => {
    setState('lost');
    checkRefusal();
  });
  socket.on('connect_error', checkRefusal);
  socket.on('change', (change) => deliver(change, false));
  socket.on('job', (job) => {
    for (const watcher of rooms.get(`job:${job.jobId}`) ?? []) watcher.onJob?.(job);
  });
  socket.on('presence', ({ room, userIds }) => {
    for (const watcher of rooms.get(room) ?? []) watcher.onPresence?.(userIds);
  });
  socket.on('session', onSessionEnd);
  socket.on('access', onAccess);
  socket.on('notified', callNotifiedListeners);

  return {
    watch(room, watcher) {
      const set = rooms.get(room) ?? new Set();
      rooms.set(room, set);
      set.add(watcher);
      if (set.size === 1 && socket.connected) join(room);
      return () => {
        set.delete(watcher);
        if (set.size > 0 || rooms.get(room) !== set) return;
        rooms.delete(room);
        if (socket.connected) socket.emit('leave', room);
      };
    },
    onNotified(listener) {
      notifiedListeners.add(listener);
      return () => notifiedListeners.delete(listener);
    },
    state: () => state,
    onState(listener) {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    stop() {
      socket.disconnect();
      rooms.clear();
      setState('off');
    },
  };
}
