/** Tests which pages a user can open (specification §4 and §6). */
import type { CurrentUser } from '@rdm/contracts/identity/identity';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TooltipProvider } from '../../components/ui/tooltip.tsx';
import { userQuery } from '../../lib/auth/index.ts';
import { fakeServer, steward } from '../../testing/page.tsx';
import { RouteGuard } from './route-guard.tsx';
import { SessionGuard } from './session-guard.tsx';

const PAGES = [
  '/',
  '/reference-types',
  '/reference-types-debug',
  '/reference-data/:id/edit',
  '/collections',
  '/crosswalks',
  '/approvals',
  '/monitor',
  '/manage-users',
  '/users',
  '/api-test',
  '/admin/purge-data',
];

function open(path: string, user: CurrentUser | null | undefined) {
  const queries = new QueryClient();
  if (user !== undefined) queries.setQueryData(userQuery.queryKey, user);
  const router = createMemoryRouter(
    [
      {
        element: (
          <SessionGuard>
            <Outlet />
          </SessionGuard>
        ),
        children: PAGES.map((page) => {
          return { path: page, element: <RouteGuard>{`page ${page}`}</RouteGuard> };
        }),
      },
      { path: '/auth', element: 'sign in' },
    ],
    { initialEntries: [path] },
  );
  render(
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <RouterProvider router={router} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return router;
}

const admin: CurrentUser = { ...steward, id: 1, roleId: 1, isAdmin: true, routes: ['/'] };
const withoutRoutes: CurrentUser = { ...steward, routes: [] };

beforeEach(() => {
  fakeServer({ 'GET /api/auth/config': { body: {} } });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('the session guard', () => {
  it('shows Loading... while the session is requested', () => {
    vi.stubGlobal('fetch', () => new Promise(() => undefined));
    open('/', undefined);
    expect(screen.getByText('Loading...')).toBeTruthy();
  });

  it('redirects users without a session to the sign-in page and remembers the opened link', async () => {
    const router = open('/reference-types?q=iso#top', null);
    expect(await screen.findByText('sign in')).toBeTruthy();
    expect(router.state.location.state).toEqual({ from: '/reference-types?q=iso#top' });
  });

  it('does not remember the error of a failed single sign-on', async () => {
    const router = open('/reference-types?error=access_denied', null);
    expect(await screen.findByText('sign in')).toBeTruthy();
    expect(router.state.location.state).toEqual({ from: '/reference-types' });
  });

  it('shows only the password change to users who must change it', async () => {
    open('/reference-types', { ...steward, requirePasswordChange: true });
    // The dialog is loaded on demand.
    expect(await screen.findByText('Change Password Required', {}, { timeout: 10_000 })).toBeTruthy();
    expect(screen.queryByText('page /reference-types')).toBeNull();
  });
});

describe('the route guard', () => {
  it.each<[string, string, CurrentUser, string]>([
    ['opens the start page without any permission', '/', withoutRoutes, '/'],
    ['opens the monitor without any permission', '/monitor', withoutRoutes, '/monitor'],
    ['redirects a user without any permission', '/reference-types', withoutRoutes, '/'],
    ['opens a permitted route', '/reference-types', steward, '/reference-types'],
    ['opens an alias of a permitted route', '/reference-types-debug', steward, '/reference-types-debug'],
    [
      'opens data sets with the permission for collections',
      '/reference-data/3/edit',
      steward,
      '/reference-data/3/edit',
    ],
    ['opens a path with a trailing slash', '/collections/', steward, '/collections/'],
    ['redirects from a route without permission', '/crosswalks', steward, '/'],
    ['redirects from approvals without permission', '/approvals', steward, '/'],
    [
      'redirects from user administration although the user has its permission',
      '/manage-users',
      { ...steward, routes: ['/manage-users'] },
      '/',
    ],
    [
      'redirects from an administrator route although the user has its permission',
      '/users',
      { ...steward, routes: ['/users'] },
      '/',
    ],
    [
      'redirects from API testing although the user has its permission',
      '/api-test',
      { ...steward, routes: ['/api-test'] },
      '/',
    ],
    [
      'redirects from purging although the user has its permission',
      '/admin/purge-data',
      { ...steward, routes: ['/admin'] },
      '/',
    ],
    ['opens an administrator route for administrators', '/admin/purge-data', admin, '/admin/purge-data'],
  ])('%s: %s', async (_, path, user, displayedPath) => {
    const router = open(path, user);
    expect(await screen.findByText(/^page /)).toBeTruthy();
    expect(router.state.location.pathname).toBe(displayedPath);
  });
});
