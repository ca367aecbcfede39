import { emptyAccess } from '@rdm/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../http/http.ts';
import { listen, type RunningServer } from '../http/listening.ts';
import { route } from '../http/route.ts';
import { createLog } from '../service/log.ts';
import { createMetrics } from '../service/metrics.ts';
import { openApiKeyUse } from './api-key-use.ts';
import { hashSecret } from './api-keys.ts';

/** The routes of this spec are in no API reference. */
const UNDOCUMENTED = { summary: '', answers: {} };

const log = createLog('spec', 'silent');

let time = Date.parse('2026-11-20T23:59:58.000Z');
const advanceTime = (milliseconds: number) => {
  time += milliseconds;
};
const now = () => new Date(time);

interface WrittenUse {
  ids: number[];
  days: string[];
  calls: number[];
  lastUsed: string[];
}

/** Fakes the statement that leases requests. tests/stories/api-keys.spec.ts tests the real statement. */
function openBuckets() {
  const buckets = new Map<number, { tokens: number; at: number }>();
  return (apiKeyId: number, limit: number, share: number) => {
    const { tokens, at } = buckets.get(apiKeyId) ?? { tokens: limit, at: time };
    const filled = Math.min(limit, tokens + ((time - at) * limit) / 60_000);
    const leased = Math.min(Math.floor(filled), share);
    buckets.set(apiKeyId, { tokens: filled - leased, at: time });
    return { rows: [{ tokens: filled - leased, leased }] };
  };
}

/** Opens the use of keys; records the written uses and counts the leases. Statements fail while `failing` is true. */
function openWith(requestsPerMinute = 60, lease = openBuckets()) {
  const written: WrittenUse[] = [];
  const state = { failing: false, leases: 0 };
  const db = {
    query: async (statement: string | { values: [number, number, number] }, values?: unknown[]) => {
      if (state.failing) throw new Error('The database is unavailable');
      if (typeof statement !== 'string') {
        state.leases += 1;
        return lease(...statement.values);
      }
      const [ids, days, calls, lastUsed] = values ?? [];
      written.push({ ids, days, calls, lastUsed } as WrittenUse);
      return { rows: [] };
    },
  };
  const use = openApiKeyUse({ db: db as never, log, requestsPerMinute, now });
  return { use, written, state };
}
type Use = ReturnType<typeof openWith>['use'];

/** Sends this many simultaneous requests, and returns how many are allowed. */
async function allowedOf(use: Use, count: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => use.take(7)));
  return answers.filter(({ retryAfter }) => retryAfter === 0).length;
}

beforeEach(() => {
  time = Date.parse('2026-11-20T23:59:58.000Z');
});

