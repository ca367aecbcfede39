/** Finds clients of the live channel that do not read, so that their messages do not pile up. */

/**
 * A client that leaves this much unread for a while is disconnected, and at once with four times as much; it reconnects and
 * requests the changes that it missed. A burst alone is no reason: reading it takes a moment.
 */
const UNREAD_BYTES = 1024 * 1024;
const UNREAD_PACKETS = 1_000;
const UNREAD_PATIENCE_MS = 2_000;
export const UNREAD_CHECK_EVERY_MS = 1_000;

/** The parts of a socket that the check uses. */
export interface UnreadSocket {
  data: {
    /** Since when the client leaves too much unread. */
    unreadSince?: number | undefined;
  };
  conn: object;
}

/** Yields the clients that have left too much unread for too long; records the start for the others. */
export function* findStalledClients<Socket extends UnreadSocket>(
  sockets: Iterable<Socket>,
  now: number,
): Generator<Socket> {
  for (const socket of sockets) {
    const share = unreadShare(socket);
    if (share <= 1) socket.data.unreadSince = undefined;
    else socket.data.unreadSince ??= now;
    const since = socket.data.unreadSince;
    if (since !== undefined && (share > 4 || now - since >= UNREAD_PATIENCE_MS)) yield socket;
  }
}

/** The unread messages of a client, as a share of the limit. */
function unreadShare(socket: UnreadSocket): number {
  const { writeBuffer, transport } = socket.conn as {
    writeBuffer: unknown[];
    transport: { socket?: { bufferedAmount?: number } };
  };
  return Math.max(writeBuffer.length / UNREAD_PACKETS, (transport.socket?.bufferedAmount ?? 0) / UNREAD_BYTES);
}
