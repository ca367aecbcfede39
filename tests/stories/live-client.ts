/** Opens live sockets for signed-in users, and stores the received messages. */
import type { ClientMessages, JoinAnswer, LiveChange, ServerMessages } from '@rdm/contracts';
import { io, type Socket } from 'socket.io-client';
import type { HttpClient } from './http-client.ts';

export interface Tab {
  socket: Socket<ServerMessages, ClientMessages>;
  changes: LiveChange[];
  /** The number of received notices about changed access levels of the user. */
  accessNotices: number;
  /** The ids of the users in the last received presence message, by room. */
  presentUserIds: Map<string, number[]>;
  join(room: string): Promise<JoinAnswer>;
  close(): void;
}

/** Opens a live socket at the public address, or at `url`, the address of an instance of query-api. */
export async function openTab(
  person: HttpClient,
  { url = person.baseUrl, transports = ['websocket'] }: { url?: string; transports?: string[] } = {},
): Promise<Tab> {
  const socket: Tab['socket'] = io(url, {
    transports,
    forceNew: true,
    reconnection: false,
    extraHeaders: { Cookie: person.cookie, Origin: person.baseUrl },
  });
  const tab: Tab = {
    socket,
    changes: [],
    accessNotices: 0,
    presentUserIds: new Map(),
    join: (room) => socket.emitWithAck('join', room) as Promise<JoinAnswer>,
    close: () => socket.disconnect(),
  };
  socket.on('change', (change) => tab.changes.push(change));
  socket.on('presence', ({ room, userIds }) => tab.presentUserIds.set(room, userIds));
  socket.on('access', () => {
    tab.accessNotices += 1;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return tab;
}
