/** The live bridge as pages use it: say what you look at and which queries show it, and they stay current. */
import type { JobMessage, LiveChange, LiveEntity, Room } from '@rdm/contracts/live/live';
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { askAnew, clearSession, mayReadAgain } from '../api/index.ts';
import { userQuery, useSession } from '../auth/index.ts';
import { useIsPast } from '../past/index.ts';
import { coalesce, untilRest } from './coalesce.ts';
import { type Connection, type ConnectionState, liveConnection } from './connection.ts';
import { flashRows } from './flash.ts';
import { concerns, isShown, rowIds } from './rooms.ts';

export { type Flash, useFlash } from './flash.ts';

/** Above this many changes in one window rows no longer flash one by one; their number is told instead. */
const MANY = 50;
/** The longest pause between two attempts to reach the server again. */
const RECONNECT_AFTER_MS = 2_000;

const accessListeners = new Set<() => void>();

/** Calls back when the user's own levels changed; the queries of the present are read anew by themselves. */
export function onAccessChange(listener: () => void): () => void {
  accessListeners.add(listener);
  return () => accessListeners.delete(listener);
}

const LiveContext = createContext<Connection | undefined>(undefined);

/** Reads again what is shown to have failed, unless it was refused. */
export const readFailed = (queries: QueryClient): Promise<void> =>
  queries.refetchQueries({ type: 'active', predicate: ({ state }) => mayReadAgain(state.error) });

/** Connects while somebody is signed in. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { data: user } = useSession();
  const queries = useQueryClient();
  const [connection, setConnection] = useState<Connection>();
  const userId = user?.requirePasswordChange === false ? user.id : undefined;

  useEffect(() => {
    if (userId === undefined) return;
    let live: Connection | undefined;
    const gone = new AbortController();
    void import('socket.io-client').then(({ io }) => {
      if (gone.signal.aborted) return;
      const socket = io({
        transports: ['websocket', 'polling'],
        tryAllTransports: true,
        reconnectionDelayMax: RECONNECT_AFTER_MS,
      });
      live = liveConnection(socket, {
        onSessionEnd: clearSession,
        onAccess: () => {
          askAnew();
          void queries.invalidateQueries();
          for (const listener of accessListeners) listener();
        },
        onReturn: () => void readFailed(queries),
      });
      // Back on the network there is no reason to wait for the next attempt.
      window.addEventListener('online', () => !socket.connected && socket.disconnect().connect(), {
        signal: gone.signal,
      });
      live.watch(`user:${userId}`, {
        onChange: (change) => {
          // Administrators hear of everybody: only what concerns oneself changes what one may do.
          if ((change.entity === 'user' && change.entityId === userId) || change.entity === 'role') {
            void queries.invalidateQueries({ queryKey: userQuery.queryKey });
          }
        },
        onGap: () => undefined,
      });
      setConnection(live);
    });
    return () => {
      gone.abort();
      live?.stop();
      setConnection(undefined);
    };
  }, [userId, queries]);

  return <LiveContext value={connection}>{children}</LiveContext>;
}

const noState = () => () => undefined;
const off = (): ConnectionState => 'off';

/** Nobody changes the past: pages that show it hear of nothing. */
function useConnection(): Connection | undefined {
  const connection = useContext(LiveContext);
  return useIsPast() ? undefined : connection;
}

export function useConnectionState(): ConnectionState {
  const connection = useContext(LiveContext);
  return useSyncExternalStore(connection?.onState ?? noState, connection?.state ?? off);
}

/** Calls back when the user was told something; many times at once in windows, the first of them immediately. */
export function useNotified(heard: () => void): void {
  const connection = useContext(LiveContext);
  const latest = useRef(heard);
  useEffect(() => {
    latest.current = heard;
  });
  useEffect(() => {
    if (connection === undefined) return;
    const told = coalesce<true>(() => latest.current());
    const leave = connection.onNotified(() => told.add(true));
    return () => {
      leave();
      told.stop();
    };
  }, [connection]);
}

export interface LiveOptions {
  /** What the page looks at: `types`, `data-set:3`, … */
  rooms: readonly Room[];
  /** Queries that show it; prefixes, as `invalidateQueries` takes them. Only those in use are read anew. */
  keys: readonly QueryKey[];
  /** For those who want more than fresh queries. */
  onChanges?: (changes: readonly LiveChange[]) => void;
  onJob?: (job: JobMessage) => void;
}

export interface LiveUpdates {
  /** How many changes the last window brought, when they were too many to show one by one; else 0. */
  many: number;
  /** Counts the windows in which other people changed something; the grid keeps rows in place for those. */
  others: number;
  /** Counts the changes of the person who looks. */
  own: number;
}

/** Keeps queries current while the page is open. Rows that others changed flash in grids of the same entity. */
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
      askAnew();
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
    const own = untilRest<LiveChange>(flush);
    const watcher = {
      onChange: (change: LiveChange) => {
        if (!names.some((room) => concerns(room, change))) return;
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
      // Nobody tells of changes from now on: whoever comes back reads anew, however fresh the answer looks.
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

/** Who else looks at the room, by user id. */
export function usePresence(room: Room): readonly number[] {
  const connection = useConnection();
  const [present, setPresent] = useState<readonly number[]>([]);
  useEffect(
    () => connection?.watch(room, { onChange: () => undefined, onGap: () => undefined, onPresence: setPresent }),
    [connection, room],
  );
  return present;
}
