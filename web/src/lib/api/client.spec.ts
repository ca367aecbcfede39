/** Tests how the client sends and repeats requests, and reads responses (specification §7 and §8). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetAnswers, postWithKey, read, stopSharingReads, unwrap, write } from './client.ts';
import type { ApiError } from './error.ts';
import { forgetOwnWrites, isBehind } from './freshness.ts';
import { markSession, sessionExists } from './session.ts';

type Reply = { status?: number; statusText?: string; body?: unknown; html?: string; headers?: Record<string, string> };

const sent: { url: string; init: RequestInit; headers: Headers }[] = [];
let replies: (Reply | 'lost')[] = [];

function answer(...next: (Reply | 'lost')[]) {
  replies = next;
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  sent.length = 0;
  forgetAnswers();
  forgetOwnWrites();
  sessionStorage.clear();
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent.push({ url, init, headers: new Headers(init.headers) });
    const reply = replies.shift();
    if (reply === undefined) throw new Error(`No reply is defined for ${url}`);
    if (reply === 'lost') throw new TypeError('Failed to fetch');
    const status = reply.status ?? 200;
    return new Response(status === 304 ? null : (reply.html ?? JSON.stringify(reply.body ?? {})), {
      status,
      statusText: reply.statusText ?? '',
      headers: { 'Content-Type': reply.html === undefined ? 'application/json' : 'text/html', ...reply.headers },
    });
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const refusalOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('was not refused')),
    (error: unknown) => error as ApiError,
  );

describe('reading', () => {
  it('sends credentials', async () => {
    answer({ body: [1] });
    expect(await read('/api/things')).toEqual([1]);
    expect(sent[0]?.init.credentials).toBe('include');
  });

  it('shares one request among identical concurrent reads, and sends a new request afterwards', async () => {
    answer({ body: [1] }, { body: [2] });
    expect(await Promise.all([read('/api/things'), read('/api/things')])).toEqual([[1], [1]]);
    expect(await read('/api/things')).toEqual([2]);
    expect(sent).toHaveLength(2);
  });

  it('sends a new request after `stopSharingReads`', async () => {
    answer({ body: [1] }, { body: [2] });
    const before = read('/api/things');
    stopSharingReads();
    expect(await Promise.all([before, read('/api/things')])).toEqual([[1], [2]]);
  });

  it('does not share a read that began before an own write', async () => {
    answer({ body: ['before'] }, { body: { position: '10/10' } }, { body: ['after'] });
    const before = read('/api/things');
    await write('POST', '/api/things', {});
    expect(await read('/api/things')).toEqual(['after']);
    expect(await before).toEqual(['before']);
  });

  it('adds _t to a fresh read', async () => {
    answer({});
    await read('/api/things', { fresh: true, query: { q: 'a b' } });
    expect(sent[0]?.url).toMatch(/^\/api\/things\?q=a\+b&_t=\d+$/);
  });

  it('returns the cached body after a 304', async () => {
    answer({ body: [1], headers: { ETag: '"a"' } }, { status: 304 });
    await read('/api/things');
    expect(await read('/api/things')).toEqual([1]);
    expect(sent[1]?.headers.get('If-None-Match')).toBe('"a"');
  });

  it('reads again without HTTP caches after a 304 without a cached body', async () => {
    answer({ status: 304 }, { body: [2] });
    expect(await read('/api/things')).toEqual([2]);
    expect(sent[1]?.init.cache).toBe('reload');
  });

  it('rejects only the caller that aborts', async () => {
    answer({ body: [1] });
    const controller = new AbortController();
    const mine = read('/api/things', { signal: controller.signal });
    const other = read('/api/things');
    controller.abort();
    await expect(mine).rejects.toThrow();
    expect(sent[0]?.init.signal?.aborted).toBe(false);
    expect(await other).toEqual([1]);
  });

  it('aborts the request when its last caller aborts', async () => {
    answer({ body: [1] }, { body: [2] });
    const controller = new AbortController();
    const both = [
      read('/api/things', { signal: controller.signal }),
      read('/api/things', { signal: controller.signal }),
    ];
    controller.abort();
    for (const each of both) await expect(each).rejects.toThrow();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.init.signal?.aborted).toBe(true);
    expect(await read('/api/things')).toEqual([2]);
  });
});

describe('writing', () => {
  it('sends a JSON body, the expected revision and a new idempotency key', async () => {
    answer({}, {});
    await write('PATCH', '/api/things/1', { name: 'a' }, { revision: 3 });
    await write('PATCH', '/api/things/1', { name: 'a' });
    const [first, second] = sent;
    expect(first?.headers.get('If-Match')).toBe('"3"');
    expect(first?.headers.get('Content-Type')).toBe('application/json');
    expect(first?.init.body).toBe('{"name":"a"}');
    expect(first?.headers.get('Idempotency-Key')).not.toBe(second?.headers.get('Idempotency-Key'));
    expect(second?.headers.has('If-Match')).toBe(false);
  });

  it.each<[string, Reply | 'lost']>([
    ['a lost response', 'lost'],
    ['a server error', { status: 503 }],
  ])('is retried once with the same key after %s', async (_, first) => {
    answer(first, { body: { id: 1 } });
    expect(await write('POST', '/api/things', {})).toEqual({ id: 1 });
    expect(sent).toHaveLength(2);
    expect(sent[1]?.headers.get('Idempotency-Key')).toBe(sent[0]?.headers.get('Idempotency-Key'));
  });

  it('fails after the second failure', async () => {
    answer('lost', 'lost');
    expect((await refusalOf(write('POST', '/api/things', {}))).code).toBe('NETWORK');
    expect(sent).toHaveLength(2);
  });

  it.each([400, 404, 409, 412, 422, 429])('is not retried after a %i', async (status) => {
    answer({ status, body: { error: 'no' } });
    expect((await refusalOf(write('POST', '/api/things', {}))).status).toBe(status);
    expect(sent).toHaveLength(1);
  });

  it.each([401, 403])('is retried once with explicit origin headers after a CSRF refusal with %i', async (status) => {
    markSession();
    answer({ status, body: { error: 'CSRF check failed' } }, { body: { id: 1 } });
    expect(await write('POST', '/api/things', {})).toEqual({ id: 1 });
    expect(sent[1]?.headers.get('X-Origin')).toBe(window.location.origin);
    expect(sent[1]?.headers.get('X-Referer')).toBe(window.location.href);
    expect(sent[1]?.headers.get('Idempotency-Key')).toBe(sent[0]?.headers.get('Idempotency-Key'));
    expect(sessionExists()).toBe(true);
  });

  it('is not retried after a second CSRF refusal', async () => {
    answer({ status: 403, body: { error: 'CSRF' } }, { status: 403, body: { error: 'CSRF' } });
    expect((await refusalOf(write('POST', '/api/things', {}))).status).toBe(403);
    expect(sent).toHaveLength(2);
  });
});

describe('read-your-own-writes', () => {
  it('sends the position of the own write for ten seconds', async () => {
    answer({ body: { position: '120/118' } }, {}, {});
    await write('POST', '/api/things', {});
    await read('/api/things');
    expect(sent[1]?.headers.get('X-Min-Position')).toBe('120/118');
    vi.advanceTimersByTime(10_001);
    await read('/api/things');
    expect(sent[2]?.headers.has('X-Min-Position')).toBe(false);
  });

  it('sends the newer of two positions', async () => {
    answer({ headers: { 'X-Position': '1000/1000' } }, { body: { position: '999/999' } }, {});
    await write('POST', '/api/things', {});
    await write('POST', '/api/things', {});
    await read('/api/things');
    expect(sent[2]?.headers.get('X-Min-Position')).toBe('1000/1000');
  });

  it('reports old responses until a response includes the own write', async () => {
    answer(
      { body: { position: '20/20' } },
      { headers: { 'X-Position': '19/19' } },
      { headers: { 'X-Position': '20/20' } },
    );
    await write('POST', '/api/things', {});
    await read('/api/things');
    expect(isBehind()).toBe(true);
    await read('/api/things');
    expect(isBehind()).toBe(false);
  });
});

describe('failed requests', () => {
  it('have the message, the code, the details and the request id of the response', async () => {
    answer({
      status: 409,
      body: { error: 'Name is taken', code: 'NAME_TAKEN', details: { name: 'x' }, requestId: 'r1' },
    });
    const error = await refusalOf(read('/api/things'));
    expect(error).toMatchObject({
      message: 'Name is taken',
      code: 'NAME_TAKEN',
      details: { name: 'x' },
      requestId: 'r1',
    });
  });

  it('have a rewritten message after a 403', async () => {
    answer({ status: 403, body: { error: 'WRITE is needed' } });
    const error = await refusalOf(write('POST', '/api/things', {}));
    expect(error.message).toBe("You don't have permission to perform this action");
    expect(error.serverMessage).toBe('WRITE is needed');
  });

  it('clear the session flag after a 401', async () => {
    markSession();
    answer({ status: 401, body: { error: 'Sign in first' } });
    await refusalOf(read('/api/things'));
    expect(sessionExists()).toBe(false);
  });

  it.each([200, 401, 403, 502])('with status %i and an HTML body are reported as an ended session', async (status) => {
    answer({ status, html: '<!doctype html><title>Proxy</title>' });
    expect((await refusalOf(read('/api/things'))).message).toBe('Session expired or authentication required');
  });

  it('have the first 500 characters of a body that is not JSON as message', async () => {
    answer({ status: 500, html: 'x'.repeat(2_000), headers: { 'Content-Type': 'text/plain' } });
    expect((await refusalOf(read('/api/things'))).message).toBe('x'.repeat(500));
  });

  it('have an empty message if the response has no text, or a default message after a 401', async () => {
    answer({ status: 404, body: {} }, { status: 401, body: {} });
    expect((await refusalOf(read('/api/things'))).message).toBe('');
    expect((await refusalOf(read('/api/things'))).message).toBe('Authentication failed');
  });

  it('have the status text as message if the body has no message', async () => {
    answer({ status: 404, statusText: 'Not Found', body: {} });
    expect((await refusalOf(read('/api/things'))).message).toBe('Not Found');
  });
});

describe('wrapped responses', () => {
  it('unwraps the data of { success, data }, and returns any other body unchanged', () => {
    expect(unwrap({ success: true, data: { id: 1 } })).toEqual({ id: 1 });
    expect(unwrap({ id: 1 })).toEqual({ id: 1 });
  });
});

describe('posting with an API key', () => {
  it('sends the key instead of the cookie', async () => {
    answer({ body: ['DEU'] });
    expect(await postWithKey('rdm_secret', '/api/things', { values: ['de'] }, { record: false })).toEqual(['DEU']);
    expect(sent[0]?.url).toBe('/api/things?record=false');
    expect(sent[0]?.init).toMatchObject({ method: 'POST', credentials: 'omit', body: '{"values":["de"]}' });
    expect(sent[0]?.headers.get('Authorization')).toBe('Bearer rdm_secret');
  });

  it('does not end the session if the server refuses the key', async () => {
    markSession();
    for (const status of [401, 403]) {
      answer({ status, body: { error: 'This API key is unknown, revoked or expired' } });
      const error = await refusalOf(postWithKey('rdm_secret', '/api/things', {}));
      expect(error).toMatchObject({ status, serverMessage: 'This API key is unknown, revoked or expired' });
    }
    expect(sessionExists()).toBe(true);
  });
});