describe('the use of a key', () => {
  it('is written per key and day, in the order of the keys and days', async () => {
    const { use, written } = openWith();
    await use.take(9);
    await use.take(7);
    advanceTime(1_000);
    await use.take(9);
    advanceTime(1_000);
    await use.take(9);
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
  it('is kept while the database is unavailable', async () => {
    const { use, written, state } = openWith();
    await use.take(7);
    state.failing = true;
    await use.flush();
    await use.take(7);
    state.failing = false;
    await use.close();
    expect(written).toMatchObject([{ ids: [7], calls: [2] }]);
  });
  it('includes requests that the rate refuses', async () => {
    const { use, written } = openWith(1);
    expect(await allowedOf(use, 2)).toBe(1);
    await use.close();
    expect(written).toMatchObject([{ calls: [2] }]);
  });
});

describe('the rate of a key', () => {
  it('allows the requests of a minute at once, and refills evenly', async () => {
    const { use } = openWith(60);
    expect(await allowedOf(use, 100)).toBe(60);
    advanceTime(1_000);
    expect(await allowedOf(use, 5)).toBe(1);
    advanceTime(10_000);
    expect(await allowedOf(use, 50)).toBe(10);
    advanceTime(3_600_000);
    expect(await allowedOf(use, 100)).toBe(60);
    await use.close();
  });
  it('reports the seconds until one more request is available', async () => {
    const { use } = openWith(4);
    expect(await use.take(7)).toMatchObject({ remaining: 3, resetSeconds: 15 });
    advanceTime(10_500);
    expect(await use.take(7)).toMatchObject({ remaining: 2, resetSeconds: 5 });
    await allowedOf(use, 2);
    expect(await use.take(7)).toMatchObject({ remaining: 0, resetSeconds: 5, retryAfter: 5 });
    await use.close();
  });
  it('is separate for each key', async () => {
    const { use } = openWith(1);
    const answers = [await use.take(7), await use.take(7), await use.take(8)];
    expect(answers.map(({ retryAfter }) => retryAfter)).toEqual([0, 60, 0]);
    await use.close();
  });
  it('is shared by all instances, which lease the requests of one second with one query', async () => {
    const lease = openBuckets();
    const [one, other] = [openWith(600, lease), openWith(600, lease)];
    expect(await allowedOf(one.use, 400)).toBe(400);
    expect(one.state.leases).toBe(40);
    expect(await allowedOf(other.use, 400)).toBe(200);
    advanceTime(1_000);
    expect(await allowedOf(one.use, 50)).toBe(10);
    expect(await allowedOf(other.use, 50)).toBe(0);
    expect((await other.use.take(7)).retryAfter).toBe(1);
    await Promise.all([one.use.close(), other.use.close()]);
  });
  it('never reports more remaining requests than the limit', async () => {
    const { use } = openWith(600);
    await use.take(7);
    advanceTime(60_000);
    expect(await use.take(7)).toEqual({ limit: 600, remaining: 599, resetSeconds: 1, retryAfter: 0 });
    await use.close();
  });
  it('sends no query for a key without remaining requests', async () => {
    const { use, state } = openWith(60);
    await allowedOf(use, 60);
    const { leases } = state;
    expect(await allowedOf(use, 100)).toBe(0);
    expect(state.leases).toBe(leases);
    await use.close();
  });
  it('is still limited while the database is unavailable', async () => {
    const { use, state } = openWith(60);
    state.failing = true;
    expect(await allowedOf(use, 100)).toBe(60);
    advanceTime(1_000);
    expect(await allowedOf(use, 5)).toBe(1);
    state.failing = false;
    await use.close();
  });
});

describe('the HTTP server', () => {
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
        route('get', '/api/mine', { signedIn: true }, { ...UNDOCUMENTED }, async () => ({ body: {} })),
        route('get', '/api/administration', { administrator: true }, { ...UNDOCUMENTED }, async () => ({ body: {} })),
        route('post', '/api/login', { public: true }, { ...UNDOCUMENTED }, async () => ({ body: {} })),
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

  it('reports the remaining requests, and when to retry', async () => {
    const key = { Authorization: `Bearer ${SECRET}` };
    expect(await get('/api/mine', key)).toMatchObject({ status: 200, rate: ['2', '1', '30'], retryAfter: null });
    expect(await get('/api/administration', { 'X-API-Key': SECRET })).toMatchObject({
      status: 403,
      rate: ['2', '0', '30'],
    });
    expect(await get('/api/mine', key)).toMatchObject({
      status: 429,
      rate: ['2', '0', '30'],
      retryAfter: '30',
      body: { error: 'This API key may send 2 requests a minute', code: 'TOO_MANY_REQUESTS' },
    });
    advanceTime(30_000);
    expect(await get('/api/mine', key)).toMatchObject({ status: 200, rate: ['2', '0', '30'] });
    await use.close();
    const calls = written.flatMap((each) => each.calls);
    expect(calls.reduce((sum, each) => sum + each)).toBe(4);
  });
  it('sends no rate and sets no limit for an unknown secret', async () => {
    for (const secret of ['rdm_bad', 'rdm_bad', 'rdm_bad']) {
      expect(await get('/api/mine', { 'X-API-Key': secret })).toMatchObject({
        status: 401,
        rate: [null, null, null],
        body: { error: 'This API key is unknown, revoked or expired' },
      });
    }
  });
});
