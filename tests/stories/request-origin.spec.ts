/**
 * Tests the check of the origin: writes and sockets with a session are accepted only from pages of
 * the product, and public writes are refused from pages of other sites.
 */
import { request } from 'node:http';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { documentedOperations } from '../api-document/random-requests.ts';
import { newKey } from './api-key-client.ts';
import { newCollection, newDataSet, newType } from './fixtures.ts';
import { signInAs } from './http-client.ts';
import { LONG } from './stack.ts';

const baseUrl = inject('baseUrl');
const { port, host } = new URL(baseUrl);

/** Headers of requests from outside the pages of the product, including headers that browsers never send. */
const FOREIGN_HEADERS: readonly [name: string, headers: Record<string, string>][] = [
  ...[
    'null',
    '',
    'https://evil.example',
    `http://evil.example:${port}`,
    `http://${host}.evil.example`,
    `http://localhost:${port}.evil.example`,
    `http://127.0.0.1.evil.example:${port}`,
    `http://evil-localhost:${port}`,
    `http://localhost.:${port}`,
    `https://${host}`,
    `ws://${host}`,
    `ftp://${host}`,
    `file://${host}`,
    `http://127.0.0.1:${Number(port) + 1}`,
    'http://127.0.0.1',
    'http://localhost',
    `http://localhost:${port}@evil.example`,
    `http://${host}:pass@evil.example`,
    `http://evil.example@${host}`,
    `http://evil.example%2f@${host}`,
    `http://evil.example\\@${host}`,
    `http://127.0.0.2:${port}`,
    `http://0.0.0.0:${port}`,
    host,
    `//${host}`,
    `${baseUrl}, https://evil.example`,
    `https://evil.example, ${baseUrl}`,
    `javascript:${baseUrl}`,
    'chrome-extension://abcdefgh',
  ].map((origin): [string, Record<string, string>] => [`Origin: ${origin}`, { Origin: origin }]),
  ['neither Origin nor Referer', {}],
  ['a Referer of another site', { Referer: `https://evil.example/${baseUrl}` }],
  ['a Referer that begins with the address of the product', { Referer: `${baseUrl}.evil.example/` }],
  ['a Referer that is not an address', { Referer: 'about:client' }],
  ['X-Origin with a foreign Origin', { Origin: 'https://evil.example', 'X-Origin': baseUrl, 'X-Referer': baseUrl }],
  ['X-Origin with Origin: null', { Origin: 'null', 'X-Origin': baseUrl }],
  ['X-Origin with a foreign Referer', { Referer: 'https://evil.example/', 'X-Origin': baseUrl }],
  ['a foreign X-Origin', { 'X-Origin': 'https://evil.example', 'X-Referer': baseUrl }],
  ['the Host of the foreign Origin', { Origin: 'http://evil.example', Host: 'evil.example' }],
  [
    'the host of the foreign Origin in X-Forwarded-Host',
    { Origin: 'http://evil.example', 'X-Forwarded-Host': 'evil.example' },
  ],
];

/** A JSON body, which a form cannot send, and bodies that a form of another site can send. */
const BODIES: readonly [name: string, type: string | undefined, body: string][] = [
  ['JSON', 'application/json', '{}'],
  ['text', 'text/plain', '{}'],
  ['a form', 'application/x-www-form-urlencoded', 'a=1'],
  ['nothing', undefined, ''],
];

interface RawAnswer {
  status: number;
  text: string;
}

/** Sends a request with node:http, because fetch does not allow all of these headers. */
const send = (method: string, path: string, headers: Record<string, string>, body: string): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
    });
    outgoing.on('error', reject).on('response', (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
    });
    outgoing.end(body);
  });

/** All routes that write, with an id for each parameter. Omits the sign-in by a provider: the stack has none. */
const writes = documentedOperations()
  .filter(({ method, template }) => method !== 'GET' && template !== '/api/{provider}-login')
  .map(({ method, template, operation }) => ({
    method,
    path: template.replace(/\{\w+\}/g, '1'),
    isPublic: operation.security.length === 0,
  }));
/** Each foreign origin is sent to every route in a long run, otherwise to every sixth route. */
const ROUTE_STEP = LONG ? 1 : 6;

let cookie: string;
let dataSetId: number;
let keys: { read: string; write: string };
beforeAll(async () => {
  const admin = await signInAs('admin');
  cookie = admin.cookie;
  const collectionId = await newCollection(admin);
  dataSetId = await newDataSet(admin, await newType(admin), collectionId);
  const [read, write] = [await newKey(admin, [[collectionId, 'read']]), await newKey(admin, [[collectionId, 'write']])];
  keys = { read: read.secret, write: write.secret };
});

const isRefused = ({ status, text }: RawAnswer) => status === 403 && JSON.parse(text).code === 'ORIGIN';

