/** Forwards requests and WebSockets to a service without large buffers, and answers or ends each request. */
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type Duplex, Transform, type TransformCallback } from 'node:stream';
import { KEPT_MS } from '@rdm/platform/http/listening';
import { type Dispatcher, errors, Pool } from 'undici';
import { type ForwardedHeaders, type ForwardedHeadersOptions, forwardedHeaders } from './forwarded-headers.ts';
import { refuse, UNAVAILABLE } from './responses.ts';
import type { Target } from './target.ts';

export type Proxy = {
  /**
   * Sends a request to the first target. Tries the next target if no connection was made, or if the connection broke
   * before the answer to a GET or HEAD without a body. If the connection to the last target broke, tries the first
   * target once more. Answers 503 if no target answers.
   */
  forward(request: IncomingMessage, response: ServerResponse, targets: readonly Target[]): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, targets: readonly Target[]): void;
  /** Passes a request to a service in this process. */
  emitRequest(request: IncomingMessage, response: ServerResponse, service: Server): void;
  emitUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, service: Server): void;
  /**
   * Ends the WebSockets and event streams of services in other processes, which would never end otherwise. Ends the
   * WebSockets of services in this process a second later, so that these services can send the reason to the clients.
   */
  endStreams(): void;
  /** Closes the connections to the services. */
  close(): void;
};

export type ProxyOptions = ForwardedHeadersOptions & {
  /** A service that does not start to answer within this time counts as unavailable. */
  silenceMs?: number;
  /** Called when a request could not connect to a target; not called for WebSockets. */
  onUnreachable?: (target: Target) => void;
};

/** Headers of services that are not returned to callers, because they concern only one connection. */
const NOT_RETURNED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'transfer-encoding',
  'trailer',
  'upgrade',
]);

/** Answers up to this size are sent in one piece. */
const SMALL_BYTES = 64 * 1024;

/** Time that a service in this process has to end its own WebSockets before they are destroyed. */
const OWN_CLOSE_MS = 1_000;

/** After this many bytes of a body, other requests are served before the next bytes are forwarded. */
const TURN_BYTES = 64 * 1024;

/** Yields to the event loop between parts of a request body, because a fast upload would otherwise block it. */
class YieldingBody extends Transform {
  #bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < TURN_BYTES) {
      done();
      return;
    }
    this.#bytes = 0;
    setImmediate(done);
  }
}

export function createProxy(options: ProxyOptions): Proxy {
  const { silenceMs = 60_000, onUnreachable = () => {} } = options;
  const headers = forwardedHeaders(options);
  const pools = new Map<string, Pool>();
  const longLived = new Set<Duplex | ServerResponse>();
  const emittedSockets = new Set<Duplex>();

  function track<Stream extends Duplex | ServerResponse>(stream: Stream, streams: Set<Stream>): void {
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
  }

  function poolOf({ host, port }: Target): Pool {
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const existing = pools.get(origin);
    if (existing) return existing;
    const pool = new Pool(origin, {
      headersTimeout: silenceMs,
      // Event streams may be silent for any time.
      bodyTimeout: 0,
      // Close idle connections before the service does: a write cannot be repeated if the service closes the connection
      // at the same time.
      keepAliveMaxTimeout: KEPT_MS / 2,
    });
    pools.set(origin, pool);
    return pool;
  }

  function forward(incoming: IncomingMessage, response: ServerResponse, targets: readonly Target[], attempt = 0): void {
    const target = targets[attempt % targets.length];
    if (target === undefined) throw new Error('A request needs a target');
    const { method = 'GET' } = incoming;
    const hasBody =
      incoming.headers['transfer-encoding'] !== undefined || Number(incoming.headers['content-length']) > 0;
    // undici destroys the body of an upload that is refused early. The body is not the request itself, so that the
    // caller still gets the answer.
    const body = hasBody ? new YieldingBody() : null;
    let isStarted = false;
    let abort = () => {};
    let text: string | undefined;

    poolOf(target).dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path: incoming.url ?? '/',
        headers: headers.rawFor(incoming, target),
        body,
      },
      {
        onRequestStart(controller) {
          isStarted = true;
          // Send the body only when there is a connection: before that, the request can still go to another target.
          if (body) incoming.pipe(body);
          abort = () => controller.abort(new errors.RequestAbortedError());
          if (response.destroyed) abort();
          else response.once('close', abort);
        },
        onResponseStart(controller, status, answerHeaders, statusText) {
          response.sendDate = false;
          response.writeHead(status, statusText ?? '', returnedHeaders(controller.rawHeaders));
          if (Number(answerHeaders['content-length']) <= SMALL_BYTES) text = '';
          if (!String(answerHeaders['content-type']).startsWith('text/event-stream')) return;
          track(response, longLived);
        },
        onResponseData(controller, chunk) {
          // Head and body of a small answer are sent in one write: Node appends latin1 text to the head unchanged.
          if (text !== undefined) text += chunk.toString('latin1');
          else if (!response.write(chunk)) {
            controller.pause();
            response.once('drain', () => controller.resume());
          }
        },
        onResponseEnd() {
          response.off('close', abort);
          if (body) incoming.unpipe(body).resume();
          if (body && !incoming.complete && !response.shouldKeepAlive) {
            // The end of the response closes the connection. A caller that still sends would lose the response.
            if (text) response.write(text, 'latin1');
            incoming.once('end', () => response.end());
          } else if (text) response.end(text, 'latin1');
          else response.end();
        },
        onResponseError(_controller, error) {
          response.off('close', abort);
          if (!isStarted && isConnectError(error)) {
            onUnreachable(target);
            if (attempt + 1 < targets.length && !response.destroyed) {
              forward(incoming, response, targets, attempt + 1);
              return;
            }
          }
          if (body) incoming.unpipe(body).resume();
          // End the connection after a partial answer, so that the caller does not take the answer for complete.
          if (response.headersSent) response.destroy();
          if (response.destroyed) return;
          // A service that closes an idle connection at the moment of the request has not handled the request.
          const isClosed = error instanceof errors.SocketError || ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
          const isRepeatable = !hasBody && (method === 'GET' || method === 'HEAD');
          if (isClosed && isRepeatable && attempt < targets.length) forward(incoming, response, targets, attempt + 1);
          else refuse(incoming, response, 503, 'UNAVAILABLE', UNAVAILABLE);
        },
      },
    );
  }

  return {
    forward,
    upgrade(incoming, socket, head, targets) {
      if (!socket.destroyed) track(socket, longLived);
      tunnel(incoming, socket, head, targets, { headers, silenceMs });
    },
    emitRequest(incoming, response, service) {
      response.setHeader('X-Content-Type-Options', 'nosniff');
      service.emit('request', headers.applyTo(incoming), response);
    },
    emitUpgrade(incoming, socket, head, service) {
      track(socket, emittedSockets);
      service.emit('upgrade', headers.applyTo(incoming), socket, head);
    },
    endStreams() {
      for (const stream of longLived) stream.destroy();
      setTimeout(() => {
        for (const socket of emittedSockets) socket.destroy();
      }, OWN_CLOSE_MS).unref();
    },
    close() {
      for (const pool of pools.values()) pool.destroy();
    },
  };
}

