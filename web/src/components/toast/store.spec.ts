/** Tests the toasts, errors and their history (specification §4 and §9). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  APP_ERROR_EVENT,
  type AppErrorDetail,
  clearHistory,
  currentNotices,
  dismiss,
  dismissErrors,
  durationOf,
  markHistoryRead,
  notify,
} from './store.ts';

beforeEach(() => {
  vi.useFakeTimers();
  clearHistory();
  for (const notice of currentNotices().visible) dismiss(notice.id);
  vi.runAllTimers();
  window.pendingErrors = [];
});
afterEach(() => vi.useRealTimers());

describe('toasts', () => {
  it('are displayed one at a time, and a new toast replaces the previous toast', () => {
    notify.success('Saved');
    notify.info('Copied');
    expect(currentNotices().visible.map((notice) => notice.title)).toEqual(['Copied']);
  });

  it('close after one second, or after eight seconds if they report a failed single sign-on', () => {
    notify.success('Saved');
    expect(currentNotices().visible.map(durationOf)).toEqual([1_000]);
    notify.authError({ title: 'Access Denied' });
    expect(currentNotices().visible.map(durationOf)).toEqual([8_000]);
  });

  it('are closed when they are dismissed, and removed a second later', () => {
    const id = notify.success('Saved');
    dismiss(id);
    expect(currentNotices().visible.map((notice) => notice.open)).toEqual([false]);
    vi.advanceTimersByTime(999);
    expect(currentNotices().visible).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(currentNotices().visible).toHaveLength(0);
  });
});

describe('errors', () => {
  it('are added to `window.pendingErrors` and announced by an event, but not shown as toasts', () => {
    const events: AppErrorDetail[] = [];
    const listen = (event: CustomEvent<AppErrorDetail>) => events.push(event.detail);
    window.addEventListener(APP_ERROR_EVENT, listen);
    notify.error('Failed to fetch', { title: 'Oops' });
    notify.error();
    window.removeEventListener(APP_ERROR_EVENT, listen);

    expect(currentNotices().visible).toHaveLength(0);
    expect(window.pendingErrors?.map(({ title, description }) => [title, description])).toEqual([
      ['Oops', 'Failed to fetch'],
      ['Error', ''],
    ]);
    expect(events.map(({ title, description }) => [title, description])).toEqual([
      ['Oops', 'Failed to fetch'],
      ['Error', ''],
    ]);
  });

  it('stay in `window.pendingErrors` for 1,000,000 ms after they are dismissed', () => {
    notify.error('Failed');
    dismissErrors();
    vi.advanceTimersByTime(999_999);
    expect(window.pendingErrors).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(window.pendingErrors).toHaveLength(0);
  });
});

describe('the history', () => {
  it('keeps toasts and errors, newest first', () => {
    notify.success('Saved', { href: '/reference-types' });
    notify.error('Failed');
    expect(currentNotices().history.map((notice) => notice.title)).toEqual(['Error', 'Saved']);
  });

  it('contains successes as read, and failures as unread until `markHistoryRead`', () => {
    notify.success('Saved');
    notify.error('Failed');
    const unreadNotices = () => currentNotices().history.filter(({ isRead }) => !isRead);
    expect(unreadNotices().map(({ title }) => title)).toEqual(['Error']);
    markHistoryRead();
    expect(unreadNotices()).toEqual([]);
  });
});
