/**
 * The open streams of the change feed. A stream sends changes as fast as its reader takes them, and checks the grants
 * for each change. A reader who loses the session, the API key or a grant is disconnected.
 */
import type { IncomingMessage } from 'node:http';
import {
  type AccessState,
  type Actor,
  allowedRoutes,
  type ChangeEvent,
  type ChangesQuery,
  isAdministrator,
  levelOnCollection,
  mayOpen,
  Refusal,
  readableDataSets,
  STREAM_ENDS,
  type StreamEnd,
} from '@rdm/contracts';
import { actorOf, authenticate, type Metrics, type Principal } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import type { PostgresNotifications } from '../read-models/postgres-notifications.ts';
import {
  mayReadChange,
  openChangeReader,
  parseCursor,
  parseTypes,
  readFeedEnd,
  requireReader,
  toChangeEvent,
} from './changes.ts';
import { openSharedPages } from './shared-pages.ts';

export interface StreamDependencies extends Pick<QueryContext, 'readModels' | 'pool' | 'access' | 'settings' | 'log'> {
  notifications: PostgresNotifications;
  metrics: Metrics;
  /** Default: STALLED_AFTER_MS. Specs use a shorter time. */
  stalledAfterMs?: number;
}

/** The limits of one instance of query-api: streams of a user and the user's API keys, and streams of all users. */
const STREAMS_PER_USER = 20;
const STREAMS_MAX = 1_000;
/** Interval for checking sessions and API keys, and for reading changes whose notification was lost. */
const CHECKED_EVERY_MS = 2_000;
/** Interval of heartbeats, which keep proxies from closing an idle connection. */
const HEARTBEAT_EVERY_MS = 15_000;
/** A reader is disconnected if sending a change takes this long. */
const STALLED_AFTER_MS = 10_000;

/** The connection of a stream's reader. */
export interface Sink {
  /** Resolves when the next event can be sent, or when the connection is closed. */
  send(event: ChangeEvent): Promise<unknown>;
  heartbeat(): void;
  /** Sends the reason, then closes the connection. Closes at once, without the reason, if messages are unread. */
  end(reason: StreamEnd): void;
}

export interface Stream {
  headers: IncomingMessage['headers'];
  principal: Principal;
  logId: string;
  /** The seq of the last change that was sent or skipped. */
  seq: number;
  types: ReadonlySet<string> | undefined;
  sink: Sink;
  /** The grants of the reader at the last check. */
  readAccess: ReadAccess;
  abort: AbortController;
}

export interface OpenStreams {
  /**
   * Opens a stream at the cursor of its reader; without a cursor, at the end of the feed. Throws a `Refusal`: FORBIDDEN
   * without a read scope, INVALID or GONE for the query, TOO_MANY_REQUESTS, STARTING or UNAVAILABLE.
   */
  open(headers: IncomingMessage['headers'], principal: Principal, query: ChangesQuery, sink: Sink): Promise<Stream>;
  /** Sends changes until the stream is aborted. */
  run(stream: Stream): Promise<void>;
  /** Disconnects readers who lost a grant. */
  checkReadAccess(): void;
  close(): void;
}

