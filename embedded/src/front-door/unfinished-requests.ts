/**
 * Limits requests whose head or body has not arrived completely, because each of them needs memory and a connection.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { rawRefusal } from './responses.ts';

export interface UnfinishedLimits {
  /** A head must arrive completely within this time. */
  headMs: number;
  /** The interval at which Node's server checks for late heads. */
  headCheckMs: number;
  /**
   * Maximum number of unfinished requests from one address; undefined behind a trusted proxy, because all callers share
   * its address.
   */
  perAddress: number | undefined;
  /** Maximum number of unfinished requests from all addresses. */
  total: number;
  /** Maximum number of heads larger than `HEAD_BYTES` that are being read. */
  largeHeads: number;
  /** A request is refused when its body pauses for this long. Time with unread bytes does not count. */
  bodySilenceMs: number;
  checkEveryMs: number;
}

export const UNFINISHED_LIMITS: UnfinishedLimits = {
  headMs: 30_000,
  headCheckMs: 5_000,
  perAddress: 50,
  total: 500,
  largeHeads: 64,
  bodySilenceMs: 60_000,
  checkEveryMs: 250,
};

/** Maximum size of the head of a request. The query of a list with a filter does not count. */
export const HEAD_BYTES = 16 * 1024;

interface Connection {
  socket: Socket;
  /** The request whose head has arrived completely, but whose body has not. */
  exchange: { request: IncomingMessage; response: ServerResponse } | undefined;
  /** The number of received bytes when the connection last had no unfinished request. */
  bytesAtRest: number;
  /** The number of received bytes at the last check that found an unfinished request. */
  bytesAtCheck: number;
  /** The time of the last check that found new or unread bytes; initially the time of the connection. */
  activeAt: number;
}

const TOO_MANY = 'Too many unfinished requests';
/** Time that the client of a refused connection has to read the answer. */
const CLOSE_MS = 1_000;

/**
 * Enforces the limits on the connections of a server. `admits` must be called first for each request: it returns false
 * if the request was refused.
 */
export function limitUnfinished(
  server: Server,
  limits: UnfinishedLimits,
): { admits: (request: IncomingMessage, response: ServerResponse) => boolean } {
  const connections = new Map<Socket, Connection>();
  let checkTimer: NodeJS.Timeout | undefined;

  server.on('connection', (socket: Socket) => {
    const activeAt = Date.now();
    connections.set(socket, { socket, exchange: undefined, bytesAtRest: 0, bytesAtCheck: 0, activeAt });
    checkTimer ??= setInterval(check, limits.checkEveryMs).unref();
    socket.once('close', () => forget(socket));
  });
  // After an upgrade, the connection is a WebSocket and has no requests any more.
  server.on('upgrade', ({ socket }) => forget(socket));
  server.on('close', () => clearInterval(checkTimer));

  function forget(socket: Socket): void {
    connections.delete(socket);
    if (connections.size > 0) return;
    clearInterval(checkTimer);
    checkTimer = undefined;
  }

  function admits(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = connections.get(request.socket);
    if (connection === undefined) return false;
    const received = request.socket.bytesRead - connection.bytesAtRest;
    if (received > HEAD_BYTES && headBytes(request) > HEAD_BYTES) {
      refuseConnection(connection, 431, `The head of this request is too large: at most ${HEAD_BYTES / 1024} KiB`);
      return false;
    }
    if (hasBody(request)) {
      connection.exchange = { request, response };
      // When this request closes, the next request of the connection may already have begun.
      const finish = () => connection.exchange?.request === request && markFinished(connection);
      request.once('end', finish).once('close', finish);
    } else markFinished(connection);
    return true;
  }

  function markFinished(connection: Connection): void {
    connection.exchange = undefined;
    connection.bytesAtRest = connection.socket.bytesRead;
  }

  function check(): void {
    const now = Date.now();
    const unfinished = [...connections.values()].filter(isUnfinished);
    for (const connection of unfinished) {
      const { socket, exchange, bytesAtCheck } = connection;
      // While bytes are unread, no more can arrive: the service is slow, not the caller.
      const isUnread = exchange !== undefined && exchange.request.readableLength > 0;
      if (socket.bytesRead !== bytesAtCheck || isUnread) connection.activeAt = now;
      connection.bytesAtCheck = socket.bytesRead;
      if (exchange && now - connection.activeAt >= limits.bodySilenceMs) {
        refuseConnection(
          connection,
          408,
          `Nothing of this request arrived for ${limits.bodySilenceMs / 1_000} seconds`,
        );
      }
    }
    // Above a limit, refuse the least recently active requests.
    const byActivity = unfinished.sort((a, b) => b.activeAt - a.activeAt);
    let largeHeads = 0;
    const countByAddress = new Map<string, number>();
    let total = 0;
    for (const connection of byActivity) {
      const { socket } = connection;
      if (!connections.has(socket)) continue;
      if (isLargeHead(connection) && ++largeHeads > limits.largeHeads) {
        refuseConnection(
          connection,
          431,
          `Too many requests with a head over ${HEAD_BYTES / 1024} KiB. Please try again.`,
        );
        continue;
      }
      const address = socket.remoteAddress ?? '';
      const count = (countByAddress.get(address) ?? 0) + 1;
      if (limits.perAddress !== undefined && count > limits.perAddress) {
        refuseConnection(
          connection,
          429,
          `${TOO_MANY} from your address: at most ${limits.perAddress}. Finish some first.`,
        );
      } else if (total === limits.total) {
        refuseConnection(connection, 503, `${TOO_MANY}. Please try again.`);
      } else {
        countByAddress.set(address, count);
        total += 1;
      }
    }
  }

  function refuseConnection({ socket, exchange }: Connection, status: 408 | 429 | 431 | 503, error: string): void {
    forget(socket);
    if (exchange?.response.headersSent) socket.destroy();
    else socket.end(rawRefusal(status, error));
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
  }

  return { admits };
}

const isUnfinished = ({ socket, exchange, bytesAtRest }: Connection): boolean =>
  exchange !== undefined || socket.bytesRead > bytesAtRest;

const isLargeHead = ({ socket, exchange, bytesAtRest }: Connection): boolean =>
  exchange === undefined && socket.bytesRead - bytesAtRest > HEAD_BYTES;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;

/**
 * Returns the size of a head. The query of a list with a filter does not count, because a filter may be as long as
 * `HEADER_BYTES_MAX` allows.
 */
function headBytes({ method, url = '', rawHeaders }: IncomingMessage): number {
  const isList = (method === 'GET' || method === 'HEAD') && /[?&]filter=/.test(url);
  const urlLength = isList ? url.indexOf('?') : url.length;
  return rawHeaders.reduce((sum, text) => sum + text.length, urlLength);
}
