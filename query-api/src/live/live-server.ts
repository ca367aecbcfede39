/** Creates the socket.io server of the live channel, and sends messages to the sockets that may receive them. */
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { ClientMessages, Level, Room, ServerMessages } from '@rdm/contracts';
import type { Principal } from '@rdm/platform';
import { Server, type Socket } from 'socket.io';
import { isAllowedOrigin } from '../http/origin.ts';
import type { RoomRequirements } from './rooms.ts';
import type { UnreadSocket } from './stalled-clients.ts';

type SocketData = UnreadSocket['data'] & {
  principal: Principal;
  /** The user's levels on collections. The client is notified when a level changes. */
  levels: Map<number, Level>;
  requirements: Map<Room, RoomRequirements>;
  /** The number of joins in progress. */
  joining: number;
};
export type LiveServer = Server<ClientMessages, ServerMessages, Record<string, never>, SocketData>;
export type LiveSocket = Socket<ClientMessages, ServerMessages, Record<string, never>, SocketData>;

const INSTANCE_NAME = /^[0-9a-f]{8}$/;

export function createLiveServer(server: HttpServer, publicUrl: string): LiveServer {
  const io: LiveServer = new Server(server, {
    path: '/socket.io',
    serveClient: false,
    maxHttpBufferSize: 16 * 1024,
    pingInterval: 20_000,
    pingTimeout: 10_000,
    perMessageDeflate: false,
    // Do not destroy other WebSockets: they belong to the change feed.
    destroyUpgrade: false,
    allowRequest: (request: IncomingMessage, answer) => answer(null, isAllowedOrigin(request.headers, publicUrl)),
  });

  // Behind a gateway, a session id begins with the name of this instance: the gateway routes the session by this name.
  const generateId = io.engine.generateId.bind(io.engine);
  io.engine.generateId = (request: IncomingMessage) => {
    const { 'x-instance': name } = request.headers;
    const id = generateId(request);
    return typeof name === 'string' && INSTANCE_NAME.test(name) ? `${name}.${id}` : id;
  };
  return io;
}

/** The connected sockets by id. */
export const socketsOf = (io: LiveServer): ReadonlyMap<string, LiveSocket> => io.of('/').sockets;

/** Returns the ids of the users who have a socket in a room. */
export function usersInRoom(io: LiveServer, room: Room): number[] {
  const sockets = [...(io.of('/').adapter.rooms.get(room) ?? [])].map((id) => socketsOf(io).get(id));
  return [...new Set(sockets.flatMap((socket) => (socket ? [socket.data.principal.userId] : [])))];
}

/** Sends a message to the sockets in the rooms. Omits each socket for which `isAllowed` returns false. */
export function emitToAllowed(
  io: LiveServer,
  rooms: Room[],
  isAllowed: (socket: LiveSocket) => boolean,
  send: (to: ReturnType<LiveServer['to']>) => void,
): void {
  const members = io.of('/').adapter.rooms;
  const audience = new Set<string>();
  for (const room of rooms) for (const id of members.get(room) ?? []) audience.add(id);
  if (audience.size === 0) return;
  const denied: string[] = [];
  for (const id of audience) {
    const socket = socketsOf(io).get(id);
    if (!socket || !isAllowed(socket)) denied.push(id);
  }
  if (denied.length < audience.size) send(io.to(rooms).except(denied));
}
