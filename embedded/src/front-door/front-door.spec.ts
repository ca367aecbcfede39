/** Tests the front door with two small services: routing, streaming, WebSockets, failures and the starting page. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { READ_MODELS_STARTING } from '@rdm/contracts/constants';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../launcher/ports.ts';
import { createFrontDoor, type FrontDoor, type FrontDoorOptions } from './front-door.ts';
import { instancesOf } from './instances.ts';
import type { Target } from './target.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a service that returns its name and the request line; a test can set another handler. */
async function startService(name: string) {
  const sockets = new Set<Socket>();
  const requests: IncomingMessage[] = [];
  let handler: Handler | undefined;
  const server: Server = createServer((incoming, response) => {
    requests.push(incoming);
    if (handler !== undefined) return handler(incoming, response);
    response.setHeader('X-Answered-By', name);
    response.end(`${name} ${incoming.method} ${incoming.url}`);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    server,
    sockets,
    requests,
    target: { host: '127.0.0.1', port } satisfies Target,
    does: (next: Handler) => {
      handler = next;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
}

let webFolder: string;
let commands: Awaited<ReturnType<typeof startService>>;
let queries: Awaited<ReturnType<typeof startService>>;
let frontDoor: FrontDoor;
let port: number;
let isInProcess = false;

const SCRIPT = 'console.log("register");\n'.repeat(200);

beforeAll(() => {
  webFolder = mkdtempSync(join(tmpdir(), 'rdm-web-'));
  mkdirSync(join(webFolder, 'assets'));
  writeFileSync(join(webFolder, 'index.html'), '<!doctype html><title>The app</title>');
  writeFileSync(join(webFolder, 'theme.js'), 'document.documentElement.dataset.theme = "dark";');
  writeFileSync(join(webFolder, 'assets/app-1a2b3c.js'), SCRIPT);
});
afterAll(() => rmSync(webFolder, { recursive: true, force: true }));

beforeEach(async () => {
  [commands, queries] = await Promise.all([startService('command-api'), startService('query-api')]);
  await openFrontDoor();
});
afterEach(async () => {
  await Promise.all([commands.stop(), queries.stop(), frontDoor.close()]);
});

async function openFrontDoor(more: Partial<FrontDoorOptions> = {}): Promise<void> {
  await frontDoor?.close();
  frontDoor = createFrontDoor({
    backends: { 'command-api': [commands.target], 'query-api': [queries.target] },
    webFolder,
    publicUrl: 'http://127.0.0.1:8080',
    open: true,
    ...more,
  });
  if (isInProcess) frontDoor.hostInProcess('query-api', queries.server);
  port = await frontDoor.listen(0, '127.0.0.1');
}

/** Runs tests with query-api on its own port, and again with query-api in the process of the front door. */
function describeBothTopologies(name: string, stories: () => void): void {
  describe(name, stories);
  describe(`${name}, query-api in the same process`, () => {
    beforeEach(() => {
      isInProcess = true;
      frontDoor.hostInProcess('query-api', queries.server);
    });
    afterEach(() => {
      isInProcess = false;
    });
    stories();
  });
}

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
  toPort = port,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port: toPort, method, path, headers, agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Requests a WebSocket upgrade. */
function openWebSocket(path: string): Promise<{ socket: Socket; status: number }> {
  return new Promise((resolve, reject) => {
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'a',
      'Sec-WebSocket-Version': '13',
    };
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false }).end();
    outgoing.on('upgrade', (incoming, socket) =>
      resolve({ socket: socket as Socket, status: incoming.statusCode ?? 0 }),
    );
    outgoing.on('response', (incoming) => resolve({ socket: incoming.socket, status: incoming.statusCode ?? 0 }));
    outgoing.on('error', reject);
  });
}
const echoUpgrades = () =>
  queries.server.on('upgrade', (_incoming, socket: Socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.pipe(socket);
  });

