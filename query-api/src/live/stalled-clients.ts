/** Finds clients of the live channel that do not read, so that their unread messages do not fill the memory. */

/**
 * A client is disconnected if it stays above a limit for `UNREAD_TIMEOUT_MS`, or if it exceeds four times a limit. The
 * timeout lets clients read a burst of messages. A disconnected client reconnects and requests the missed changes.
 */
const UNREAD_BYTES = 1024 * 1024;
const UNREAD_PACKETS = 1_000;
const UNREAD_TIMEOUT_MS = 2_000;
export const UNREAD_CHECK_EVERY_MS = 1_000;

/** The parts of a socket that the check uses. */
export interface UnreadSocket {
  data: {
    /** Since when the client is above a limit, in milliseconds; undefined if it is not. */
    unreadSince?: number | undefined;
  };
  conn: object;
}

/** Yields the clients to disconnect. Sets or clears the `unreadSince` of each client. */
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

/** Returns the larger of two shares: unread packets and unread bytes, each divided by its limit. */
function unreadShare(socket: UnreadSocket): number {
  const { writeBuffer, transport } = socket.conn as {
    writeBuffer: unknown[];
    transport: { socket?: { bufferedAmount?: number } };
  };
  return Math.max(writeBuffer.length / UNREAD_PACKETS, (transport.socket?.bufferedAmount ?? 0) / UNREAD_BYTES);
}
