/** Tests pages that show the past: reads and links contain `asOf`, and the pages are read-only. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetAnswers, read, write } from './client.ts';
import { mayRetry } from './error.ts';
import { fileAsOf, keepMoment, momentIn, PAST_IS_READ_ONLY, runAsOf, searchAt, searchNow } from './moment.ts';

const sent: { method: string; url: string }[] = [];
let body: unknown;

const openPage = (search: string) => window.history.replaceState(null, '', `/reference-data/7${search}`);

beforeEach(() => {
  sent.length = 0;
  body = {};
  forgetAnswers();
  vi.stubGlobal('fetch', async (url: string, { method = 'GET' }: RequestInit) => {
    sent.push({ method, url });
    return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } });
  });
});

afterEach(() => {
  openPage('');
  vi.unstubAllGlobals();
});

describe('a page of the past', () => {
  it('adds asOf to reads, in addition to their own parameters', async () => {
    openPage('?page=2&asOf=seq:12');
    await read('/api/reference-data/7/instances', { query: { page: 2 } });
    await read('/api/reference-data/7');
    expect(sent.map(({ url }) => url)).toEqual([
      '/api/reference-data/7/instances?page=2&asOf=seq%3A12',
      '/api/reference-data/7?asOf=seq%3A12',
    ]);
  });

  it('reads user names and the user’s own records without asOf', async () => {
    openPage('?asOf=seq:12');
    await read('/api/users/names', { query: { ids: '1' } });
    await read('/api/notifications');
    expect(sent.map(({ url }) => url)).toEqual(['/api/users/names?ids=1', '/api/notifications']);
  });

  it('reads as of the moment of the query cache, even after the URL has changed', async () => {
    openPage('?asOf=seq:12');
    await runAsOf(undefined, () => read('/api/crosswalks'));
    openPage('');
    await runAsOf('seq:12', () => read('/api/crosswalks'));
    await read('/api/crosswalks');
    expect(sent.map(({ url }) => url)).toEqual(['/api/crosswalks', '/api/crosswalks?asOf=seq%3A12', '/api/crosswalks']);
  });

  it('lowers access levels to READ, and does not change cells of a field named level', async () => {
    body = {
      level: 'ADMIN',
      items: [
        { id: 1, level: 'APPROVER', data: { level: 'ADMIN' } },
        { id: 2, data: { level: 'WRITE' }, level: '7' },
      ],
    };
    openPage('?asOf=seq:12');
    expect(await read('/api/reference-data')).toEqual({
      level: 'READ',
      items: [
        { id: 1, level: 'READ', data: { level: 'ADMIN' } },
        { id: 2, data: { level: 'WRITE' }, level: '7' },
      ],
    });
    openPage('');
    expect(await read('/api/reference-data')).toEqual(body);
  });

  it('refuses writes of data, but not a sign-out or a saved filter', async () => {
    openPage('?asOf=seq:12');
    const refusal = await write('PATCH', '/api/reference-data/7/instances', []).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ message: PAST_IS_READ_ONLY });
    expect(mayRetry(refusal)).toBe(false);
    await expect(write('POST', '/api/selections', {})).rejects.toThrow(PAST_IS_READ_ONLY);
    expect(sent).toEqual([]);
    await write('POST', '/api/logout');
    await write('POST', '/api/saved-filters', {});
    openPage('');
    await write('PATCH', '/api/reference-data/7/instances', []);
    expect(sent.map(({ url }) => url)).toEqual([
      '/api/logout',
      '/api/saved-filters',
      '/api/reference-data/7/instances',
    ]);
  });

  it('exports files as of its moment', () => {
    openPage('?asOf=2026-01-31T12:00:00Z');
    expect(fileAsOf('/api/reference-data/7/export?format=csv')).toBe(
      '/api/reference-data/7/export?format=csv&asOf=2026-01-31T12:00:00Z',
    );
    openPage('');
    expect(fileAsOf('/api/reference-data/7/export')).toBe('/api/reference-data/7/export');
  });
});

describe('links', () => {
  it.each([
    ['', undefined, ''],
    ['?tab=draft', undefined, '?tab=draft'],
    ['', 'seq:12', '?asOf=seq:12'],
    ['?tab=draft', '2026-01-31T12:00:00+01:00', '?tab=draft&asOf=2026-01-31T12:00:00%2B01:00'],
    // These links set another moment or the present.
    ['?asOf=seq:3&tab=draft', 'seq:12', '?tab=draft&asOf=seq:3'],
    ['?tab=draft&asOf=', 'seq:12', '?tab=draft'],
    ['?asOf=', 'seq:12', ''],
  ])('with the query string “%s” and the moment %s of the page get the query string “%s”', (search, moment, expected) =>
    expect(keepMoment(search, moment)).toBe(expected),
  );

  it('change no other parameter of the query string', () => {
    const filter = '?filter={%22logic%22:%22AND%22,%22conditions%22:[]}&q=a+b';
    expect(searchAt(filter, 'seq:12')).toBe(`${filter}&asOf=seq:12`);
    expect(searchAt(searchAt(filter, 'seq:12'), undefined)).toBe(filter);
    expect(keepMoment(searchNow(`${filter}&asOf=seq:12`), 'seq:12')).toBe(filter);
    expect(momentIn(searchAt('', '2026-01-31T12:00:00+01:00'))).toBe('2026-01-31T12:00:00+01:00');
    expect(momentIn('?asOf=')).toBeUndefined();
  });
});