const NAVIGATION = { Accept: 'text/html,application/xhtml+xml' };

describeBothTopologies('forwarding', () => {
  it.each([
    ['GET', '/api/reference-types?page=2', 'query-api'],
    ['HEAD', '/api/reference-types', 'query-api'],
    ['POST', '/api/reference-types', 'command-api'],
    ['PATCH', '/api/reference-types/7', 'command-api'],
    ['PUT', '/api/collections/7/permissions', 'command-api'],
    ['DELETE', '/api/reference-types/7', 'command-api'],
    ['POST', '/api/reference-data/7/instances/deletion-impact', 'query-api'],
    ['POST', '/api/reference-data/7/instances/paste-preview', 'query-api'],
    ['POST', '/api/crosswalks/7/mappings/import-preview', 'command-api'],
    ['POST', '/api/relationships/7/values/import-preview', 'command-api'],
    ['POST', '/api/reference-data/7/schema-preview', 'query-api'],
    ['POST', '/api/reference-types/7/schema-preview', 'query-api'],
    ['POST', '/api/crosswalks/7/translate?asOf=2020-01-01', 'query-api'],
    ['POST', '/api/approvals/impact', 'query-api'],
    ['POST', '/api/approvals/decide', 'command-api'],
    ['POST', '/api/selections', 'query-api'],
    ['POST', '/api/filter-test', 'query-api'],
    ['POST', '/api/validation-test?dataSetId=7', 'command-api'],
    ['POST', '/api/selections/7', 'command-api'],
    ['DELETE', '/api/selections', 'command-api'],
    ['GET', '/socket.io/?EIO=4&transport=polling', 'query-api'],
    ['POST', '/socket.io/?EIO=4&transport=polling', 'query-api'],
  ])('%s %s is answered by %s', async (method, path, by) => {
    const answer = await send(method, path);
    expect(answer.headers['x-answered-by']).toBe(by);
    expect(answer.body).toBe(method === 'HEAD' ? '' : `${by} ${method} ${path}`);
  });

  it.each(['/internal/bootstrap/finish', '/internal', '/metrics', 'http://127.0.0.1/internal/x'])(
    'forwards no request for %s to a service',
    async (path) => {
      expect((await send('POST', path)).status).toBe(404);
      expect([...commands.requests, ...queries.requests]).toEqual([]);
    },
  );

  it('forwards the caller’s address to the service, and ignores forged headers', async () => {
    await send('GET', '/api/user', {
      'X-Forwarded-For': '10.1.2.3',
      'X-Forwarded-Host': 'evil.example',
      'X-Service-Secret': 'guess',
      Forwarded: 'for=10.1.2.3',
      Host: 'data.example.org',
      Cookie: 'session=1',
    });
    const received = queries.requests[0]?.headers;
    expect(received).toMatchObject({
      host: 'data.example.org',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'data.example.org',
      'x-forwarded-proto': 'http',
      cookie: 'session=1',
    });
    expect(received?.['x-service-secret']).toBeUndefined();
    expect(received?.['forwarded']).toBeUndefined();
  });

  it('accepts the headers of a trusted reverse proxy', async () => {
    await openFrontDoor({ trustForwarded: true });
    // The trusted proxy appended the last address; the caller may have forged everything before it.
    await send('GET', '/api/user', { 'X-Forwarded-For': '9.9.9.9, 10.1.2.3', 'X-Forwarded-Proto': 'https' });
    expect(queries.requests[0]?.headers).toMatchObject({
      'x-forwarded-for': '10.1.2.3',
      'x-forwarded-proto': 'https',
    });
  });

  it('gives every request a new id, even if the caller sends one', async () => {
    for (const sentId of ['from-the-client-1', 'from-the-client-1', 'two words']) {
      await send('GET', '/api/user', { 'X-Request-Id': sentId });
    }
    const requestIds = queries.requests.map(({ headers }) => headers['x-request-id']);
    expect(requestIds).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
    expect(new Set(requestIds).size).toBe(3);
  });
});

