/**
 * Serves streams of the change feed as server-sent events and over WebSockets. A stream begins after the cursor of its
 * reader. Without a cursor, the stream begins at the end of the feed.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChangesQuery, Refusal } from '@rdm/contracts';
import { type ApiRequest, AUTHENTICATE, authenticate, toRefusal } from '@rdm/platform';
import { WebSocket, WebSocketServer } from 'ws';
import { waitForDrain } from '../http/download.ts';
import { isAllowedOrigin } from '../http/origin.ts';
import { sendEventsHead } from '../http/server-sent-events.ts';
import type { ChangeStreams } from './change-stream-server.ts';
import { openStreams, type Sink, type StreamDependencies } from './open-streams.ts';

/** How long a WebSocket may take to answer the close frame when the service stops. */
const CLOSE_TIMEOUT_MS = 1_000;
/** While more bytes than this wait to be sent over a WebSocket, the WebSocket gets no further change. */
const UNSENT_BYTES_MAX = 64 * 1024;

const WS_PATH = '/api/changes/ws';

export function openChangeStreams(deps: StreamDependencies): ChangeStreams {
  const { settings, log } = deps;
  const streams = openStreams(deps);
  const closing = new AbortController();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false });

  async function handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // A page of another site can open a WebSocket with the user's cookie, but not with an API key.
    if (request.headers.cookie !== undefined && !isAllowedOrigin(request.headers, settings.PUBLIC_URL)) {
      throw new Refusal('ORIGIN', 'CSRF check failed: the request comes from another origin');
    }
    const principal = await authenticate(request.headers, deps);
    if (!principal) throw new Refusal('UNAUTHENTICATED', 'Sign in first');
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const query = ChangesQuery.parse(Object.fromEntries(searchParams));
    const pending: { ws?: WebSocket } = {};
    const stream = await streams.open(request.headers, principal, query, socketSink(pending));
    if (socket.destroyed) return;
    sockets.handleUpgrade(request, socket, head, (ws) => {
      pending.ws = ws;
      ws.on('error', () => ws.terminate());
      ws.once('close', () => stream.abort.abort());
      void streams.run(stream);
    });
  }

  return {
    async sendEvents({ raw, response, principal, query }) {
      const stream = await streams.open(raw.headers, principal, query, eventSink(response));
      response.once('close', () => stream.abort.abort());
      sendEventsHead(response);
      // Sends the first id, so that a reader can resume even before its first change.
      response.write(`retry: 2000\nid: ${stream.logId}:${stream.seq}\nevent: begin\ndata: {}\n\n`);
      await streams.run(stream);
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

    accessChanged: () => streams.checkReadAccess(),

    closing: closing.signal,

    close() {
      closing.abort();
      streams.close();
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

/** Sends a stream over a WebSocket; `pending.ws` is set when the upgrade is accepted. */
function socketSink(pending: { ws?: WebSocket }): Sink {
  let hasAnswered = true;
  return {
    async send(event) {
      const { ws } = pending;
      if (!ws) return;
      const sent = new Promise<void>((resolve) => ws.send(JSON.stringify(event), () => resolve()));
      if (ws.bufferedAmount > UNSENT_BYTES_MAX) await sent;
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

/** Refuses an upgrade. Writes the HTTP response to the socket, because an upgrade has no response object. */
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
  if (status === 401) headers.push(`WWW-Authenticate: ${AUTHENTICATE}`);
  socket.end(`HTTP/1.1 ${status} ${code}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}
