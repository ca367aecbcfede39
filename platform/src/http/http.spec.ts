import { emptyAccess, evolveAccess, Refusal, SEEDED_ROLES } from '@rdm/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signSession } from '../identity/session.ts';
import type { NewError } from '../service/error-log.ts';
import { createLog } from '../service/log.ts';
import { createMetrics } from '../service/metrics.ts';
import { createApp } from './http.ts';
import { listen, type RunningServer } from './listening.ts';
import { idParam, route } from './route.ts';

/** The routes of this spec are in no API reference. */
const UNDOCUMENTED = { summary: '', answers: {} };

const SECRET = 'x'.repeat(40);
const access = emptyAccess();
for (const role of SEEDED_ROLES) evolveAccess(access, { type: 'RoleDefined', data: role });
const people = { admin: 1, steward: 2, viewer: 4 };
for (const userId of Object.values(people)) {
  evolveAccess(access, { type: 'UserRegistered', data: { userId, roleId: userId } });
}
evolveAccess(access, { type: 'UserRegistered', data: { userId: 5, roleId: 4 } });
evolveAccess(access, { type: 'UserDeactivated', data: { userId: 5 } });

/** Answers the queries of sessions: the id of a session is the id of its user, and user 6 must change the password. */
const db = {
  query: async ({ values }: { values: string[] }) => ({
    rows: [{ user_id: Number(values[0]), require_password_change: values[0] === '6' }],
  }),
};
evolveAccess(access, { type: 'UserRegistered', data: { userId: 6, roleId: 4 } });

const done = async () => ({ body: { ok: true } });
const failWith = (error: unknown) => async () => {
  throw error;
};
const routes = [
  route('get', '/api/open', { public: true }, { ...UNDOCUMENTED }, done),
  route('get', '/api/items/:id', { signedIn: true }, { ...UNDOCUMENTED }, async ({ params }) => ({ body: params })),
  route('get', '/api/mine', { signedIn: true }, { ...UNDOCUMENTED }, done),
  route(
    'post',
    '/api/values',
    { signedIn: true },
    {
      ...UNDOCUMENTED,
      body: z.object({ values: z.array(z.string()) }),
      query: z.object({ record: z.string().optional(), values: z.string().optional() }),
    },
    async ({ body }) => ({ body }),
  ),
  route('get', '/api/own', { person: true, beforePasswordChange: true }, { ...UNDOCUMENTED }, done),
  route('get', '/api/administration', { administrator: true }, { ...UNDOCUMENTED }, done),
  route('get', '/api/types', { ability: 'types.write' }, { ...UNDOCUMENTED }, done),
  route('get', '/api/approvals', { route: '/approvals' }, { ...UNDOCUMENTED }, done),
  route(
    'post',
    '/api/write',
    { signedIn: true },
    { ...UNDOCUMENTED, body: z.object({ name: z.string({ error: 'Name is required' }) }) },
    async ({ body, ifMatch }) => ({
      status: 201,
      body: { ...body, ifMatch },
      position: 7n,
    }),
  ),
  route(
    'get',
    '/api/refused',
    { public: true },
    { ...UNDOCUMENTED },
    failWith(new Refusal('LOCKED_OUT', 'Later', { why: 'x' }, 30)),
  ),
  route('get', '/api/busy', { public: true }, { ...UNDOCUMENTED }, failWith(new Refusal('UNAVAILABLE', 'Later'))),
  route('get', '/api/broken', { public: true }, { ...UNDOCUMENTED }, failWith(new Error('SELECT secret FROM table'))),
  route(
    'post',
    '/api/broken/:id',
    { signedIn: true },
    { ...UNDOCUMENTED, query: z.object({ q: z.string() }) },
    failWith(new Error('SELECT secret FROM table')),
  ),
  route(
    'get',
    '/api/away',
    { public: true },
    { ...UNDOCUMENTED },
    failWith(Object.assign(new Error('down'), { code: 'ECONNREFUSED' })),
  ),
  route('get', '/api/things/:id', { public: true }, { ...UNDOCUMENTED }, async (request) => ({
    body: { id: idParam(request) },
  })),
  route('get', '/api/source', { public: true }, { ...UNDOCUMENTED }, async ({ sourceType }) => ({
    body: { sourceType },
  })),
  route('get', '/api/present', { signedIn: true }, { ...UNDOCUMENTED, hasPast: false }, done),
  route(
    'get',
    '/api/correlated',
    { public: true },
    { ...UNDOCUMENTED, hasPast: true },
    async ({ correlationId, requestId }) => ({
      body: { isRequestId: correlationId === requestId },
    }),
  ),
  route(
    'get',
    '/api/dated',
    { public: true },
    { ...UNDOCUMENTED, hasPast: true, query: z.object({ asOf: z.string().optional() }) },
    async (request) => ({
      body: request.query,
    }),
  ),
  route('get', '/internal/thing', { service: true }, { ...UNDOCUMENTED }, done),
];

