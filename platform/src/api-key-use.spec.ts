import { emptyAccess } from '@rdm/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openApiKeyUse } from './api-key-use.ts';
import { hashSecret } from './api-keys.ts';
import { createApp, route } from './http.ts';
import { listen, type RunningServer } from './listening.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';

const log = createLog('spec', 'silent');

/** Time as the spec tells it. */
let time = Date.parse('2026-11-20T23:59:58.000Z');
const pass = (milliseconds: number) => {
  time += milliseconds;
};
const now = () => new Date(time);

interface Written {
  ids: number[];
  days: string[];
  calls: number[];
  lastUsed: string[];
}

/** What was written down; `failing` makes the next statements fail. */
function openWith(requestsPerMinute = 60) {
  const written: Written[] = [];
  const state = { failing: false };
  const db = {
    query: async (_text: string, [ids, days, calls, lastUsed]: unknown[]) => {
      if (state.failing) throw new Error('The database is away');
      written.push({ ids, days, calls, lastUsed } as Written);
    },
  };
  const use = openApiKeyUse({ db: db as never, log, requestsPerMinute, now });
  return { use, written, state };
}

beforeEach(() => {
  time = Date.parse('2026-11-20T23:59:58.000Z');
});

describe('the use of a key', () => {
  it('is written down per key and day, in one order', async () => {
    const { use, written } = openWith();
    use.take(9);
    use.take(7);
    pass(1_000);
    use.take(9);
    pass(1_000);
    use.take(9);
    await use.flush();
    expect(written).toEqual([
      {
        ids: [7, 9, 9],
        days: ['2026-11-20', '2026-11-20', '2026-11-21'],
        calls: [1, 2, 1],
        lastUsed: ['2026-11-20T23:59:58.000Z', '2026-11-20T23:59:59.000Z', '2026-11-21T00:00:00.000Z'],
      },
    ]);
    await use.close();
    expect(written).toHaveLength(1);
  });
  it('outlives a database that is away', async () => {
    const { use, written, state } = openWith();
    use.take(7);
    state.failing = true;
    await use.flush();
    use.take(7);
    state.failing = false;
    await use.close();
    expect(written).toMatchObject([{ ids: [7], calls: [2] }]);
  });
  it('counts what its rate refuses, too', async () => {
    const { use, written } = openWith(1);
    expect([use.take(7), use.take(7)].map(({ retryAfter }) => retryAfter)).toEqual([0, 60]);
    await use.close();
    expect(written).toMatchObject([{ calls: [2] }]);
  });
});

describe('the rate of a key', () => {
  it('is a minute’s worth at once, filled again evenly', async () => {
    const { use } = openWith(60);
    const allowed = (count: number) =>
      Array.from({ length: count }, () => use.take(7)).filter(({ retryAfter }) => retryAfter === 0).length;
    expect(allowed(100)).toBe(60);
    pass(1_000);
    expect(allowed(5)).toBe(1);
    pass(10_000);
    expect(allowed(50)).toBe(10);
    pass(3_600_000);
    expect(allowed(100)).toBe(60);
    await use.close();
  });
  it('is each key’s own', async () => {
    const { use } = openWith(1);
    expect([use.take(7), use.take(7), use.take(8)].map(({ retryAfter }) => retryAfter)).toEqual([0, 60, 0]);
    await use.close();
  });
});

describe('over HTTP', () => {
  const SECRET = 'rdm_good';
  const db = {
    query: async ({ values: [hashes] }: { values: [Buffer[]] }) => ({
      rows: hashes
        .filter((hash) => hash.equals(hashSecret(SECRET)))
        .map((hash) => ({ hash: hash.toString('hex'), id: 7, created_by: 1, scopes: [] })),
    }),
  };
  let server: RunningServer;
  const { use, written } = openWith(2);
  beforeAll(async () => {
    const app = createApp(
      [
        route('get', '/api/mine', { signedIn: true }, {}, async () => ({ body: {} })),
        route('get', '/api/administration', { administrator: true }, {}, async () => ({ body: {} })),
        route('post', '/api/login', { public: true }, {}, async () => ({ body: {} })),
      ],
      {
        log,
        metrics: createMetrics('spec'),
        db: db as never,
        sessionSecret: 'x'.repeat(40),
        serviceSecret: 'y'.repeat(40),
        publicUrl: 'http://127.0.0.1:8080',
        access: async () => emptyAccess(),
        apiKeyUse: use,
        ready: async () => ({}),
      },
    );
    server = await listen(app, 0, '127.0.0.1');
  });
  afterAll(() => server.close());

  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    const rate = ['Limit', 'Remaining', 'Reset'].map((name) => response.headers.get(`X-RateLimit-${name}`));
    return {
      status: response.status,
      rate,
      retryAfter: response.headers.get('Retry-After'),
      body: (await response.json()) as unknown,
    };
  };

  it('tells what is left, and when to come back', async () => {
    const key = { Authorization: `Bearer ${SECRET}` };
    expect(await get('/api/mine', key)).toMatchObject({ status: 200, rate: ['2', '1', '30'], retryAfter: null });
    expect(await get('/api/administration', { 'X-API-Key': SECRET })).toMatchObject({
      status: 403,
      rate: ['2', '0', '60'],
    });
    expect(await get('/api/mine', key)).toMatchObject({
      status: 429,
      rate: ['2', '0', '60'],
      retryAfter: '30',
      body: { error: 'This API key may ask 2 times a minute', code: 'TOO_MANY_REQUESTS' },
    });
    pass(30_000);
    expect(await get('/api/mine', key)).toMatchObject({ status: 200, rate: ['2', '0', '60'] });
    await use.close();
    const calls = written.flatMap((each) => each.calls);
    expect(calls.reduce((sum, each) => sum + each)).toBe(4);
  });
  it('neither counts nor limits a secret that nobody has', async () => {
    for (const secret of ['rdm_bad', 'rdm_bad', 'rdm_bad']) {
      expect(await get('/api/mine', { 'X-API-Key': secret })).toMatchObject({
        status: 401,
        rate: [null, null, null],
        body: { error: 'This API key is unknown, revoked or expired' },
      });
    }
  });
});