describeBothTopologies('streaming', () => {
  it('forwards an answer while it is still being written', async () => {
    let write: ((text: string) => void) | undefined;
    queries.does((_incoming, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: 1\n\n');
      write = (text) => response.write(text);
    });
    const outgoing = request({ host: '127.0.0.1', port, path: '/api/changes/stream', agent: false }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(String((await once(incoming, 'data'))[0])).toBe('data: 1\n\n');
    write?.('data: 2\n\n');
    expect(String((await once(incoming, 'data'))[0])).toBe('data: 2\n\n');
    outgoing.destroy();
  });

  it('forwards an upload while it is still being sent', async () => {
    const arrived: string[] = [];
    let first: (() => void) | undefined;
    const firstArrived = new Promise<void>((resolve) => {
      first = resolve;
    });
    commands.does((incoming, response) => {
      incoming.on('data', (chunk) => {
        arrived.push(String(chunk));
        first?.();
      });
      incoming.on('end', () => response.end(arrived.join('')));
    });
    const outgoing = request({ host: '127.0.0.1', port, path: '/api/imports', method: 'POST', agent: false });
    outgoing.write('one ');
    await firstArrived;
    expect(arrived).toEqual(['one ']);
    outgoing.end('two');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(String((await once(incoming, 'data'))[0])).toBe('one two');
  });

  it('forwards a large answer completely, and makes the service wait for a slow caller', async () => {
    const piece = 'x'.repeat(1_000_000);
    let waited = 0;
    queries.does(async (_incoming, response) => {
      for (let count = 0; count < 30; count++) {
        if (response.write(piece)) continue;
        waited += 1;
        await once(response, 'drain');
      }
      response.end('the end');
    });
    const outgoing = request({ host: '127.0.0.1', port, path: '/api/reference-data/7/export', agent: false }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    let bytesRead = 0;
    let last = '';
    for await (const chunk of incoming) {
      bytesRead += chunk.length;
      last = `${last}${chunk}`.slice(-7);
      await new Promise(setImmediate);
    }
    expect([bytesRead, last]).toEqual([30_000_007, 'the end']);
    expect(waited).toBeGreaterThan(0);
  });

  it('forwards the body of a DELETE', async () => {
    commands.does((incoming, response) => void incoming.pipe(response));
    const answer = await send(
      'DELETE',
      '/api/crosswalks/7/mappings',
      { 'Transfer-Encoding': 'chunked' },
      '{"ids":[1]}',
    );
    expect(answer.body).toBe('{"ids":[1]}');
  });

  it('closes the request to the service when the caller disconnects', async () => {
    const serviceRequestClosed = new Promise<void>((resolve) => {
      queries.does((_incoming, response) => {
        response.write('and so on');
        response.once('close', resolve);
      });
    });
    const outgoing = request({ host: '127.0.0.1', port, path: '/api/changes/stream', agent: false }).end();
    await once(outgoing, 'response');
    outgoing.destroy();
    await serviceRequestClosed;
  });

  it('aborts the answer to the caller when the service aborts its answer', async () => {
    queries.does((_incoming, response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('only this', () => response.destroy());
    });
    await expect(send('GET', '/api/reference-data/7/export')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('forwards a refusal that the service sends before the upload is complete', async () => {
    commands.does((_incoming, response) => response.writeHead(413).end('too large'));
    const answer = await send('POST', '/api/imports', {}, 'x'.repeat(5_000_000));
    expect([answer.status, answer.body]).toEqual([413, 'too large']);
  });

  it('reads a refused upload to the end, so that the caller gets the refusal', async () => {
    commands.does((_incoming, response) => response.writeHead(413).end('too large'));
    const socket = connect(port, '127.0.0.1').pause();
    const size = 20_000_000;
    socket.write(`POST /api/imports HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`);
    // Like a browser, the caller sends the whole body before it reads.
    for (let sent = 0; sent < size; sent += 1_000_000) {
      if (!socket.write('x'.repeat(1_000_000))) await once(socket, 'drain');
      await pause(5);
    }
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 .*too large/s);
  });
});

it('the front door reuses its connection to a service', async () => {
  for (const id of [1, 2, 3]) await send('GET', `/api/reference-types/${id}`);
  expect(queries.sockets.size).toBe(1);
});

it('the front door uses no connection for a service in its own process', async () => {
  frontDoor.hostInProcess('query-api', queries.server);
  expect((await send('GET', '/api/reference-types')).headers['x-answered-by']).toBe('query-api');
  expect(queries.sockets.size).toBe(0);
});

describe('the front door with services that fail', () => {
  it('answers 503 while a service is down, and serves again after its restart', async () => {
    await queries.stop();
    const answer = await send('GET', '/api/user');
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(JSON.parse(answer.body)).toEqual({
      error: expect.any(String),
      code: 'UNAVAILABLE',
      requestId: answer.headers['x-request-id'],
    });
    queries.server.listen(queries.target.port, '127.0.0.1');
    await once(queries.server, 'listening');
    expect((await send('GET', '/api/user')).status).toBe(200);
  });

  it('answers 503 when a service dies in the middle of a write', async () => {
    commands.does((incoming) => incoming.socket.destroy());
    expect((await send('POST', '/api/reference-types', {}, '{}')).status).toBe(503);
  });

  it('answers 503 when a service does not respond in time', async () => {
    await openFrontDoor({ silenceMs: 50 });
    queries.does(() => {});
    expect((await send('GET', '/api/user')).status).toBe(503);
  });

  it('repeats a read if the service closes the reused connection', async () => {
    await send('GET', '/api/user');
    let refused = 0;
    queries.does((incoming, response) => {
      if (refused++ === 0) incoming.socket.destroy();
      else response.end('second time');
    });
    expect((await send('GET', '/api/user')).body).toBe('second time');
  });

  it('closes the browser’s side of a WebSocket when the service dies', async () => {
    echoUpgrades();
    const { socket } = await openWebSocket('/api/changes/ws');
    const closed = once(socket, 'close');
    for (const socket of queries.sockets) socket.destroy();
    await closed;
  });

  it('serves further requests after a browser resets a refused upgrade', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await once(socket, 'readable');
    socket.resetAndDestroy();
    await once(socket, 'close');
    expect((await send('GET', '/api/user')).status).toBe(200);
  });

  it('answers an upgrade with 503 while the service is down, and with 404 at other paths', async () => {
    await queries.stop();
    expect((await openWebSocket('/socket.io/')).status).toBe(503);
    expect((await openWebSocket('/api/user')).status).toBe(404);
  });
});

describeBothTopologies('WebSockets', () => {
  it.each(['/socket.io/?EIO=4&transport=websocket', '/api/changes/ws?after=7'])(
    'connect the browser and the service at %s',
    async (path) => {
      echoUpgrades();
      const { socket, status } = await openWebSocket(path);
      expect(status).toBe(101);
      socket.write('hello');
      expect(String((await once(socket, 'data'))[0])).toBe('hello');
      socket.destroy();
    },
  );

  it('are closed at the service when the browser disconnects', async () => {
    const ended = new Promise<void>((resolve) => {
      queries.server.on('upgrade', (_incoming, socket: Socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.resume().once('end', resolve);
      });
    });
    const { socket } = await openWebSocket('/api/changes/ws');
    socket.destroy();
    await ended;
  });

  it('return the refusal of the service', async () => {
    queries.server.on('upgrade', (_incoming, socket: Socket) =>
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'),
    );
    expect((await openWebSocket('/api/changes/ws')).status).toBe(401);
  });

  it('are closed when the front door closes', async () => {
    echoUpgrades();
    const { socket } = await openWebSocket('/api/changes/ws');
    const closed = once(socket, 'close');
    await frontDoor.close();
    await closed;
  });
});

describe('a front door that closes together with a service in its process', () => {
  beforeEach(() => frontDoor.hostInProcess('query-api', queries.server));

  it('lets the service send a reason to WebSocket clients', async () => {
    const upgradedSocket = new Promise<Socket>((resolve) => {
      queries.server.on('upgrade', (_incoming, socket: Socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        resolve(socket);
      });
    });
    const { socket } = await openWebSocket('/api/changes/ws');
    const received = once(socket, 'data');
    const closed = frontDoor.close();
    (await upgradedSocket).end('We restart');
    expect(String((await received)[0])).toBe('We restart');
    socket.end();
    await closed;
  });
});

describe('the web app', () => {
  it('is served at the paths of pages, without caching', async () => {
    for (const path of ['/', '/crosswalks/7/mappings', '/auth?error=okta_auth_failed']) {
      const answer = await send('GET', path, NAVIGATION);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(answer.body).toContain('<title>The app</title>');
    }
  });

  it('allows only its own scripts', async () => {
    const { headers } = await send('GET', '/', NAVIGATION);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe|default-src[^;]*unsafe/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cross-origin-opener-policy': 'same-origin' });
  });

  it('lets browsers cache hashed files permanently, and revalidate other files', async () => {
    expect((await send('GET', '/assets/app-1a2b3c.js')).headers['cache-control']).toContain('immutable');
    const theme = await send('GET', '/theme.js');
    expect(theme.headers['cache-control']).toBe('no-cache');
    const notModified = await send('GET', '/theme.js', { 'If-None-Match': String(theme.headers['etag']) });
    expect([notModified.status, notModified.body]).toEqual([304, '']);
  });

  it.each(['br', 'gzip'])('compresses with %s for clients that accept it', async (encoding) => {
    const plain = await send('GET', '/assets/app-1a2b3c.js');
    const packed = await send('GET', '/assets/app-1a2b3c.js', { 'Accept-Encoding': `deflate, ${encoding}` });
    expect(plain.body).toBe(SCRIPT);
    expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(Number(packed.headers['content-length'])).toBeLessThan(SCRIPT.length / 4);
  });

  it('is not served for a missing file, a request that accepts no HTML, or a write', async () => {
    expect((await send('GET', '/assets/gone-9z9z9z.js', NAVIGATION)).status).toBe(404);
    expect((await send('GET', '/favicon.ico', { Accept: 'image/*' })).status).toBe(404);
    expect((await send('POST', '/crosswalks', NAVIGATION)).status).toBe(405);
  });

  it('serves no files outside its folder', async () => {
    const socket = connect(port, '127.0.0.1').end('GET /..%2f..%2f..%2fetc/passwd HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 404/);
  });
});

describe('the front door', () => {
  const readinessHandler = (status: number) => (_incoming: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify({ status: status === 200 ? 'ready' : 'starting', parts: { postgres: status === 200 } }),
    );
  };

  it('is ready when all parts are ready', async () => {
    commands.does(readinessHandler(200));
    queries.does(readinessHandler(200));
    const answer = await send('GET', '/health/ready');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      { status: 'ready', parts: { 'command-api': 'ready', 'query-api': 'ready' } },
    ]);
  });

  it('is ready if an instance has a warning, and reports the warning', async () => {
    const parts = { postgres: true, locks: { warning: 'It waits.' } };
    commands.does((_incoming, response) => void response.end(JSON.stringify({ status: 'ready', parts })));
    queries.does(readinessHandler(200));
    const answer = await send('GET', '/health/ready');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      { status: 'ready', parts: { 'command-api': parts, 'query-api': 'ready' } },
    ]);
  });

  it('lists the parts that are not ready', async () => {
    commands.does(readinessHandler(503));
    await queries.stop();
    const answer = await send('GET', '/health/ready');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      503,
      { status: 'starting', parts: { 'command-api': { postgres: false }, 'query-api': 'unreachable' } },
    ]);
    expect((await send('GET', '/health/live')).status).toBe(200);
  });
});

