/** Forwards requests and WebSockets to a service on this machine or the next: streamed both ways, nothing large ever buffered, never left hanging. */
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type Duplex, Transform, type TransformCallback } from 'node:stream';
import { KEPT_MS } from '@rdm/platform/http/listening';
import { type Dispatcher, errors, Pool } from 'undici';
import { refuse, requestIdOf, UNAVAILABLE } from './answers.ts';
import { instanceName, type Target } from './target.ts';

export type Proxy = {
  /**
   * Sends a request to the first target, and to the next one where that is safe: the first was never sent it, or it is a GET
   * or HEAD whose connection broke before an answer.
   */
  forward(request: IncomingMessage, response: ServerResponse, targets: readonly Target[]): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, targets: readonly Target[]): void;
  /** Gives a request to a service of this very process, which answers it as if it had taken it itself. */
  hand(request: IncomingMessage, response: ServerResponse, service: Server): void;
  handUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, service: Server): void;
  /**
   * Cuts what never ends by itself: WebSockets and streams of events. A service of this process that stops as well tells those
   * whom it holds why, and has a moment for it.
   */
  cutStreams(): void;
  /** Lets go of the connections to the services. */
  close(): void;
};

export type ProxyOptions = {
  /** The scheme under which browsers come. */
  protocol: 'http' | 'https';
  /** Another proxy of ours stands before this one: what it says about the caller is believed. */
  trustForwarded?: boolean;
  /** Requests come from the house itself and speak for the public pages: this is their origin. */
  origin?: string;
  /** A service that is silent for so long, before it begins to answer, counts as not available. */
  silenceMs?: number;
  /** Called when no connection to a target could be made. */
  onUnreachable?: (target: Target) => void;
};

/** Headers that no stranger may set, or that are for this door alone. */
const OURS = [
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id'],
  ...['x-service-secret', 'x-instance', 'proxy-authorization'],
];
/** Those, and what concerns one connection only. */
const NOT_FORWARDED = new Set([
  ...OURS,
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'expect', 'transfer-encoding'],
]);
const NOT_RETURNED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'transfer-encoding',
  'trailer',
  'upgrade',
]);

/** Answers up to here are sent in one piece. */
const SMALL_BYTES = 64 * 1024;

/** What a service of this process has not ended by then is cut. */
const FAREWELL_MS = 1_000;

/** So much of a body goes through before others have their turn. */
const TURN_BYTES = 64 * 1024;

/** The body of a request on its way: as fast as it comes, an upload would have the process to itself for megabytes. */
class Passage extends Transform {
  #bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, passed: TransformCallback): void {
    this.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < TURN_BYTES) {
      passed();
      return;
    }
    this.#bytes = 0;
    setImmediate(passed);
  }
}

