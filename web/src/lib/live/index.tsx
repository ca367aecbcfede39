/** Live updates for pages. A page passes the live rooms of its data and the queries to refetch. */
import type { JobMessage, LiveChange, LiveEntity, Room } from '@rdm/contracts/live/live';
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { clearSession, mayReadAgain, read } from '../api/index.ts';
import { userQuery, useSession } from '../auth/index.ts';
import { useIsPast } from '../past/index.ts';
import { coalesce, coalesceUntilPause } from './coalesce.ts';
import { type Connection, type ConnectionState, liveConnection } from './connection.ts';
import { flashRows } from './flash.ts';
import { reloadQueries, reloadWithoutCancelling } from './reload-queries.ts';
import { isCached, isInRoom, rowIds } from './rooms.ts';

export { type Flash, useFlash } from './flash.ts';
export { reloadQueries } from './reload-queries.ts';

/** Above this number of changes in one time window, pages get the number, and no rows are highlighted. */
const HIGHLIGHTED_CHANGES_MAX = 50;
/** The longest delay between two connection attempts, and the delay after a refusal. */
const RECONNECT_AFTER_MS = 2_000;

const accessListeners = new Set<() => void>();

/**
 * Calls the listener when the user's access levels have changed. Listeners need not refetch queries of current data:
 * `LiveProvider` does.
 */
export function onAccessChange(listener: () => void): () => void {
  accessListeners.add(listener);
  return () => accessListeners.delete(listener);
}

const LiveContext = createContext<Connection | undefined>(undefined);

/** Repeats the failed reads of the page whose errors allow a repetition (`mayReadAgain`). */
export const retryFailedReads = (queries: QueryClient): Promise<void> =>
  queries.refetchQueries({ type: 'active', predicate: ({ state }) => mayReadAgain(state.error) });

