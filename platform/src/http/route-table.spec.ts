import { describe, expect, it } from 'vitest';
import { routeTable } from './route-table.ts';

const find = routeTable([
  { method: 'get', path: '/api/things' },
  { method: 'get', path: '/api/things/newest' },
  { method: 'patch', path: '/api/things/:id' },
  { method: 'get', path: '/api/things/:id' },
  { method: 'get', path: '/api/things/:id/parts/:partId' },
  { method: 'post', path: '/api/Okta-login' },
]);
const matchOf = (method: string, path: string) => {
  const { route, params } = find(method, path) ?? {};
  return route && { path: route.path, params };
};

describe('the route of a request', () => {
  it('has decoded parameters', () => {
    expect(matchOf('GET', '/api/things/7/parts/a%2Fb')).toEqual({
      path: '/api/things/:id/parts/:partId',
      params: { id: '7', partId: 'a/b' },
    });
  });
  it('is the route that was declared first', () => {
    expect(matchOf('GET', '/api/things/newest')?.path).toBe('/api/things/newest');
    expect(matchOf('PATCH', '/api/things/newest')?.params).toEqual({ id: 'newest' });
  });
  it.each(['/API/Things', '/api/things/', '/api/okta-login/'])('is found as %s', (path) => {
    expect(matchOf(path.includes('okta') ? 'POST' : 'HEAD', path)).toBeDefined();
  });
  it.each([
    '/api/things//',
    '/api/things/7/',
    '/api/things/7/parts',
    '/api//things',
    '/api',
    '/',
    '',
    '/api/thing%73',
    '*',
  ])('is not found for POST %s', (path) => {
    expect(matchOf('POST', path)).toBeUndefined();
    // Only `/api/things/7/` has a GET route, because a trailing slash is ignored.
    expect(matchOf('GET', path)?.path).toBe(path === '/api/things/7/' ? '/api/things/:id' : undefined);
  });
  it('is refused if a parameter cannot be decoded', () => {
    for (const method of ['GET', 'DELETE']) expect(() => find(method, '/api/things/%E0%A4%A')).toThrow(URIError);
    expect(find('GET', '/api/others/%E0%A4%A')).toBeUndefined();
  });
});