describe('the front door with several instances of a service', () => {
  type TestService = Awaited<ReturnType<typeof startService>>;
  let secondInstance: TestService;
  const handlerWith = (answer: string, readiness = 200): Handler => {
    return (incoming, response) => {
      response.statusCode = incoming.url === '/health/ready' ? readiness : 200;
      response.end(answer);
    };
  };
  const optionsWithTwoInstances = (): Partial<FrontDoorOptions> => ({
    backends: {
      'command-api': [commands.target, secondInstance.target],
      'query-api': [queries.target, secondInstance.target],
    },
  });
  const sendTimes = async (count: number, method = 'GET') => {
    const answers: string[] = [];
    for (let time = 0; time < count; time++) answers.push((await send(method, '/api/user')).body);
    return answers.sort();
  };
  /** Requests other than readiness checks. */
  const requestsOf = ({ requests }: TestService) => requests.filter(({ url }) => url !== '/health/ready');
  const nameOf = (each: TestService) => String(requestsOf(each)[0]?.headers['x-instance']);
  const readParts = async () => JSON.parse((await send('GET', '/health/ready')).body).parts;
  const sessionOf = (name: string) => `/socket.io/?EIO=4&transport=polling&sid=${name}.a-b`;

  beforeEach(async () => {
    secondInstance = await startService('other');
    commands.does(handlerWith('first'));
    queries.does(handlerWith('first'));
    secondInstance.does(handlerWith('second'));
    await openFrontDoor(optionsWithTwoInstances());
    // The answer comes when each instance has been checked.
    await readParts();
  });
  afterEach(() => secondInstance.stop());

  it('sends equal numbers of requests to the instances', async () => {
    expect(await sendTimes(4)).toEqual(['first', 'first', 'second', 'second']);
    expect(await sendTimes(2, 'DELETE')).toEqual(['first', 'second']);
  });

  it('sends no requests to an instance that is not ready, and stays ready', async () => {
    secondInstance.does(handlerWith('second', 503));
    await vi.waitFor(async () => expect(await readParts()).toMatchObject({ 'query-api': '1 of 2 ready' }), 3_000);
    expect(await sendTimes(3)).toEqual(['first', 'first', 'first']);
    expect((await send('GET', '/health/ready')).status).toBe(200);
    secondInstance.does(handlerWith('second'));
    await vi.waitFor(async () => expect(await readParts()).toMatchObject({ 'query-api': 'ready' }), 3_000);
    expect(await sendTimes(2)).toEqual(['first', 'second']);
  });

  it('sends requests to instances that are not ready if no instance is ready', async () => {
    queries.does(handlerWith('first', 503));
    secondInstance.does(handlerWith('second', 503));
    await openFrontDoor(optionsWithTwoInstances());
    expect((await send('GET', '/health/ready')).status).toBe(503);
    expect(await sendTimes(2)).toEqual(['first', 'second']);
  });

  it('sends a request to an instance that is not ready if the ready instance accepts no connection', async () => {
    secondInstance.does(handlerWith('second', 503));
    await vi.waitFor(async () => expect(await readParts()).toMatchObject({ 'query-api': '1 of 2 ready' }), 3_000);
    await queries.stop();
    expect(await sendTimes(1)).toEqual(['second']);
  });

  it('checks all instances again when readiness is requested and no instance was ready', async () => {
    secondInstance.does(handlerWith('second', 503));
    const instances = instancesOf([queries.target, secondInstance.target]);
    expect((await instances.readiness()).map(({ status }) => status)).toEqual([200, 503]);
    secondInstance.does(handlerWith('second'));
    await queries.stop();
    instances.markUnreachable(queries.target);
    expect((await instances.readiness()).map(({ status }) => status)).toEqual([0, 200]);
    instances.close();
  });

  it('sends a write with its body to another instance if an instance accepts no connection', async () => {
    const body = 'x'.repeat(3_000_000);
    commands.does((incoming, response) => void incoming.pipe(response));
    await secondInstance.stop();
    for (let time = 0; time < 2; time++) {
      const answer = await send('POST', '/api/imports', {}, body);
      expect([answer.status, answer.body.length]).toEqual([200, body.length]);
    }
  });

  it('does not repeat a write after an instance closed the connection', async () => {
    const closeConnection: Handler = (incoming) => incoming.socket.destroy();
    commands.does(closeConnection);
    secondInstance.does(closeConnection);
    expect((await send('POST', '/api/reference-types', {}, '{}')).status).toBe(503);
    expect((await send('DELETE', '/api/reference-types/7')).status).toBe(503);
    expect(requestsOf(commands).length + requestsOf(secondInstance).length).toBe(2);
  });

  it('repeats a read at another instance after an instance closed the connection', async () => {
    secondInstance.does((incoming) => incoming.socket.destroy());
    expect(await sendTimes(2)).toEqual(['first', 'first']);
    expect(requestsOf(secondInstance)).toHaveLength(1);
  });

  it('sends the requests of a polling session to the instance that opened the session', async () => {
    await send('GET', '/socket.io/?EIO=4&transport=polling', { 'X-Instance': 'forged' });
    await send('GET', '/socket.io/?EIO=4&transport=polling', { 'X-Instance': 'forged' });
    const [name, otherName] = [nameOf(queries), nameOf(secondInstance)];
    for (const each of [name, otherName]) expect(each).toMatch(/^[0-9a-f]{8}$/);
    for (const order of [
      [queries.target, secondInstance.target],
      [secondInstance.target, queries.target],
    ]) {
      await openFrontDoor({ backends: { 'command-api': [commands.target], 'query-api': order } });
      await readParts();
      for (let time = 0; time < 3; time++) {
        expect((await send('GET', sessionOf(name))).body).toBe('first');
        expect((await send('POST', sessionOf(otherName), {}, 'x')).body).toBe('second');
      }
    }
  });

  it('answers 503 if the instance that opened the polling session is down', async () => {
    await send('GET', '/socket.io/?EIO=4&transport=polling');
    await send('GET', '/socket.io/?EIO=4&transport=polling');
    const name = nameOf(secondInstance);
    await secondInstance.stop();
    expect((await send('GET', sessionOf(name))).status).toBe(503);
  });

  it('opens a WebSocket at another instance if an instance accepts no connection', async () => {
    echoUpgrades();
    await secondInstance.stop();
    for (let time = 0; time < 2; time++) {
      const { socket, status } = await openWebSocket('/api/changes/ws');
      expect(status).toBe(101);
      socket.destroy();
    }
  });
});

