/** Specifies how a session begins and ends in a tab, and in all tabs of a browser (specification §4). */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { currentNotices, notify } from '../../components/toast/store.ts';
import { fakeServer, steward } from '../../testing/page.tsx';
import { markSession, read, sessionExists } from '../api/index.ts';
import { lastActivity, markActivity } from './activity.ts';
import { signedIn, userQuery, useSessionEnd } from './index.ts';
import { expire, logout } from './logout.ts';
import { takeFarewell, wayBack } from './sign-out-reason.ts';

const NEWS = 'session-news';
const viewer = { ...steward, id: 3, username: 'viewer' };
let queries: QueryClient;
const who = () => queries.getQueryData(userQuery.queryKey);

function Ends() {
  useSessionEnd();
  return null;
}

/** What another tab of this browser would make this one hear. */
const hear = (news: object) =>
  window.dispatchEvent(new StorageEvent('storage', { key: NEWS, newValue: JSON.stringify({ ...news, at: 1 }) }));

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  queries = new QueryClient();
  render(
    <QueryClientProvider client={queries}>
      <Ends />
    </QueryClientProvider>,
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('who signs in', () => {
  it('finds nothing of whoever was there before, and their clock begins', () => {
    queries.setQueryData(['collections'], ['theirs']);
    queries.setQueryData(['auth-config'], 'nobody’s');
    notify.success('Theirs');
    markActivity(1);
    signedIn(queries, viewer);
    expect(who()).toEqual(viewer);
    expect(sessionExists()).toBe(true);
    expect(queries.getQueryData(['collections'])).toBeUndefined();
    expect(queries.getQueryData(['auth-config'])).toBe('nobody’s');
    expect(currentNotices().history).toEqual([]);
    expect(lastActivity()).toBeGreaterThan(1);
    expect(JSON.parse(localStorage.getItem(NEWS) ?? '{}')).toMatchObject({ kind: 'began', userId: 3 });
  });
});

describe('a session that ended', () => {
  beforeEach(() => {
    signedIn(queries, steward);
    queries.setQueryData(['collections'], ['theirs']);
  });

  it('with any 401 leaves neither flag, user nor what they read', async () => {
    fakeServer({ 'GET /api/things': { status: 401 } });
    await expect(read('/api/things')).rejects.toThrow();
    expect(sessionExists()).toBe(false);
    expect(who()).toBeNull();
    expect(queries.getQueryData(['collections'])).toBeUndefined();
  });

  it('in another tab ends here, entries of the session included', () => {
    sessionStorage.setItem('preferredPageSize', '25');
    hear({ kind: 'ended' });
    expect(who()).toBeNull();
    expect(sessionStorage.length).toBe(0);
  });

  it('in another tab for inactivity is explained here too', () => {
    const farewell = { title: 'Session Expired', description: 'You have been logged out due to inactivity.' };
    hear({ kind: 'ended', farewell });
    expect(takeFarewell()).toEqual(farewell);
    expect(takeFarewell()).toBeUndefined();
  });

  it('and began anew in another tab is the same person’s, or reloads the page', () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
    fakeServer({ 'GET /api/user': { body: steward } });
    hear({ kind: 'began', userId: steward.id });
    expect(reload).not.toHaveBeenCalled();
    hear({ kind: 'began', userId: viewer.id });
    expect(reload).toHaveBeenCalledTimes(1);
  });
});

describe('a stranger', () => {
  it('is not told that somebody else left', () => {
    queries.setQueryData(userQuery.queryKey, null);
    hear({ kind: 'ended', farewell: { title: 'Session Expired', description: '' } });
    expect(takeFarewell()).toBeUndefined();
  });
});

describe('leaving', () => {
  const left = () => vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);

  it.each([{}, { status: 401 }])('by logging out goes to /auth and takes everything along: %j', async (reply) => {
    const assign = left();
    fakeServer({ 'POST /api/logout': reply });
    markSession();
    sessionStorage.setItem('sidebar-expanded-sections', '[]');
    sessionStorage.setItem('preferredPageSize', '25');
    await logout();
    expect(assign).toHaveBeenCalledWith('/auth');
    expect(sessionStorage.length).toBe(0);
    expect(JSON.parse(localStorage.getItem(NEWS) ?? '{}')).toMatchObject({ kind: 'ended' });
  });

  it('is refused by a server that says no: the person stays and is told', async () => {
    const assign = left();
    window.pendingErrors = [];
    fakeServer({ 'POST /api/logout': { status: 409, body: { error: 'Not now' } } });
    await logout();
    expect(assign).not.toHaveBeenCalled();
    expect(window.pendingErrors).toMatchObject([{ title: 'Logout failed', description: 'Not now' }]);
  });

  it('because time is up happens whatever the server says, and leads back here later', async () => {
    const assign = left();
    fakeServer({ 'POST /api/logout': { status: 409 } });
    window.history.replaceState(null, '', '/crosswalks?q=iso');
    await expire({ title: 'Session Expired', description: '' });
    expect(assign).toHaveBeenCalledWith('/auth');
    expect(wayBack()).toBe('/crosswalks?q=iso');
    signedIn(queries, steward);
    await waitFor(() => expect(wayBack()).toBeNull());
  });
});