let server: RunningServer;
const recorded: NewError[] = [];
let parts: Awaited<ReturnType<Parameters<typeof createApp>[1]['ready']>> = {};
beforeAll(async () => {
  const app = createApp(routes, {
    log: createLog('spec', 'silent'),
    metrics: createMetrics('spec'),
    errors: { record: (error) => recorded.push(error) },
    db: db as never,
    sessionSecret: SECRET,
    serviceSecret: 'service',
    publicUrl: 'http://localhost:8080',
    access: async () => access,
    ready: async () => parts,
  });
  server = await listen(app, 0, '127.0.0.1');
});
afterAll(() => server.close());

async function sendAs(path: string, as?: number, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const cookie = as === undefined ? {} : { Cookie: `session=${signSession(String(as), SECRET, 1)}` };
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    ...init,
    headers: { ...cookie, ...init.headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

describe('a path', () => {
  it.each(['/api/open/', '/API/Open', '/api/open?asOf=2026'])('%s finds the route /api/open', async (path) => {
    expect((await sendAs(path)).body).toEqual({ ok: true });
  });
  it.each(['/api/open/more', '/api/opener', '/api', '/api//open', '//api/open'])(
    '%s does not find the route /api/open',
    async (path) => {
      expect((await sendAs(path)).status).toBe(401);
    },
  );
  it('serves HEAD like GET, but serves no OPTIONS without a session', async () => {
    expect(await sendAs('/api/open', undefined, { method: 'HEAD' })).toMatchObject({ status: 200, body: undefined });
    expect((await sendAs('/api/open', undefined, { method: 'OPTIONS' })).status).toBe(401);
  });
  it('returns 400 if it cannot be decoded', async () => {
    expect((await sendAs('/api/items/%E0%A4%A', people.viewer)).status).toBe(400);
    expect((await sendAs('/api/items/7%2F8', people.viewer)).body).toEqual({ id: '7/8' });
  });
});

describe('an error', () => {
  it('is recorded with its route, correlation id and actor, and without the content of the request', async () => {
    recorded.length = 0;
    const headers = { 'X-Correlation-Id': 'c1', Origin: 'http://localhost:8080' };
    await sendAs('/api/broken/ada@example.com?q=secret', people.steward, { method: 'POST', headers });
    expect(recorded).toEqual([
      {
        kind: 'REQUEST',
        route: 'POST /api/broken/:id',
        status: 500,
        code: 'Error',
        message: 'The service failed: its log has the reason',
        correlationId: 'c1',
        actorId: people.steward,
      },
    ]);
  });

  it('on a public route is recorded without an actor, and with the request id as correlation id', async () => {
    recorded.length = 0;
    await sendAs('/api/away', undefined, { headers: { 'X-Request-Id': 'r1' } });
    expect(recorded).toMatchObject([{ status: 503, code: 'ECONNREFUSED', correlationId: 'r1', actorId: null }]);
  });

  it('is not recorded with a status below 500', async () => {
    recorded.length = 0;
    await sendAs('/api/refused');
    await sendAs('/api/no-such', people.viewer);
    expect(recorded).toEqual([]);
  });
});

describe('an answer', () => {
  it('has an ETag, and is not sent again to a client that sends this ETag', async () => {
    const first = await sendAs('/api/open');
    const tag = String(first.headers.get('ETag'));
    // To a request with If-None-Match, `fetch` adds Cache-Control: no-cache, which must not prevent the answer 304.
    const withEtag = (etag: string) => ({ headers: { 'If-None-Match': etag } });
    expect(first.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect((await sendAs('/api/open', undefined, withEtag(tag))).status).toBe(304);
    const other = await sendAs('/api/open', undefined, withEtag('W/"1-x"'));
    expect([other.status, other.headers.get('ETag')]).toEqual([200, tag]);
  });
  it("to a read may be stored only by the user's browser, which must revalidate it", async () => {
    const cacheControlOf = async (path: string, as?: number) => (await sendAs(path, as)).headers.get('Cache-Control');
    expect(await cacheControlOf('/api/mine', people.viewer)).toBe('private, no-cache');
    expect(await cacheControlOf('/api/no-such', people.viewer)).toBe('private, no-cache');
  });
  it('to a write must not be stored', async () => {
    expect((await sendAs('/api/open', undefined, { method: 'POST' })).headers.get('Cache-Control')).toBe('no-store');
  });
});

describe('a request', () => {
  it.each([
    ['/api/open', undefined, 200],
    ['/api/mine', undefined, 401],
    ['/api/no-such', undefined, 401],
    ['/api/no-such', people.viewer, 404],
    ['/api/mine', people.viewer, 200],
    ['/api/mine', 5, 401],
    ['/api/mine', 6, 403],
    ['/api/own', 6, 200],
    ['/api/administration', people.steward, 403],
    ['/api/administration', people.admin, 200],
    ['/api/types', people.viewer, 403],
    ['/api/types', people.steward, 200],
    ['/api/approvals', people.viewer, 403],
    ['/api/approvals', people.steward, 200],
    ['/internal/thing', people.admin, 404],
  ])('to %s by user %s is answered with %i', async (path, as, status) => {
    expect((await sendAs(path, as)).status).toBe(status);
  });
  it('without a session gets the scheme Bearer, for which browsers open no dialog', async () => {
    const schemeFor = async (as?: number) => (await sendAs('/api/mine', as)).headers.get('WWW-Authenticate');
    expect(await schemeFor()).toMatch(/^Bearer realm=".+"$/);
    expect(await schemeFor(people.viewer)).toBeNull();
  });
  it.each(['%', '%E0%A4%A', '%00'])('with the cookie %s has no session', async (value) => {
    expect((await sendAs('/api/mine', undefined, { headers: { Cookie: `session=${value}` } })).status).toBe(401);
  });
  it('is refused with a forged session, and is admitted to an internal route with the service secret', async () => {
    const forged = signSession('1', 'y'.repeat(40), 1);
    expect((await sendAs('/api/mine', undefined, { headers: { Cookie: `session=${forged}` } })).status).toBe(401);
    expect((await sendAs('/internal/thing', undefined, { headers: { 'X-Service-Secret': 'service' } })).status).toBe(
      200,
    );
  });
});

describe('the source of a request', () => {
  const sourceOf = async (as?: number, headers: Record<string, string> = {}) =>
    (await sendAs('/api/source', as, { headers })).body.sourceType;

  it.each(['Origin', 'Referer', 'Sec-Fetch-Site'])('is UI if a browser without a session sends %s', async (name) => {
    expect(await sourceOf(undefined, { [name]: 'http://localhost:8080' })).toBe('UI');
  });
  it('is UI with a session, and API with neither a session nor browser headers', async () => {
    expect(await sourceOf(people.viewer)).toBe('UI');
    expect(await sourceOf()).toBe('API');
  });
});

describe('a browser’s write', () => {
  const write = (headers: Record<string, string>, body: unknown = { name: 'a' }) =>
    sendAs('/api/write', people.steward, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it.each([
    ['Origin', 'http://localhost:8080', 201],
    ['Origin', 'http://127.0.0.1:8080', 201],
    ['Referer', 'http://localhost:8080/crosswalks', 201],
    ['X-Origin', 'http://localhost:8080', 201],
    ['Origin', 'http://localhost:8081', 403],
    ['Origin', 'http://localhost:8080.evil.example', 403],
    ['Origin', 'http://evil.example@localhost:8080', 403],
    ['Origin', 'https://evil.example', 403],
    ['Origin', 'null', 403],
    ['Accept', '*/*', 403],
  ])('with %s: %s returns %i', async (name, value, status) => {
    expect((await write({ [name]: value })).status).toBe(status);
  });
  it('is refused with the message of its schema', async () => {
    const refused = await write({ Origin: 'http://localhost:8080' }, {});
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'Name is required', code: 'INVALID', details: [{ path: 'name', message: 'Name is required' }] },
    });
  });
  it('may have a quoted number in If-Match, and gets its position in the answer', async () => {
    const answer = await write({ Origin: 'http://localhost:8080', 'If-Match': '"3"' });
    expect(answer.body).toEqual({ name: 'a', ifMatch: 3 });
    expect(answer.headers.get('X-Position')).toBe('7');
    for (const invalid of ['soon', '""', '0x5', '"3', '-1', '1e3']) {
      expect((await write({ Origin: 'http://localhost:8080', 'If-Match': invalid })).status, invalid).toBe(400);
    }
  });
  const send = (body: string, headers: Record<string, string> = {}, as: number | undefined = people.steward) =>
    sendAs('/api/write', as, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'http://localhost:8080', ...headers },
      body,
    });

  it('is refused with a number that parsing would change', async () => {
    expect(await send('{"name":"a","level":9007199254740993}')).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID',
        error: '9007199254740993 cannot be stored exactly as a number: round it, or send it as text to a string field',
      },
    });
    expect((await send('{"name":"9007199254740993","level":9007199254740992}')).status).toBe(201);
  });

  it('is refused if its body is too large, is not JSON or is not compressed as declared', async () => {
    expect((await send('{')).status).toBe(400);
    expect((await send(JSON.stringify({ name: 'x'.repeat(2_000_000) }))).status).toBe(413);
    expect((await send('{"name":"a"}', { 'Content-Encoding': 'gzip' })).status).toBe(400);
    expect(await send('name=a', { 'Content-Type': 'text/plain' })).toMatchObject({
      status: 415,
      body: { error: 'Send the body as JSON, with Content-Type: application/json' },
    });
  });
  it('is refused with an idempotency key that is empty or has more than 200 characters', async () => {
    for (const key of ['', 'k'.repeat(201)]) {
      expect(await send('{"name":"a"}', { 'Idempotency-Key': key }), key).toMatchObject({
        status: 400,
        body: { error: 'An Idempotency-Key has between 1 and 200 characters' },
      });
    }
  });
  it.each([
    String.raw`{"name":"a\u0000b"}`,
    String.raw`{"name":"\ud800"}`,
    String.raw`{"name":"a","deep":[{"x\udfff":1}]}`,
    `{"name":"a","deep":${'['.repeat(50_000)}"${String.raw`\u0000`}"${']'.repeat(50_000)}}`,
  ])('is refused if it has text that PostgreSQL cannot store', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'INVALID' } });
  });
  it('is refused with a query parameter in its body, but not with another unknown property', async () => {
    const sendValues = (body: object) =>
      sendAs('/api/values', people.steward, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: 'http://localhost:8080' },
        body: JSON.stringify(body),
      });
    expect(await sendValues({ values: ['a'], record: false })).toMatchObject({
      status: 400,
      body: { code: 'INVALID', error: '“record” is a query parameter: write it in the address, as ?record=…' },
    });
    expect((await sendValues({ values: ['a'], other: 1 })).body).toEqual({ values: ['a'] });
  });
  it('is refused before its body is read if the caller is not signed in', async () => {
    const refused = await sendAs('/api/write', undefined, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'http://localhost:8080' },
      body: '{',
    });
    expect(refused.status).toBe(401);
  });
});