describe('a front door that is not open yet', () => {
  beforeEach(() => openFrontDoor({ open: false }));

  it('shows browsers a page that reloads itself, and answers programs with JSON', async () => {
    const startingPage = await send('GET', '/auth', NAVIGATION);
    expect([startingPage.status, startingPage.headers['retry-after']]).toEqual([503, '2']);
    expect(startingPage.body).toContain('http-equiv="refresh"');
    const refused = await send('POST', '/api/login', {}, '{}');
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'STARTING']);
    expect(commands.requests).toEqual([]);
  });

  it('forwards requests at the private port with the public origin', async () => {
    const privatePort = await frontDoor.listenPrivately(await freePort());
    await send('POST', '/api/login', { Origin: `http://127.0.0.1:${privatePort}` }, '{}', privatePort);
    expect(commands.requests[0]?.headers.origin).toBe('http://127.0.0.1:8080');
  });

  it('serves after `open`, and closes the private port', async () => {
    const privatePort = await frontDoor.listenPrivately(await freePort());
    frontDoor.open();
    expect((await send('POST', '/api/login', {}, '{}')).status).toBe(200);
    await expect(send('GET', '/api/user', {}, undefined, privatePort)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('closing the front door', () => {
  it('lets a request in flight finish', async () => {
    let finish: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => {
      commands.does((_incoming, response) => {
        finish = () => response.end('done');
        resolve();
      });
    });
    const answer = send('POST', '/api/reference-types', {}, '{}');
    await arrived;
    const closed = frontDoor.close();
    finish?.();
    expect((await answer).body).toBe('done');
    await closed;
  });

  it('closes a keep-alive connection after the current request', async () => {
    const agent = new Agent({ keepAlive: true });
    const sendRequest = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = request({ host: '127.0.0.1', port, path: '/api/user', agent }, (incoming) => {
          incoming.resume().once('end', () => resolve(incoming));
        });
        outgoing.on('error', reject).end();
      });
    let finish: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => {
      queries.does((_incoming, response) => {
        finish = () => response.end('done');
        resolve();
      });
    });
    const answer = sendRequest();
    await arrived;
    const closed = frontDoor.close();
    finish?.();
    expect((await answer).statusCode).toBe(200);
    await closed;
    agent.destroy();
  });
});

