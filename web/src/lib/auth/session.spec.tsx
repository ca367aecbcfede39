/** Tests how a session starts and ends in a tab, and in all tabs of a browser (specification §4). */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { currentNotices, notify } from '../../components/toast/store.ts';
import { fakeServer, steward } from '../../testing/page.tsx';
import { markSession, read, sessionExists } from '../api/index.ts';
import { lastActivity, markActivity } from './activity.ts';
import { startSession, userQuery, useSessionSync } from './index.ts';
import { expire, logout } from './logout.ts';
import { returnPath, takeSignOutReason } from './sign-out-reason.ts';

const MESSAGE_KEY = 'session-news';
const viewer = { ...steward, id: 3, username: 'viewer' };
let queries: QueryClient;
const currentUser = () => queries.getQueryData(userQuery.queryKey);

function SessionSync() {
  useSessionSync();
  return null;
}

/** Simulates a message from another tab. */
const receiveMessage = (message: object) =>
  window.dispatchEvent(
    new StorageEvent('storage', { key: MESSAGE_KEY, newValue: JSON.stringify({ ...message, at: 1 }) }),
  );

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  queries = new QueryClient();
  render(
    <QueryClientProvider client={queries}>
      <SessionSync />
    </QueryClientProvider>,
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('signing in', () => {
  it('removes the data of the previous user and stores the time of the sign-in as the last activity', () => {
    queries.setQueryData(['collections'], ['theirs']);
    queries.setQueryData(['auth-config'], 'shared');
    notify.success('Theirs');
    markActivity(1);
    startSession(queries, viewer);
    expect(currentUser()).toEqual(viewer);
    expect(sessionExists()).toBe(true);
    expect(queries.getQueryData(['collections'])).toBeUndefined();
    expect(queries.getQueryData(['auth-config'])).toBe('shared');
    expect(currentNotices().history).toEqual([]);
    expect(lastActivity()).toBeGreaterThan(1);
    expect(JSON.parse(localStorage.getItem(MESSAGE_KEY) ?? '{}')).toMatchObject({ kind: 'began', userId: 3 });
  });
});

describe('the end of a session', () => {
  beforeEach(() => {
    startSession(queries, steward);
    queries.setQueryData(['collections'], ['theirs']);
  });

  it('removes the session flag, the user and the query data after a 401', async () => {
    fakeServer({ 'GET /api/things': { status: 401 } });
    await expect(read('/api/things')).rejects.toThrow();
    expect(sessionExists()).toBe(false);
    expect(currentUser()).toBeNull();
    expect(queries.getQueryData(['collections'])).toBeUndefined();
  });

  it('after the restore of a backup stores the reason for the sign-in page', async () => {
    fakeServer({ 'GET /api/things': { status: 401, body: { error: 'Sign in', code: 'SESSION_UNKNOWN' } } });
    await expect(read('/api/things')).rejects.toThrow();
    expect(takeSignOutReason()?.description).toContain('because a backup was restored');
  });

  it('in another tab ends the session in this tab and clears the session storage', () => {
    sessionStorage.setItem('preferredPageSize', '25');
    receiveMessage({ kind: 'ended' });
    expect(currentUser()).toBeNull();
    expect(sessionStorage.length).toBe(0);
  });

  it('in another tab stores the reason for the sign-in page of this tab', () => {
    const reason = { title: 'Session Expired', description: 'You have been logged out due to inactivity.' };
    receiveMessage({ kind: 'ended', reason });
    expect(takeSignOutReason()).toEqual(reason);
    expect(takeSignOutReason()).toBeUndefined();
  });
});

it('a sign-in in another tab reloads the page only if another user signs in', () => {
  startSession(queries, steward);
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
  fakeServer({ 'GET /api/user': { body: steward } });
  receiveMessage({ kind: 'began', userId: steward.id });
  expect(reload).not.toHaveBeenCalled();
  receiveMessage({ kind: 'began', userId: viewer.id });
  expect(reload).toHaveBeenCalledTimes(1);
});

describe('a visitor without a session', () => {
  it('gets no sign-out reason from another tab', () => {
    queries.setQueryData(userQuery.queryKey, null);
    receiveMessage({ kind: 'ended', reason: { title: 'Session Expired', description: '' } });
    expect(takeSignOutReason()).toBeUndefined();
  });
});

describe('signing out', () => {
  const mockNavigation = () => vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);

  it.each([
    ['the sign-out', {}],
    ['a sign-out that is refused with 401', { status: 401 }],
  ])('goes to /auth and clears the session storage after %s', async (_, reply) => {
    const assign = mockNavigation();
    fakeServer({ 'POST /api/logout': reply });
    markSession();
    sessionStorage.setItem('sidebar-expanded-sections', '[]');
    sessionStorage.setItem('preferredPageSize', '25');
    await logout();
    expect(assign).toHaveBeenCalledWith('/auth');
    expect(sessionStorage.length).toBe(0);
    expect(JSON.parse(localStorage.getItem(MESSAGE_KEY) ?? '{}')).toMatchObject({ kind: 'ended' });
  });

  it('stays on the page and shows the error if the server refuses the sign-out', async () => {
    const assign = mockNavigation();
    window.pendingErrors = [];
    fakeServer({ 'POST /api/logout': { status: 409, body: { error: 'Not now' } } });
    await logout();
    expect(assign).not.toHaveBeenCalled();
    expect(window.pendingErrors).toMatchObject([{ title: 'Logout failed', description: 'Not now' }]);
  });

  it('by inactivity succeeds despite a refusal, and stores the path until the next sign-in', async () => {
    const assign = mockNavigation();
    fakeServer({ 'POST /api/logout': { status: 409 } });
    window.history.replaceState(null, '', '/crosswalks?q=iso');
    await expire({ title: 'Session Expired', description: '' });
    expect(assign).toHaveBeenCalledWith('/auth');
    expect(returnPath()).toBe('/crosswalks?q=iso');
    startSession(queries, steward);
    await waitFor(() => expect(returnPath()).toBeNull());
  });
});