/** Forwards a WebSocket to the first target that answers. Refuses the upgrade if no target answers. */
function tunnel(
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  targets: readonly Target[],
  options: { headers: ForwardedHeaders; silenceMs: number },
): void {
  const [target, ...others] = targets;
  if (target === undefined || socket.destroyed) {
    refuseUpgrade(socket, 503, 'Service Unavailable');
    return;
  }
  const raw = [
    ...options.headers.rawFor(incoming, target),
    'Connection',
    'Upgrade',
    'Upgrade',
    incoming.headers.upgrade ?? '',
  ];
  let isAnswered = false;
  const outgoing = request({ ...target, method: 'GET', path: incoming.url ?? '/', headers: raw, agent: false });
  const abandon = () => outgoing.destroy();
  socket.on('error', abandon); // a reset by the browser
  socket.once('close', abandon);
  outgoing.setTimeout(options.silenceMs, abandon);

  outgoing.once('upgrade', (answer, service, serviceHead) => {
    isAnswered = true;
    outgoing.setTimeout(0);
    socket.off('close', abandon);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${rawLines(answer)}\r\n`);
    if (serviceHead.length > 0) socket.write(serviceHead);
    if (head.length > 0) service.write(head);
    service.on('error', () => socket.destroy());
    socket.on('error', () => service.destroy());
    service.once('close', () => socket.destroy());
    socket.once('close', () => service.destroy());
    // A browser that has ended its side has disconnected: WebSockets do not use half-open connections.
    socket.once('end', () => service.end(() => service.destroy()));
    service.pipe(socket).pipe(service, { end: false });
  });
  outgoing.once('response', (answer) => {
    isAnswered = true;
    socket.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n${rawLines(answer, NOT_RETURNED)}`);
    socket.write('Connection: close\r\n\r\n');
    answer.pipe(socket);
  });
  outgoing.once('error', () => {
    if (!isAnswered) tunnel(incoming, socket, head, others, options);
  });
  outgoing.end();
}

/** Refuses an upgrade. Writes the HTTP response to the socket, because an upgrade has no response object. */
export function refuseUpgrade(socket: Duplex, status: number, statusText: string): void {
  if (socket.destroyed) return;
  const retry = status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.end(`HTTP/1.1 ${status} ${statusText}\r\nConnection: close\r\nContent-Length: 0\r\n${retry}\r\n`);
}

/** Whether an error means that no connection could be made; other errors of undici concern an existing connection. */
const isConnectError = (error: Error): boolean =>
  !(error instanceof errors.UndiciError) || error instanceof errors.ConnectTimeoutError;

const codeOf = (error: Error): string => String('code' in error && error.code);

/** Returns the headers to send to the caller; `raw` has alternating names and values. */
function returnedHeaders(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  const headers: string[] = [];
  let hasType = false;
  const parts = Array.isArray(raw) ? raw : [];
  for (let index = 0; index < parts.length; index += 2) {
    const name = latin1(parts[index]);
    const lowerCased = name.toLowerCase();
    if (NOT_RETURNED.has(lowerCased)) continue;
    hasType ||= lowerCased === 'x-content-type-options';
    headers.push(name, latin1(parts[index + 1]));
  }
  if (!hasType) headers.push('X-Content-Type-Options', 'nosniff');
  return headers;
}

const latin1 = (part: Buffer | string = ''): string => (typeof part === 'string' ? part : part.toString('latin1'));

function rawLines(answer: IncomingMessage, except = new Set<string>()): string {
  let lines = '';
  for (let index = 0; index < answer.rawHeaders.length; index += 2) {
    const name = answer.rawHeaders[index] ?? '';
    if (!except.has(name.toLowerCase())) lines += `${name}: ${answer.rawHeaders[index + 1]}\r\n`;
  }
  return lines;
}
