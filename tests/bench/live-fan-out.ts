/** The reference server of the live benchmark: sends each message of a client to all clients, in a separate process. */
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
server.on('connection', (socket) => {
  socket.on('message', (text) => {
    for (const client of server.clients) client.send(String(text));
  });
});
server.on('listening', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.send?.(address.port);
});
process.on('disconnect', () => process.exit(0));