describe('a write with a session', () => {
  it('is refused from outside the pages of the product', async () => {
    const accepted: string[] = [];
    let sentCount = 0;
    for (const [route, { method, path }] of writes.entries()) {
      const foreign = FOREIGN_HEADERS.filter((_, index) => index % ROUTE_STEP === route % ROUTE_STEP);
      const answers = await Promise.all(
        foreign.map(async ([name, headers], index) => {
          // Rotate the bodies over the origins and routes.
          const [kind, type, body] = BODIES[(sentCount + index) % BODIES.length] as (typeof BODIES)[number];
          const sentHeaders = { Cookie: cookie, ...(type ? { 'Content-Type': type } : {}), ...headers };
          const { status, text } = await send(method, path, sentHeaders, body);
          return isRefused({ status, text }) ? [] : [`${method} ${path} with ${kind}, ${name}: ${status} ${text}`];
        }),
      );
      sentCount += answers.length;
      accepted.push(...answers.flat());
    }
    console.log(`Origins: ${sentCount} writes over ${writes.length} routes, ${sentCount - accepted.length} refused`);
    expect(accepted).toEqual([]);
  });

  it.each([
    ['Origin', { Origin: baseUrl }],
    ['Referer without Origin', { Referer: `${baseUrl}/collections?page=2` }],
    ['X-Origin and X-Referer', { 'X-Origin': baseUrl, 'X-Referer': `${baseUrl}/` }],
    ['another name of this machine', { Origin: `http://localhost:${port}` }],
  ])('is accepted from pages of the product: %s', async (_, headers) => {
    const answer = await send('POST', '/api/session/heartbeat', { Cookie: cookie, ...headers }, '');
    expect(answer.status).toBe(204);
  });
});

describe('a public write, such as signing in', () => {
  it('is refused from pages of other sites, even without a session', async () => {
    const accepted: string[] = [];
    let sentCount = 0;
    for (const { method, path } of writes.filter(({ isPublic }) => isPublic)) {
      for (const [name, headers] of FOREIGN_HEADERS.filter(([name]) => name !== 'neither Origin nor Referer')) {
        const sentHeaders = { 'Content-Type': 'application/json', ...headers };
        sentCount += 1;
        const answer = await send(method, path, sentHeaders, '{}');
        if (!isRefused(answer)) accepted.push(`${method} ${path}, ${name}: ${answer.status} ${answer.text}`);
      }
      // Some browsers do not send the address of the page, but mark the request as cross-site.
      const cross = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'cross-site' };
      sentCount += 1;
      if (!isRefused(await send(method, path, cross, '{}'))) accepted.push(`${method} ${path} across sites`);
    }
    console.log(`Origins: ${sentCount} public writes without a session, ${sentCount - accepted.length} refused`);
    expect(accepted).toEqual([]);
  });
});

describe('an API key', () => {
  it('needs no Origin, because a page of another site cannot make a browser send the key', async () => {
    const body = JSON.stringify({ data: { code: `from-a-system-${Date.now()}` } });
    const path = `/api/reference-data/${dataSetId}/instances`;
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${keys.write}` };
    expect((await send('POST', path, headers, body)).status).toBe(201);
  });
  it('is refused if it is invalid, even if the request has a session', async () => {
    const headers = { Cookie: cookie, Authorization: 'Bearer rdm_nobody', Origin: 'https://evil.example' };
    expect((await send('POST', '/api/roles', { 'Content-Type': 'application/json', ...headers }, '{}')).status).toBe(
      401,
    );
  });
});

describe('a socket', () => {
  const isOpened = (path: string, headers: Record<string, string>) =>
    new Promise<boolean>((resolve) => {
      const socket = new WebSocket(`ws://${host}${path}`, { headers });
      socket.once('open', () => {
        socket.terminate();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  const SOCKETS = ['/socket.io/?EIO=4&transport=websocket', '/api/changes/ws'];

  it('can be opened with a session only from pages of the product', async () => {
    const accepted: string[] = [];
    let sentCount = 0;
    for (const path of SOCKETS) {
      for (const [name, headers] of FOREIGN_HEADERS.filter(([, { Origin }]) => Origin !== undefined)) {
        sentCount += 1;
        if (await isOpened(path, { Cookie: cookie, ...headers })) accepted.push(`${path}, ${name}`);
      }
      expect(await isOpened(path, { Cookie: cookie, Origin: baseUrl })).toBe(true);
    }
    console.log(`Origins: ${sentCount} sockets, ${sentCount - accepted.length} refused`);
    expect(accepted).toEqual([]);
  });
  it('can be opened with an API key without an Origin', async () => {
    const isOpenedWithKey = () => isOpened('/api/changes/ws', { Authorization: `Bearer ${keys.read}` });
    await expect.poll(isOpenedWithKey, { timeout: 20_000 }).toBe(true);
  });
});
