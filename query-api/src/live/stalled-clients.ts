/** Finds clients of the live channel that do not read, so that their unread messages do not fill the memory. */

/**
 * A client with more unread bytes or packets than these limits for `UNREAD_TIMEOUT_MS` is disconnected; with more than
 * four times as much it is disconnected immediately. It reconnects and requests the changes that it missed. The timeout
 * lets clients read a burst of messages.
 */
const UNREAD_BYTES = 1024 * 1024;
const UNREAD_PACKETS = 1_000;
const UNREAD_TIMEOUT_MS = 2_000;
export const UNREAD_CHECK_EVERY_MS = 1_000;

/** The parts of a socket that the check uses. */
export interface UnreadSocket {
  data: {
    /** When the client began to have too much unread data. */
    unreadSince?: number | undefined;
  };
  conn: object;
}

/**
 * Yields the clients to disconnect: those with too much unread data for too long, or with far too much. Records the
 * time for clients that have just begun to have too much.
 */
export function* findStalledClients<Socket extends UnreadSocket>(
  sockets: Iterable<Socket>,
  now: number,
): Generator<Socket> {
  for (const socket of sockets) {
    const share = unreadShare(socket);
    if (share <= 1) socket.data.unreadSince = undefined;
    else socket.data.unreadSince ??= now;
    const since = socket.data.unreadSince;
    if (since !== undefined && (share > 4 || now - since >= UNREAD_TIMEOUT_MS)) yield socket;
  }
}

/** Returns the unread packets or the unread bytes of a client as a share of their limit, whichever share is larger. */
function unreadShare(socket: UnreadSocket): number {
  const { writeBuffer, transport } = socket.conn as {
    writeBuffer: unknown[];
    transport: { socket?: { bufferedAmount?: number } };
  };
  return Math.max(writeBuffer.length / UNREAD_PACKETS, (transport.socket?.bufferedAmount ?? 0) / UNREAD_BYTES);
}
