/** A tab of a story: the live socket of somebody who is signed in, and what it heard. */
import type { ClientMessages, JoinAnswer, LiveChange, ServerMessages } from '@rdm/contracts';
import { io, type Socket } from 'socket.io-client';
import type { Person } from './person.ts';

export interface Tab {
  socket: Socket<ServerMessages, ClientMessages>;
  heard: LiveChange[];
  /** How often it was told that its own levels changed. */
  told: number;
  join(room: string): Promise<JoinAnswer>;
  close(): void;
}

export async function openTab(person: Person): Promise<Tab> {
  const socket: Tab['socket'] = io(person.baseUrl, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders: { Cookie: person.cookie, Origin: person.baseUrl },
  });
  const tab: Tab = {
    socket,
    heard: [],
    told: 0,
    join: (room) => socket.emitWithAck('join', room) as Promise<JoinAnswer>,
    close: () => socket.disconnect(),
  };
  socket.on('change', (change) => tab.heard.push(change));
  socket.on('access', () => {
    tab.told += 1;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return tab;
}