/** Connects while a user is signed in, unless the user must change the password first. */
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
      // If the session has ended, the 401 of this request signs the user out in this tab, with the reason.
      const checkSession = () => read('/api/user').catch(() => undefined);
      live = liveConnection(socket, {
        onSessionEnd: () => void checkSession().finally(clearSession),
        onRefused: () => {
          if (unmounted.signal.aborted) return;
          const reconnect = () => !unmounted.signal.aborted && socket.connect();
          void checkSession().finally(() => setTimeout(reconnect, RECONNECT_AFTER_MS));
        },
        onAccess: () => {
          void reloadQueries(queries, []);
          for (const listener of accessListeners) listener();
        },
        onReturn: () => void retryFailedReads(queries),
      });
      // Reconnect at once when the network is back.
      window.addEventListener('online', () => !socket.connected && socket.disconnect().connect(), {
        signal: unmounted.signal,
      });
      live.watch(`user:${userId}`, {
        onChange: (change) => {
          // Administrators receive the changes of all users. Only roles and the user's own account affect `userQuery`.
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

const noStateSubscription = () => () => undefined;
const stateOff = (): ConnectionState => 'off';

/** The connection, if there is one; undefined on pages of the past, because the past does not change. */
function useConnection(): Connection | undefined {
  const connection = useContext(LiveContext);
  return useIsPast() ? undefined : connection;
}

export function useConnectionState(): ConnectionState {
  const connection = useContext(LiveContext);
  return useSyncExternalStore(connection?.onState ?? noStateSubscription, connection?.state ?? stateOff);
}

/**
 * Calls `onNotification` immediately for the first notification, and then at most once per time window.
 */
export function useNotificationEvents(onNotification: () => void): void {
  const connection = useContext(LiveContext);
  const latest = useRef(onNotification);
  useEffect(() => {
    latest.current = onNotification;
  });
  useEffect(() => {
    if (connection === undefined) return;
    const notifications = coalesce<true>(() => latest.current());
    const unsubscribe = connection.onNotified(() => notifications.add(true));
    return () => {
      unsubscribe();
      notifications.stop();
    };
  }, [connection]);
}

export interface LiveOptions {
  /** The live rooms of the page: `types`, `data-set:3`, … */
  rooms: readonly Room[];
  /** Key prefixes of the queries to refetch, as for `invalidateQueries`. Only active queries are refetched. */
  keys: readonly QueryKey[];
  /** Receives the changes that cached data do not contain yet. */
  onChanges?: (changes: readonly LiveChange[]) => void;
  onJob?: (job: JobMessage) => void;
}

export interface LiveUpdates {
  /** The number of changes in the last window if there were too many to highlight their rows; otherwise 0. */
  many: number;
  /** The number of time windows with changes by other users. The grid may delay the display of such changes. */
  others: number;
  /** The number of the user's own changes. */
  own: number;
}

/**
 * Refetches queries after changes while the page is open. Grids whose `flashAs` is the changed entity highlight the
 * rows that other users changed.
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
    const refetch = () =>
      Promise.all(latest.current.options.keys.map((queryKey) => reloadWithoutCancelling(queries, queryKey)));

    const flush = (deliveries: readonly Delivery[]) => {
      const { options: currentOptions, userId } = latest.current;
      const cached = currentOptions.keys.flatMap((queryKey) =>
        queries.getQueriesData({ queryKey }).map(([, data]) => data),
      );
      const changes = deliveries.map(({ change }) => change);
      const newChanges = changes.filter((change) => !isCached(change, cached));
      // A reload may have read a change before its message arrives. The rows of such a change are highlighted too.
      const shownChanges = deliveries.flatMap(({ change, isMissed }) =>
        isMissed || newChanges.includes(change) ? [] : [change],
      );
      if (changes.length <= HIGHLIGHTED_CHANGES_MAX) flashOthers(shownChanges, userId);
      // Refetch after a cached change by another user too, because counts may have been read before the change.
      if (newChanges.length === 0 && changes.every(({ actorId }) => actorId === userId)) return;
      const hasOthers = newChanges.some((change) => change.actorId !== userId);
      setUpdates(({ others, own }) => ({
        many: changes.length > HIGHLIGHTED_CHANGES_MAX ? changes.length : 0,
        others: hasOthers ? others + 1 : others,
        own,
      }));
      void refetch().then(() => changes.length <= HIGHLIGHTED_CHANGES_MAX && flashOthers(newChanges, userId));
      if (newChanges.length > 0) currentOptions.onChanges?.(newChanges);
    };
    const changesOfOthers = coalesce<Delivery>(flush);
    const ownChanges = coalesceUntilPause<Delivery>(flush);
    const watcher = {
      onChange: (change: LiveChange, isMissed: boolean) => {
        if (!names.some((room) => isInRoom(room, change))) return;
        if (change.actorId !== latest.current.userId) return changesOfOthers.add({ change, isMissed });
        setUpdates((before) => ({ ...before, own: before.own + 1 }));
        ownChanges.add({ change, isMissed });
      },
      onGap: () => void refetch(),
      onJob: (job: JobMessage) => latest.current.options.onJob?.(job),
    };
    const leaveRooms = names.map((room) => connection.watch(room, watcher));
    return () => {
      changesOfOthers.stop();
      ownChanges.stop();
      for (const leaveRoom of leaveRooms) leaveRoom();
      // No changes arrive from now on, so mark the queries as stale.
      for (const queryKey of latest.current.options.keys)
        void queries.invalidateQueries({ queryKey, refetchType: 'none' });
    };
  }, [connection, queries, rooms]);

  return updates;
}

interface Delivery {
  change: LiveChange;
  isMissed: boolean;
}

function flashOthers(changes: readonly LiveChange[], userId: number | undefined): void {
  for (const change of changes) {
    const ids = rowIds(change);
    if (ids !== null && change.actorId !== userId) flashRows(change.entity satisfies LiveEntity, ids, change.actorId);
  }
}

/** The ids of all users in the room, including the user of this page. */
export function usePresence(room: Room): readonly number[] {
  const connection = useConnection();
  const [userIds, setUserIds] = useState<readonly number[]>([]);
  useEffect(
    () => connection?.watch(room, { onChange: () => undefined, onGap: () => undefined, onPresence: setUserIds }),
    [connection, room],
  );
  return userIds;
}