describe('the parameters of a request', () => {
  it.each(['0x10', '1e3', '%201', '1.0', '0', '-1', '9007199254740993', 'NaN', '__proto__'])(
    'do not accept %s as an id',
    async (id) => {
      expect((await sendAs(`/api/things/${id}`)).status).toBe(404);
    },
  );
  it('accept the largest exact whole number as an id', async () => {
    expect((await sendAs('/api/things/9007199254740991')).body).toEqual({ id: 9_007_199_254_740_991 });
  });
  it.each(['a=1&a=2', 'a=%00', '__proto__=1&__proto__=2'])('are refused as ?%s', async (query) => {
    expect((await sendAs(`/api/correlated?${query}`)).status).toBe(400);
  });
  it.each([
    ['/api/dated?asof=x', 'There is no parameter “asof”: write “asOf”'],
    ['/api/dated?asOf=x&status=NOPE', 'There is no parameter “status”: this request takes asOf'],
    ['/api/correlated?status=NOPE', 'There is no parameter “status”: this request takes asOf'],
  ])('are refused if a parameter of %s is not declared', async (path, error) => {
    expect(await sendAs(path)).toMatchObject({ status: 400, body: { code: 'INVALID', error } });
  });
  it('must be declared on a write', async () => {
    const written = await sendAs('/api/write?name=x', people.steward, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'http://localhost:8080' },
      body: '{"name":"y"}',
    });
    expect(written).toMatchObject({
      status: 400,
      body: { error: 'There is no parameter “name”: this request takes none' },
    });
  });
  it('may include `_t`, which no route declares', async () => {
    expect((await sendAs('/api/dated?asOf=x')).body).toEqual({ asOf: 'x' });
    expect((await sendAs('/api/dated?asOf=x&_t=1')).body).toEqual({ asOf: 'x' });
  });
  it('may include `asOf` on a read that has a past and declares no parameters', async () => {
    expect((await sendAs('/api/correlated?asOf=x')).status).toBe(200);
  });
  it('are refused with `asOf` on a non-public read without a past', async () => {
    expect(await sendAs('/api/present?asOf=x', people.viewer)).toMatchObject({
      status: 400,
      body: { error: 'This is not available for the past: leave asOf out' },
    });
  });
  it('may include `asOf` on a public read without a past, which ignores it', async () => {
    expect((await sendAs('/api/open?asOf=x')).body).toEqual({ ok: true });
  });
});