describe('a front door that waits for read models', () => {
  const readModelsHandler = (state: true | string): Handler => {
    const isReady = state === true;
    return (incoming, response) => {
      if (incoming.url !== '/health/ready') return void response.end('[]');
      response.writeHead(isReady ? 200 : 503).end(JSON.stringify({ parts: { readModels: state } }));
    };
  };
  const requireRefusals = async () => {
    const answers = [await send('GET', '/api/reference-data'), await send('POST', '/api/login', {}, '{}')];
    for (const { status, body } of answers) expect([status, JSON.parse(body).code]).toEqual([503, 'STARTING']);
    const pageAnswer = await send('GET', '/reference-data', NAVIGATION);
    expect([pageAnswer.status, pageAnswer.body]).toEqual([503, expect.stringContaining('http-equiv="refresh"')]);
    expect((await openWebSocket('/api/changes/ws')).status).toBe(503);
    expect((await send('GET', '/health/live')).status).toBe(200);
  };

  it('shows the starting page only until the read models are complete for the first time', async () => {
    queries.does(readModelsHandler(READ_MODELS_STARTING));
    await openFrontDoor({ waitsForReadModels: true });
    await requireRefusals();
    queries.does(readModelsHandler(true));
    await vi.waitFor(async () => expect((await send('GET', '/api/reference-data')).status).toBe(200), 3_000);
    expect((await send('GET', '/reference-data', NAVIGATION)).body).toContain('The app');
    for (const later of [READ_MODELS_STARTING, 'not serving: jobs']) {
      queries.does(readModelsHandler(later));
      await send('GET', '/health/ready');
      expect((await send('GET', '/api/reference-data')).status).toBe(200);
    }
  });

  it('shows the starting page while the read models of one of two instances were never complete', async () => {
    const other = await startService('other');
    try {
      queries.does(readModelsHandler('not serving: jobs'));
      other.does(readModelsHandler(READ_MODELS_STARTING));
      const backends = { 'command-api': [commands.target], 'query-api': [queries.target, other.target] };
      await openFrontDoor({ waitsForReadModels: true, backends });
      await requireRefusals();
    } finally {
      await other.stop();
    }
  });

  it('does not wait if no instance answers, or if the read models are complete but do not serve', async () => {
    await queries.stop();
    await openFrontDoor({ waitsForReadModels: true });
    expect(JSON.parse((await send('GET', '/api/reference-data')).body).code).toBe('UNAVAILABLE');
    expect((await send('POST', '/api/login', {}, '{}')).status).toBe(200);
    queries.server.listen(queries.target.port, '127.0.0.1');
    await once(queries.server, 'listening');
    queries.does(readModelsHandler('not serving: jobs'));
    expect((await send('GET', '/api/reference-data')).status).toBe(200);
  });
});