export function createProxy(options: ProxyOptions): Proxy {
  const { protocol, trustForwarded, origin, silenceMs = 60_000, onUnreachable = () => {} } = options;
  const pools = new Map<string, Pool>();
  const endless = new Set<Duplex | ServerResponse>();
  const handed = new Set<Duplex>();

  function keep<Kept extends Duplex | ServerResponse>(stream: Kept, among: Set<Kept>): void {
    among.add(stream);
    stream.once('close', () => among.delete(stream));
  }

  function forwardedHeaders(incoming: IncomingMessage, target: Target): string[] {
    const headers: string[] = [];
    const raw = incoming.rawHeaders;
    for (let index = 0; index < raw.length; index += 2) {
      const [name = '', value = ''] = [raw[index], raw[index + 1]];
      const known = name.toLowerCase();
      if (NOT_FORWARDED.has(known) || (known === 'origin' && origin !== undefined)) continue;
      headers.push(name, value);
    }
    for (const [name, value] of Object.entries(saidOf(incoming))) headers.push(name, value);
    // The instance begins the ids of its sessions with it.
    if (incoming.url?.startsWith('/socket.io/')) headers.push('x-instance', instanceName(target));
    return headers;
  }

  /** What this door says of a request, and the services believe. */
  function saidOf(incoming: IncomingMessage): Record<string, string> {
    const said = (name: string) => (trustForwarded ? incoming.headers[name]?.toString() : undefined);
    // The proxy before this one wrote the address it saw last; what stands before that, anybody may have written.
    const seen = said('x-forwarded-for')?.split(',').at(-1)?.trim();
    return {
      'x-forwarded-for': seen || (incoming.socket.remoteAddress ?? ''),
      'x-forwarded-proto': said('x-forwarded-proto') ?? protocol,
      'x-forwarded-host': said('x-forwarded-host') ?? incoming.headers.host ?? '',
      'x-request-id': requestIdOf(incoming),
      ...(origin !== undefined && { origin }),
    };
  }

  /** As the service finds it behind this door. */
  function told(incoming: IncomingMessage): IncomingMessage {
    const said = saidOf(incoming);
    for (const name of OURS) if (name in incoming.headers) delete incoming.headers[name];
    Object.assign(incoming.headers, said);
    return incoming;
  }

  function poolOf({ host, port }: Target): Pool {
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const known = pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      headersTimeout: silenceMs,
      // Streams of events may be silent for as long as they like.
      bodyTimeout: 0,
      // Given up long before the service does: what is sent into a connection that it closes just then cannot be sent again.
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
    // Not the request itself: whoever refuses an upload early lets go of its body, and the caller has to hear of it.
    const body = hasBody ? new Passage() : null;
    let isStarted = false;
    let abandon = () => {};
    let text: string | undefined;

    poolOf(target).dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path: incoming.url ?? '/',
        headers: forwardedHeaders(incoming, target),
        body,
      },
      {
        onRequestStart(controller) {
          isStarted = true;
          // Not before there is a connection: until then another target can be sent the whole body.
          if (body) incoming.pipe(body);
          abandon = () => controller.abort(new errors.RequestAbortedError());
          if (response.destroyed) abandon();
          else response.once('close', abandon);
        },
        onResponseStart(controller, status, headers, words) {
          response.sendDate = false;
          response.writeHead(status, words ?? '', returnedHeaders(controller.rawHeaders));
          if (Number(headers['content-length']) <= SMALL_BYTES) text = '';
          if (!String(headers['content-type']).startsWith('text/event-stream')) return;
          keep(response, endless);
        },
        onResponseData(controller, chunk) {
          // Small answers in one piece, head and body: as a text, which Node puts behind the head, byte for byte.
          if (text !== undefined) text += chunk.toString('latin1');
          else if (!response.write(chunk)) {
            controller.pause();
            response.once('drain', () => controller.resume());
          }
        },
        onResponseEnd() {
          response.off('close', abandon);
          if (body) incoming.unpipe(body).resume();
          if (text) response.end(text, 'latin1');
          else response.end();
        },
        onResponseError(_controller, error) {
          response.off('close', abandon);
          if (!isStarted && isConnectError(error)) {
            onUnreachable(target);
            if (attempt + 1 < targets.length && !response.destroyed) {
              forward(incoming, response, targets, attempt + 1);
              return;
            }
          }
          if (body) incoming.unpipe(body).resume();
          // Breaks off the connection where the service broke off: the caller must not take a part for the whole.
          if (response.headersSent) response.destroy();
          if (response.destroyed) return;
          // The service closed a connection it had kept at the very moment it was used again: nothing was done with the request.
          const isClosed = error instanceof errors.SocketError || ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
          const isRepeatable = !hasBody && (method === 'GET' || method === 'HEAD');
          if (isClosed && isRepeatable && attempt < targets.length) forward(incoming, response, targets, attempt + 1);
          else refuse(incoming, response, 503, 'UNAVAILABLE', UNAVAILABLE);
        },
      },
    );
  }

  function upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer, targets: readonly Target[]): void {
    const [target, ...others] = targets;
    if (target === undefined || socket.destroyed) {
      refuseUpgrade(socket, 503, 'Service Unavailable');
      return;
    }
    const headers = [...forwardedHeaders(incoming, target), ...['Connection', 'Upgrade']];
    headers.push('Upgrade', incoming.headers.upgrade ?? '');
    let isAnswered = false;
    const outgoing = request({ ...target, method: 'GET', path: incoming.url ?? '/', headers, agent: false });
    const abandon = () => outgoing.destroy();
    keep(socket, endless);
    socket.on('error', abandon); // a reset by the browser
    socket.once('close', abandon);
    outgoing.setTimeout(silenceMs, abandon);

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
      // A browser that has ended its side is gone: a WebSocket has no use for half a connection.
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
      if (!isAnswered) upgrade(incoming, socket, head, others);
    });
    outgoing.end();
  }

  return {
    forward,
    upgrade,
    hand(incoming, response, service) {
      response.setHeader('X-Content-Type-Options', 'nosniff');
      service.emit('request', told(incoming), response);
    },
    handUpgrade(incoming, socket, head, service) {
      keep(socket, handed);
      service.emit('upgrade', told(incoming), socket, head);
    },
    cutStreams() {
      for (const stream of endless) stream.destroy();
      setTimeout(() => {
        for (const socket of handed) socket.destroy();
      }, FAREWELL_MS).unref();
    },
    close() {
      for (const pool of pools.values()) pool.destroy();
    },
  };
}

/** Ends an upgrade that leads nowhere, in the words of HTTP: there is no response object yet. */
export function refuseUpgrade(socket: Duplex, status: number, words: string): void {
  if (socket.destroyed) return;
  const retry = status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.end(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\nContent-Length: 0\r\n${retry}\r\n`);
}

/** Not an error of undici about the request itself. */
const isConnectError = (error: Error): boolean =>
  !(error instanceof errors.UndiciError) || error instanceof errors.ConnectTimeoutError;

const codeOf = (error: Error): string => String('code' in error && error.code);

/** `raw`: names and values in turn. */
function returnedHeaders(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  const headers: string[] = [];
  let saysType = false;
  const parts = Array.isArray(raw) ? raw : [];
  for (let index = 0; index < parts.length; index += 2) {
    const name = latin1(parts[index]);
    const known = name.toLowerCase();
    if (NOT_RETURNED.has(known)) continue;
    saysType ||= known === 'x-content-type-options';
    headers.push(name, latin1(parts[index + 1]));
  }
  if (!saysType) headers.push('X-Content-Type-Options', 'nosniff');
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