describe('a sent correlation id', () => {
  const sendCorrelated = async (correlationId: string) =>
    (await sendAs('/api/correlated', undefined, { headers: { 'X-Correlation-Id': correlationId } })).body;

  it.each(['trace-1.2:3', 'x'.repeat(100)])('is not replaced by the request id if it is valid: %s', async (id) => {
    expect(await sendCorrelated(id)).toEqual({ isRequestId: false });
  });
  it.each(['jane@example.org', 'two words', 'x'.repeat(101)])(
    'is replaced by the request id if it is not valid: %s',
    async (id) => {
      expect(await sendCorrelated(id)).toEqual({ isRequestId: true });
    },
  );
});

describe('an error answer', () => {
  it('has a code, a message, details and Retry-After', async () => {
    const answer = await sendAs('/api/refused');
    expect(answer).toMatchObject({ status: 429, body: { error: 'Later', code: 'LOCKED_OUT', details: { why: 'x' } } });
    expect(answer.headers.get('Retry-After')).toBe('30');
  });
  it('has the id of the request instead of the message of an internal error', async () => {
    const { status, body } = await sendAs('/api/broken');
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('SELECT');
    expect(body.requestId).toMatch(/[\w-]{8,}/);
  });
  it.each(['/api/away', '/api/busy'])('is 503 with Retry-After if a part is unavailable: %s', async (path) => {
    const answer = await sendAs(path);
    expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(answer.headers.get('Retry-After')).toBe('1');
  });
});

describe('health', () => {
  it('is ready when every part is ready, also with a warning', async () => {
    expect(await sendAs('/health/live')).toMatchObject({ status: 200 });
    parts = { database: true, locks: { warning: 'It waits' } };
    expect(await sendAs('/health/ready')).toMatchObject({ status: 200, body: { parts } });
    parts = { database: true, log: false };
    expect(await sendAs('/health/ready')).toMatchObject({
      status: 503,
      body: { parts: { database: true, log: false } },
    });
  });
});
