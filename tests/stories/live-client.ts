/** A live socket of a signed-in user, with the messages it received. */
import type { ClientMessages, JoinAnswer, LiveChange, ServerMessages } from '@rdm/contracts';
import { io, type Socket } from 'socket.io-client';
import type { HttpClient } from './http-client.ts';

export interface Tab {
  socket: Socket<ServerMessages, ClientMessages>;
  changes: LiveChange[];
  /** The number of notices that the levels of the user changed. */
  accessNotices: number;
  /** The users who are present, as last received, by room. */
  present: Map<string, number[]>;
  join(room: string): Promise<JoinAnswer>;
  close(): void;
}

/** Opens a live socket for a user. `url` is the address of an instance of query-api to use instead of the front door. */
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
    present: new Map(),
    join: (room) => socket.emitWithAck('join', room) as Promise<JoinAnswer>,
    close: () => socket.disconnect(),
  };
  socket.on('change', (change) => tab.changes.push(change));
  socket.on('presence', ({ room, userIds }) => tab.present.set(room, userIds));
  socket.on('access', () => {
    tab.accessNotices += 1;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return tab;
}
