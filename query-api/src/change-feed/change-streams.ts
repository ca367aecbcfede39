/**
 * Streams of the change feed, as server-sent events and over WebSockets. Each resumes where its reader stopped and sends as
 * fast as it reads. Every change is checked against current grants when it is sent. A reader whose session or key ended,
 * or who lost a grant, is disconnected: the rest follows when it reconnects.
 */
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type AccessState,
  type Actor,
  allowedRoutes,
  type ChangeEvent,
  ChangesQuery,
  isAdministrator,
  levelOnCollection,
  mayOpen,
  Refusal,
  readableDataSets,
  STREAM_ENDS,
  type StreamEnd,
} from '@rdm/contracts';
import { type ApiRequest, actorOf, authenticate, type Metrics, type Principal, toRefusal } from '@rdm/platform';
import { WebSocket, WebSocketServer } from 'ws';
import { waitForDrain } from '../http/download.ts';
import { fromOwnPage } from '../http/origin.ts';
import type { QueryContext } from '../query-context.ts';
import type { PostgresNotifications } from '../read-models/postgres-notifications.ts';
import type { ChangeStreams } from './change-stream-server.ts';
import {
  type ChangePage,
  logIdOf,
  mayReadChange,
  parseCursor,
  parseTypes,
  readChanges,
  requireReader,
  toChangeEvent,
} from './changes.ts';

export interface StreamDependencies extends Pick<QueryContext, 'readModels' | 'pool' | 'access' | 'settings' | 'log'> {
  notifications: PostgresNotifications;
  metrics: Metrics;
}

/** Streams of one principal, and of all. */
const STREAMS_OF_ONE = 20;
const STREAMS_MAX = 1_000;
/** How often sessions and keys are checked, and changes are read whose notification was lost. */
const CHECKED_EVERY_MS = 2_000;
/** Interval of heartbeats, which keep proxies from closing an idle connection. */
const HEARTBEAT_EVERY_MS = 15_000;
/** A reader that takes nothing for this long is disconnected. */
const STALLED_AFTER_MS = 10_000;
/** How long a WebSocket may take to answer the close frame when the service stops. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Unread bytes of a WebSocket above which the next change waits. */
const UNREAD_BYTES = 64 * 1024;

const WS_PATH = '/api/changes/ws';

/** The connection of a stream's reader. */
interface Sink {
  /** Resolves once more may be sent, or the connection is closed. */
  send(event: ChangeEvent): Promise<unknown>;
  heartbeat(): void;
  /** Sends the reason and closes; unread messages are dropped. */
  end(why: StreamEnd): void;
}

interface Stream {
  headers: IncomingMessage['headers'];
  principal: Principal;
  logId: string;
  /** The last seq that was checked. */
  seq: number;
  types: ReadonlySet<string> | undefined;
  sink: Sink;
  /** What the reader could read at the last check. */
  readAccess: ReadAccess;
  abort: AbortController;
}