export function openStreams(deps: StreamDependencies): OpenStreams {
  const { access, log, notifications, metrics, stalledAfterMs = STALLED_AFTER_MS } = deps;
  const streams = new Set<Stream>();
  const openGauge = metrics.gauge('change_streams', 'Open streams of the change feed');
  const pages = openSharedPages(openChangeReader(deps.readModels), notifications);
  let isClosing = false;

  async function open(
    headers: IncomingMessage['headers'],
    principal: Principal,
    query: ChangesQuery,
    sink: Sink,
  ): Promise<Stream> {
    requireReader(principal);
    if (isClosing) throw new Refusal('UNAVAILABLE', 'The service is restarting. Please try again.', undefined, 1);
    const end = await readFeedEnd(deps);
    // Checked after the read: streams that are opened meanwhile count too.
    const ofUser = [...streams].filter((stream) => stream.principal.userId === principal.userId).length;
    if (ofUser >= STREAMS_PER_USER || streams.size >= STREAMS_MAX) {
      throw new Refusal('TOO_MANY_REQUESTS', 'Too many streams are open: close one, or try again later', undefined, 10);
    }
    const seq = parseCursor(headers['last-event-id']?.toString() ?? query.after, end) ?? end.seq;
    const actor = actorOf(principal);
    const readAccess = readAccessOf(access.snapshot(), actor);
    return {
      headers,
      principal,
      logId: end.logId,
      seq,
      types: parseTypes(query.types),
      sink,
      readAccess,
      abort: new AbortController(),
    };
  }

  async function run(stream: Stream): Promise<void> {
    const { abort, sink, logId } = stream;
    streams.add(stream);
    openGauge.set(streams.size);
    try {
      while (!abort.signal.aborted) {
        const wakesBefore = pages.wakes();
        const page = await pages.after(stream.seq);
        for (const stored of page.changes) {
          if (abort.signal.aborted) return;
          stream.seq = stored.change.seq;
          if (stream.types && !stream.types.has(stored.change.type)) continue;
          // Check the grants now: they may have changed while the reader was slow.
          if (mayReadChange(access.snapshot(), actorOf(stream.principal), stored)) {
            await sendInTime(stream, sink.send(toChangeEvent(logId, stored)));
          }
        }
        if (!page.isFull && pages.wakes() === wakesBefore) await pages.nextWake(abort);
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      log.warn({ err: error }, 'A stream of changes failed');
      disconnect(stream, STREAM_ENDS.restarting);
    } finally {
      streams.delete(stream);
      openGauge.set(streams.size);
    }
  }

  async function sendInTime(stream: Stream, sent: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => disconnect(stream, STREAM_ENDS.stalled), stalledAfterMs);
    await sent.finally(() => clearTimeout(timer));
  }

  function disconnect(stream: Stream, reason: StreamEnd): void {
    if (stream.abort.signal.aborted) return;
    stream.abort.abort();
    stream.sink.end(reason);
  }

  function checkReadAccess(): void {
    const state = access.snapshot();
    for (const stream of [...streams]) {
      const readAccess = readAccessOf(state, actorOf(stream.principal));
      if (hasLostAccess(readAccess, stream.readAccess)) disconnect(stream, STREAM_ENDS.revoked);
      else stream.readAccess = readAccess;
    }
  }

  async function checkPrincipals(): Promise<void> {
    for (const stream of [...streams]) {
      const principal = await authenticate(stream.headers, deps);
      if (principal) stream.principal = principal;
      else disconnect(stream, STREAM_ENDS.signedOut);
    }
    checkReadAccess();
  }

  const checking = setInterval(() => {
    pages.wake();
    checkPrincipals().catch((error: unknown) => log.warn({ err: error }, 'Readers of changes could not be checked'));
  }, CHECKED_EVERY_MS);
  const heartbeats = setInterval(() => {
    for (const { sink } of streams) sink.heartbeat();
  }, HEARTBEAT_EVERY_MS);

  return {
    open,
    run,
    checkReadAccess,
    close() {
      isClosing = true;
      clearInterval(checking);
      clearInterval(heartbeats);
      for (const stream of [...streams]) disconnect(stream, STREAM_ENDS.restarting);
    },
  };
}

/** The grants of a reader. A stream ends when its reader loses one of them. */
interface ReadAccess {
  all: boolean;
  dataSets: ReadonlySet<number>;
  collections: ReadonlySet<number>;
  types: boolean;
}

function readAccessOf(state: AccessState, actor: Actor): ReadAccess {
  const readable = readableDataSets(state, actor);
  const isAdmin = isAdministrator(state, actor);
  return {
    all: readable.all,
    dataSets: new Set(readable.all ? [] : readable.ids),
    collections: new Set(
      readable.all ? [] : [...state.collections.keys()].filter((id) => levelOnCollection(state, actor, id) !== null),
    ),
    types: mayOpen('/reference-types', { isAdmin, routes: allowedRoutes(state, actor) }),
  };
}

const hasLostAccess = (now: ReadAccess, before: ReadAccess): boolean =>
  !now.all &&
  (before.all ||
    (before.types && !now.types) ||
    [...before.dataSets].some((id) => !now.dataSets.has(id)) ||
    [...before.collections].some((id) => !now.collections.has(id)));
