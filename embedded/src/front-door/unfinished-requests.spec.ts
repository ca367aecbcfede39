/** Tests which unfinished requests are refused, with a separate server and plain sockets. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HEAD_BYTES, limitUnfinished, UNFINISHED_LIMITS, type UnfinishedLimits } from './unfinished-requests.ts';

const CHECK_MS = 10;
let server: Server;
let port: number;
let sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.closeAllConnections();
  server.close();
});

/** Starts a server; by default it answers when it has read the body. */
async function listen(limits: Partial<UnfinishedLimits>, answer: RequestListener = answerAfterBody): Promise<void> {
  const all = { ...UNFINISHED_LIMITS, checkEveryMs: CHECK_MS, ...limits };
  const options = { requestTimeout: 0, headersTimeout: all.headMs, connectionsCheckingInterval: all.headCheckMs };
  server = createServer({ ...options, maxHeaderSize: 256 * 1024 }, (request, response) => {
    if (unfinished.admits(request, response)) answer(request, response);
  });
  const unfinished = limitUnfinished(server, all);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
}

const answerAfterBody: RequestListener = (request, response) => {
  request.resume().once('end', () => response.end('done'));
};

/** Opens a connection, sends `text`, and collects the answer. */
async function send(text: string): Promise<{ socket: Socket; received: () => string; closed: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {}); // the server reset the connection; 'close' follows
  const closed = once(socket, 'close').then(() => received);
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => received, closed };
}

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n';
const WHOLE = `${HEAD}Connection: close\r\n\r\n`;
const HEAD_BEFORE_BODY = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n';
const waitForChecks = (count: number) => pause(count * CHECK_MS);

/** Waits until exactly `count` connections have an answer; returns these connections. */
async function waitForRefused(opened: readonly Awaited<ReturnType<typeof send>>[], count: number) {
  const answeredConnections = () => opened.filter(({ received }) => received() !== '');
  await vi.waitFor(() => expect(answeredConnections()).toHaveLength(count), { timeout: 30_000 });
  await waitForChecks(5);
  expect(answeredConnections()).toHaveLength(count);
  return answeredConnections();
}

const isOpen = ({ socket }: { socket: Socket }) => !socket.destroyed;

describe('the limit of unfinished requests', () => {
  it.each([
    ['heads', HEAD],
    ['bodies', `${HEAD_BEFORE_BODY}abc`],
  ])('refuses %s of one address beyond the limit with 429 and answers a whole request', async (_, text) => {
    await listen({ perAddress: 3 });
    const opened = await Promise.all(Array.from({ length: 10 }, () => send(text)));
    for (const { received } of await waitForRefused(opened, 7)) {
      expect(received()).toContain('HTTP/1.1 429 Too Many Requests');
      expect(received()).toContain('Too many unfinished requests from your address: at most 3. Finish some first.');
    }
    expect(await (await send(WHOLE)).closed).toContain('HTTP/1.1 200 OK');
  });

  it('refuses requests beyond the total with 503 if all callers share the address of a proxy', async () => {
    await listen({ perAddress: undefined, total: 4 });
    const opened = await Promise.all(Array.from({ length: 6 }, () => send(HEAD)));
    for (const { received } of await waitForRefused(opened, 2)) {
      expect(received()).toContain('HTTP/1.1 503 Service Unavailable');
    }
  });

  it('refuses the least recently active requests first', async () => {
    await listen({ perAddress: 1 });
    const silent = await send(`${HEAD_BEFORE_BODY}abc`);
    await waitForChecks(5);
    const active = await send(`${HEAD_BEFORE_BODY}abc`);
    expect(await silent.closed).toContain('HTTP/1.1 429');
    expect(isOpen(active)).toBe(true);
  });

  it('does not count answered requests, event streams and WebSockets', async () => {
    await listen({ perAddress: 1 }, (request, response) => {
      if (request.url === '/stream') response.write('data: 1\n\n');
      else response.end('done');
    });
    server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    const upgrade = 'GET /socket.io/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const texts = [`${HEAD}\r\n`, 'GET /stream HTTP/1.1\r\nHost: a\r\n\r\n', upgrade];
    const opened = await Promise.all([...texts, ...texts].map(send));
    await waitForChecks(30);
    expect(opened.filter(isOpen)).toHaveLength(6);
  });

  it('counts an unfinished second request of a connection', async () => {
    await listen({ perAddress: 1 });
    const connections = await Promise.all([send(`${HEAD}\r\n`), send(`${HEAD}\r\n`)]);
    await waitForChecks(10);
    for (const { socket } of connections) socket.write(HEAD);
    await Promise.race(connections.map(({ closed }) => closed));
    expect(connections.filter(isOpen)).toHaveLength(1);
  });

  it('refuses a head that does not arrive in time', async () => {
    await listen({ headMs: 50, headCheckMs: 10 });
    expect(await (await send(HEAD)).closed).toContain('HTTP/1.1 408 Request Timeout');
  });
});

describe('a body', () => {
  it('is refused with 408 when it stops arriving', async () => {
    await listen({ bodySilenceMs: 100 });
    const answer = await (await send(`${HEAD_BEFORE_BODY}abc`)).closed;
    expect(answer).toContain('HTTP/1.1 408 Request Timeout');
    expect(answer).toContain('Nothing of this request arrived for 0.1 seconds');
  });

  it('may arrive slowly', async () => {
    await listen({ bodySilenceMs: 500 });
    const slow = await send(HEAD_BEFORE_BODY);
    for (let sent = 0; sent < 100; sent += 1) {
      slow.socket.write('x');
      await pause(10);
    }
    while (slow.received() === '') await pause(CHECK_MS);
    expect(slow.received()).toContain('HTTP/1.1 200 OK');
  });

  it('is not refused while the service does not read it', async () => {
    let read: (() => void) | undefined;
    await listen({ bodySilenceMs: 100 }, (request, response) => {
      read = () => answerAfterBody(request, response);
    });
    const unreadRequest = await send(`${HEAD_BEFORE_BODY}${'x'.repeat(100)}`);
    await pause(400);
    read?.();
    while (unreadRequest.received() === '') await pause(CHECK_MS);
    expect(unreadRequest.received()).toContain('HTTP/1.1 200 OK');
  });
});

describe('a large head', () => {
  const padding = (bytes: number) => 'x'.repeat(bytes);

  it('is refused with 431 when it has arrived completely', async () => {
    await listen({});
    const answer = await (await send(`${HEAD}Pad: ${padding(HEAD_BYTES)}\r\n\r\n`)).closed;
    expect(answer).toContain('HTTP/1.1 431 Request Header Fields Too Large');
    expect(answer).toContain('The head of this request is too large: at most 16 KiB');
    expect(await (await send(`GET /?pad=${padding(HEAD_BYTES)} HTTP/1.1\r\nHost: a\r\n\r\n`)).closed).toContain('431');
  });

  it('is accepted if the filter of a list makes it large', async () => {
    await listen({});
    const list = `GET /api/x?filter=${padding(100_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    expect(await (await send(list)).closed).toContain('HTTP/1.1 200 OK');
  });

  it('is refused while too many large heads are being read', async () => {
    await listen({ largeHeads: 2 });
    const list = `GET /api/x?filter=${padding(2 * HEAD_BYTES)}`;
    const opened = await Promise.all(Array.from({ length: 5 }, () => send(list)));
    for (const { received } of await waitForRefused(opened, 3)) expect(received()).toContain('HTTP/1.1 431');
  });
});
