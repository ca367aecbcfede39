/**
 * The one socket of the page: rooms are joined while somebody looks at them, changes are delivered once each, and after
 * a break the missed ones are asked for by `seq`.
 */
import type { ClientMessages, JobMessage, LiveChange, Room, ServerMessages } from '@rdm/contracts/live/live';
import type { Socket } from 'socket.io-client';

export type LiveSocket = Pick<
  Socket<ServerMessages, ClientMessages>,
  'on' | 'emit' | 'disconnect' | 'connected' | 'recovered'
>;

export interface Watcher {
  onChange: (change: LiveChange) => void;
  /** Changes may have been missed: what is shown must be read anew. */
  onGap: () => void;
  onJob?: (job: JobMessage) => void;
  onPresence?: (userIds: readonly number[]) => void;
}

export type ConnectionState = 'off' | 'connecting' | 'connected' | 'lost';

export interface Connection {
  /** Joins the room with its first watcher, leaves it with the last. */
  watch: (room: Room, watcher: Watcher) => () => void;
  /** Calls back when the user was told something, and after a break in which they may have been. */
  onNotified: (listener: () => void) => () => void;
  state: () => ConnectionState;
  onState: (listener: () => void) => () => void;
  stop: () => void;
}

const REMEMBERED_CHANGES = 2_000;

export interface ConnectionEvents {
  onSessionEnd: () => void;
  /** The user's own levels changed: what is shown may be more than what may be seen now. */
  onAccess: () => void;
  /** The server is there again: what could not be read while it was away can be. */
  onReturn: () => void;
}

export function liveConnection(socket: LiveSocket, { onSessionEnd, onAccess, onReturn }: ConnectionEvents): Connection {
  const rooms = new Map<Room, Set<Watcher>>();
  const seen = new Set<string>();
  const stateListeners = new Set<() => void>();
  const notifiedListeners = new Set<() => void>();
  const notified = () => {
    for (const listener of notifiedListeners) listener();
  };
  let seq = 0;
  let state: ConnectionState = 'connecting';

  function setState(next: ConnectionState) {
    state = next;
    for (const listener of stateListeners) listener();
  }

  const watchers = (): Set<Watcher> => new Set([...rooms.values()].flatMap((set) => [...set]));

  function deliver(change: LiveChange) {
    const key = `${change.seq} ${change.entity} ${change.entityId}`;
    seq = Math.max(seq, change.seq);
    if (seen.has(key)) return;
    seen.add(key);
    const oldest = seen.values().next();
    if (seen.size > REMEMBERED_CHANGES && !oldest.done) seen.delete(oldest.value);
    for (const watcher of watchers()) watcher.onChange(change);
  }

  function catchUp(from: number, concerned: () => Iterable<Watcher>) {
    socket.emit('since', from, (answer) => {
      for (const change of answer.changes) deliver(change);
      seq = Math.max(seq, answer.seq);
      if (!answer.complete) for (const watcher of concerned()) watcher.onGap();
    });
  }

  function join(room: Room) {
    const from = seq;
    socket.emit('join', room, (answer) => {
      if (!answer.ok) return;
      const concerned = () => rooms.get(room) ?? [];
      // What happened between reading the page and joining the room was told to nobody here.
      if (from > 0) catchUp(from, concerned);
      else for (const watcher of concerned()) watcher.onGap();
      seq = Math.max(seq, answer.seq);
    });
  }

  socket.on('connect', () => {
    const isBack = state === 'lost';
    setState('connected');
    if (!socket.recovered) for (const room of rooms.keys()) join(room);
    if (isBack) onReturn();
    if (!socket.recovered) notified();
  });
  socket.on('disconnect', () => setState('lost'));
  socket.on('change', deliver);
  socket.on('job', (job) => {
    for (const watcher of rooms.get(`job:${job.jobId}`) ?? []) watcher.onJob?.(job);
  });
  socket.on('presence', ({ room, userIds }) => {
    for (const watcher of rooms.get(room) ?? []) watcher.onPresence?.(userIds);
  });
  socket.on('session', onSessionEnd);
  socket.on('access', onAccess);
  socket.on('notified', notified);

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
