/** Clients of the live channel that do not read: their messages are not kept without bound. */

/**
 * A client that leaves this much unread for a while is cut, and at once one that leaves four times as much; it comes
 * back and asks for what it missed. A burst alone is no reason: it takes a moment to be read.
 */
const UNREAD_BYTES = 1024 * 1024;
const UNREAD_PACKETS = 1_000;
const UNREAD_PATIENCE_MS = 2_000;
export const UNREAD_LOOKED_AT_EVERY_MS = 1_000;

/** What is looked at of a socket. */
export interface Reading {
  data: {
    /** Since when it leaves too much unread. */
    unreadSince?: number | undefined;
  };
  conn: object;
}

/** Those that have left too much unread for too long; notes since when the others do. */
export function* stalled<Socket extends Reading>(sockets: Iterable<Socket>, now: number): Generator<Socket> {
  for (const socket of sockets) {
    const share = unreadShare(socket);
    if (share <= 1) socket.data.unreadSince = undefined;
    else socket.data.unreadSince ??= now;
    const since = socket.data.unreadSince;
    if (since !== undefined && (share > 4 || now - since >= UNREAD_PATIENCE_MS)) yield socket;
  }
}

/** What a client leaves unread, as a share of what it may. */
function unreadShare(socket: Reading): number {
  const { writeBuffer, transport } = socket.conn as {
    writeBuffer: unknown[];
    transport: { socket?: { bufferedAmount?: number } };
  };
  return Math.max(writeBuffer.length / UNREAD_PACKETS, (transport.socket?.bufferedAmount ?? 0) / UNREAD_BYTES);
}