export function openChangeStreams(deps: StreamDependencies): ChangeStreams {
  const { pool, access, settings, log, notifications, metrics } = deps;
  const read = readChanges(deps.readModels);
  const streams = new Set<Stream>();
  const open = metrics.gauge('change_streams', 'Open streams of the change feed');
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false });

  /** Streams that are up to date wait at the same seq: they share the next page. */
  let pages = new Map<number, Promise<ChangePage>>();
  let wakes = 0;
  const wakeUps = new EventEmitter().setMaxListeners(0);
  const wakeStreams = () => {
    wakes += 1;
    pages = new Map();
    wakeUps.emit('wake');
  };
  notifications.on('projected', wakeStreams);
  notifications.onConnected(wakeStreams);

  async function pageAfter(seq: number): Promise<ChangePage> {
    const reading = pages.get(seq) ?? read(seq);
    pages.set(seq, reading);
    const page = await reading;
    // A full page is of the past, where other streams are unlikely to be.
    if (page.isFull) pages.delete(seq);
    return page;
  }

  let closing = false;

  async function openStream(
    headers: IncomingMessage['headers'],
    principal: Principal,
    query: ChangesQuery,
    sink: Sink,
  ): Promise<Stream> {
    requireReader(principal);
    if (closing) throw new Refusal('UNAVAILABLE', 'The service is restarting. Please try again.', undefined, 1);
    const ofOne = [...streams].filter((stream) => stream.principal.userId === principal.userId).length;
    if (ofOne >= STREAMS_OF_ONE || streams.size >= STREAMS_MAX) {
      throw new Refusal('TOO_MANY_REQUESTS', 'Too many streams are open: close one first', undefined, 10);
    }
    const logId = await logIdOf(pool);
    const after = parseCursor(headers['last-event-id']?.toString() ?? query.after, logId);
    // A stream without a cursor starts at the current seq.
    const seq = after ?? ((await pool.query('SELECT seq FROM platform.reader')).rows[0].seq as number);
    const actor = actorOf(principal);
    const readAccess = readAccessOf(access.snapshot(), actor);
    return {
      headers,
      principal,
      logId,
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
    open.set(streams.size);
    try {
      while (!abort.signal.aborted) {
        const wakesBefore = wakes;
        const page = await pageAfter(stream.seq);
        for (const stored of page.changes) {
          if (abort.signal.aborted) return;
          stream.seq = stored.change.seq;
          if (stream.types && !stream.types.has(stored.change.type)) continue;
          // Checked at the moment of sending: grants may have changed while the reader was slow.
          if (mayReadChange(access.snapshot(), actorOf(stream.principal), stored)) {
            await sendInTime(stream, sink.send(toChangeEvent(logId, stored)));
          }
        }
        if (!page.isFull && wakes === wakesBefore) await once(wakeUps, 'wake', abort);
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      log.warn({ err: error }, 'A stream of changes broke off');
      disconnect(stream, STREAM_ENDS.restarting);
    } finally {
      streams.delete(stream);
      open.set(streams.size);
    }
  }

  async function sendInTime(stream: Stream, sent: Promise<unknown>): Promise<void> {
    const patience = setTimeout(() => disconnect(stream, STREAM_ENDS.stalled), STALLED_AFTER_MS);
    await sent.finally(() => clearTimeout(patience));
  }

  function disconnect(stream: Stream, why: StreamEnd): void {
    if (stream.abort.signal.aborted) return;
    stream.abort.abort();
    stream.sink.end(why);
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
    wakeStreams();
    checkPrincipals().catch((error: unknown) => log.warn({ err: error }, 'Readers of changes could not be checked'));
  }, CHECKED_EVERY_MS);
  const heartbeats = setInterval(() => {
    for (const { sink } of streams) sink.heartbeat();
  }, HEARTBEAT_EVERY_MS);

  async function handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Other sites can make a browser open a WebSocket with our cookie, but not with an API key.
    if (request.headers.cookie !== undefined && !fromOwnPage(request.headers, settings.PUBLIC_URL)) {
      throw new Refusal('ORIGIN', 'CSRF check failed: the request comes from another origin');
    }
    const principal = await authenticate(request.headers, deps);
    if (!principal) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const query = ChangesQuery.parse(Object.fromEntries(searchParams));
    const pending: { ws?: WebSocket } = {};
    const stream = await openStream(request.headers, principal, query, socketSink(pending));
    if (socket.destroyed) return;
    sockets.handleUpgrade(request, socket, head, (ws) => {
      pending.ws = ws;
      ws.on('error', () => ws.terminate());
      ws.once('close', () => stream.abort.abort());
      void run(stream);
    });
  }

  return {
    async sendEvents({ raw, response, principal, query }) {
      const stream = await openStream(raw.headers, principal, query, eventSink(response));
      response.once('close', () => stream.abort.abort());
      response.status(200).set({
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
        // The connection ends with the stream, so that a stopping service need not wait for its next request.
        Connection: 'close',
      });
      response.flushHeaders();
      // Sends the first id, so that a reader can resume even before its first change.
      response.write(`retry: 2000\nid: ${stream.logId}:${stream.seq}\nevent: begin\ndata: {}\n\n`);
      await run(stream);
    },

    attach(server) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const [path = ''] = (request.url ?? '').split('?');
        if (path.startsWith('/socket.io/')) return;
        if (path !== WS_PATH) return void socket.destroy();
        socket.on('error', () => socket.destroy());
        handleUpgrade(request, socket, head).catch((error: unknown) => {
          const refusal = toRefusal(error);
          if (!refusal) log.error({ err: error }, 'A WebSocket of changes could not be opened');
          refuseUpgrade(socket, refusal);
        });
      });
    },

    accessChanged: checkReadAccess,

    close() {
      closing = true;
      clearInterval(checking);
      clearInterval(heartbeats);
      for (const stream of [...streams]) disconnect(stream, STREAM_ENDS.restarting);
      sockets.close();
      // A client that does not answer the close frame must not delay the restart.
      setTimeout(() => {
        for (const ws of sockets.clients) ws.terminate();
      }, CLOSE_TIMEOUT_MS).unref();
    },
  };
}

/** Sends a stream as server-sent events. */
function eventSink(response: ApiRequest['response']): Sink {
  return {
    async send(event) {
      const text = `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      if (!response.write(text)) await waitForDrain(response);
    },
    heartbeat: () => void response.write(': still here\n\n'),
    end({ reason, message }) {
      if (response.writableLength > 0) response.destroy();
      else response.end(`event: end\ndata: ${JSON.stringify({ reason, message })}\n\n`);
    },
  };
}

/** Sends a stream over a WebSocket, which is set once the upgrade is granted. */
function socketSink(pending: { ws?: WebSocket }): Sink {
  let hasAnswered = true;
  return {
    async send(event) {
      const { ws } = pending;
      if (!ws) return;
      const sent = new Promise<void>((resolve) => ws.send(JSON.stringify(event), () => resolve()));
      if (ws.bufferedAmount > UNREAD_BYTES) await sent;
    },
    heartbeat() {
      const { ws } = pending;
      if (!ws) return;
      if (!hasAnswered) return ws.terminate();
      hasAnswered = false;
      ws.once('pong', () => {
        hasAnswered = true;
      });
      ws.ping();
    },
    end({ closeCode, message }) {
      const { ws } = pending;
      if (!ws || ws.readyState !== WebSocket.OPEN) return;
      if (ws.bufferedAmount > 0) ws.terminate();
      else ws.close(closeCode, message);
    },
  };
}

/** The grants of a reader, as far as losing one ends its streams. */
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

/** Rejects an upgrade with an HTTP response: there is no response object yet. */
function refuseUpgrade(socket: Duplex, refusal: Refusal | undefined): void {
  if (socket.destroyed) return;
  const { status, message, code } = refusal ?? {
    status: 500,
    message: 'Something went wrong on our side',
    code: 'INTERNAL',
  };
  const body = JSON.stringify({ error: message, code, details: refusal?.details });
  const headers = ['Connection: close', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  if (refusal?.retryAfter !== undefined) headers.push(`Retry-After: ${refusal.retryAfter}`);
  socket.end(`HTTP/1.1 ${status} ${code}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}
