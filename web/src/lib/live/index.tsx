/** Live updates for pages: a page passes the rooms it shows and the queries to refetch. */
import type { JobMessage, LiveChange, LiveEntity, Room } from '@rdm/contracts/live/live';
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { clearSession, mayReadAgain, read, stopSharingReads } from '../api/index.ts';
import { userQuery, useSession } from '../auth/index.ts';
import { useIsPast } from '../past/index.ts';
import { coalesce, coalesceUntilPause } from './coalesce.ts';
import { type Connection, type ConnectionState, liveConnection } from './connection.ts';
import { flashRows } from './flash.ts';
import { isInRoom, isShown, rowIds } from './rooms.ts';

export { type Flash, useFlash } from './flash.ts';

/** Above this many changes in one window, rows are not highlighted one by one; their number is reported instead. */
const MANY = 50;
/** The longest delay between two reconnection attempts. */
const RECONNECT_AFTER_MS = 2_000;

const accessListeners = new Set<() => void>();

/** Calls back when the user's access levels changed; queries of the present are refetched automatically. */
export function onAccessChange(listener: () => void): () => void {
  accessListeners.add(listener);
  return () => accessListeners.delete(listener);
}

const LiveContext = createContext<Connection | undefined>(undefined);

/** Repeats the failed reads of the page, except those that were refused. */
export const retryFailedReads = (queries: QueryClient): Promise<void> =>
  queries.refetchQueries({ type: 'active', predicate: ({ state }) => mayReadAgain(state.error) });

/** Connects while a user is signed in. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { data: user } = useSession();
  const queries = useQueryClient();
  const [connection, setConnection] = useState<Connection>();
  const userId = user?.requirePasswordChange === false ? user.id : undefined;

  useEffect(() => {
    if (userId === undefined) return;
    let live: Connection | undefined;
    const unmounted = new AbortController();
    void import('socket.io-client').then(({ io }) => {
      if (unmounted.signal.aborted) return;
      const socket = io({
        transports: ['websocket', 'polling'],
        tryAllTransports: true,
        reconnectionDelayMax: RECONNECT_AFTER_MS,
      });
      // If the session has ended, the refusal of a request ends it here, with the reason.
      const checkSession = () => read('/api/user').catch(() => undefined);
      live = liveConnection(socket, {
        onSessionEnd: () => void checkSession().finally(clearSession),
        onRefused: () => {
          if (unmounted.signal.aborted) return;
          const again = () => !unmounted.signal.aborted && socket.connect();
          void checkSession().finally(() => setTimeout(again, RECONNECT_AFTER_MS));
        },
        onAccess: () => {
          stopSharingReads();
          void queries.invalidateQueries();
          for (const listener of accessListeners) listener();
        },
        onReturn: () => void retryFailedReads(queries),
      });
      // The network is back: reconnect without waiting for the next attempt.
      window.addEventListener('online', () => !socket.connected && socket.disconnect().connect(), {
        signal: unmounted.signal,
      });
      live.watch(`user:${userId}`, {
        onChange: (change) => {
          // Administrators receive changes of all users: only the user's own change affects their permissions.
          if ((change.entity === 'user' && change.entityId === userId) || change.entity === 'role') {
            void queries.invalidateQueries({ queryKey: userQuery.queryKey });
          }
        },
        onGap: () => undefined,
      });
      setConnection(live);
    });
    return () => {
      unmounted.abort();
      live?.stop();
      setConnection(undefined);
    };
  }, [userId, queries]);

  return <LiveContext value={connection}>{children}</LiveContext>;
}

const noState = () => () => undefined;
const off = (): ConnectionState => 'off';

/** The past does not change: pages that show it receive no updates. */
function useConnection(): Connection | undefined {
  const connection = useContext(LiveContext);
  return useIsPast() ? undefined : connection;
}

export function useConnectionState(): ConnectionState {
  const connection = useContext(LiveContext);
  return useSyncExternalStore(connection?.onState ?? noState, connection?.state ?? off);
}

/** Calls back on new notifications: the first immediately, further ones in time windows. */
export function useNotificationEvents(onNotification: () => void): void {
  const connection = useContext(LiveContext);
  const latest = useRef(onNotification);
  useEffect(() => {
    latest.current = onNotification;
  });
  useEffect(() => {
    if (connection === undefined) return;
    const notifications = coalesce<true>(() => latest.current());
    const leave = connection.onNotified(() => notifications.add(true));
    return () => {
      leave();
      notifications.stop();
    };
  }, [connection]);
}

export interface LiveOptions {
  /** The rooms of the page: `types`, `data-set:3`, … */
  rooms: readonly Room[];
  /** Queries to refetch; prefixes, as in `invalidateQueries`. Only active queries are refetched. */
  keys: readonly QueryKey[];
  /** Called in addition to the refetch. */
  onChanges?: (changes: readonly LiveChange[]) => void;
  onJob?: (job: JobMessage) => void;
}

export interface LiveUpdates {
  /** The number of changes in the last window if they were too many to highlight one by one; else 0. */
  many: number;
  /** Counts the windows with changes by other users; the grid keeps rows in place for those. */
  others: number;
  /** Counts the user's own changes. */
  own: number;
}

/**
 * Keeps queries current while the page is open. Rows that other users changed are highlighted in grids of the same
 * entity.
 */
export function useLive(options: LiveOptions): LiveUpdates {
  const connection = useConnection();
  const queries = useQueryClient();
  const { data: user } = useSession();
  const [updates, setUpdates] = useState<LiveUpdates>({ many: 0, others: 0, own: 0 });
  const latest = useRef({ options, userId: user?.id });
  useEffect(() => {
    latest.current = { options, userId: user?.id };
  });
  const rooms = options.rooms.join(' ');

  useEffect(() => {
    if (connection === undefined || rooms === '') return;
    const names = rooms.split(' ');
    const refetch = () => {
      stopSharingReads();
      return Promise.all(latest.current.options.keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
    };

    const flush = (changes: readonly LiveChange[]) => {
      const { options: now, userId } = latest.current;
      const cached = now.keys.flatMap((queryKey) => queries.getQueriesData({ queryKey }).map(([, data]) => data));
      const news = changes.filter((change) => !isShown(change, cached));
      if (news.length === 0) return;
      const byOthers = news.some((change) => change.actorId !== userId);
      setUpdates(({ others, own }) => ({
        many: changes.length > MANY ? changes.length : 0,
        others: byOthers ? others + 1 : others,
        own,
      }));
      void refetch().then(() => changes.length <= MANY && flashOthers(news, userId));
      now.onChanges?.(news);
    };
    const ofOthers = coalesce<LiveChange>(flush);
    const own = coalesceUntilPause<LiveChange>(flush);
    const watcher = {
      onChange: (change: LiveChange) => {
        if (!names.some((room) => isInRoom(room, change))) return;
        if (change.actorId !== latest.current.userId) return ofOthers.add(change);
        setUpdates((before) => ({ ...before, own: before.own + 1 }));
        own.add(change);
      },
      onGap: () => void refetch(),
      onJob: (job: JobMessage) => latest.current.options.onJob?.(job),
    };
    const leave = names.map((room) => connection.watch(room, watcher));
    return () => {
      ofOthers.stop();
      own.stop();
      for (const leaveRoom of leave) leaveRoom();
      // Without the rooms no changes are delivered: mark the queries as stale, so that the next page that uses them
      // reads again.
      for (const queryKey of latest.current.options.keys)
        void queries.invalidateQueries({ queryKey, refetchType: 'none' });
    };
  }, [connection, queries, rooms]);

  return updates;
}

function flashOthers(changes: readonly LiveChange[], userId: number | undefined): void {
  for (const change of changes) {
    const ids = rowIds(change);
    if (ids !== null && change.actorId !== userId) flashRows(change.entity satisfies LiveEntity, ids, change.actorId);
  }
}

/** The ids of the other users in the room. */
export function usePresence(room: Room): readonly number[] {
  const connection = useConnection();
  const [present, setPresent] = useState<readonly number[]>([]);
  useEffect(
    () => connection?.watch(room, { onChange: () => undefined, onGap: () => undefined, onPresence: setPresent }),
    [connection, room],
  );
  return present;
}
