/**
 * The notifications of specification §4 and §9. One toast is visible at a time, for a second. An error is
 * added to `window.pendingErrors` and announced by an event on the window. The history has the last 100 notices.
 */
import {
  AUTH_ERROR_TOAST_MS,
  NOTIFICATION_AUTO_CLOSE_MS,
  NOTIFICATION_ERROR_REMOVE_DELAY_MS,
  NOTIFICATION_MAX_VISIBLE,
  NOTIFICATION_REMOVE_DELAY_MS,
} from '@rdm/contracts/constants';

/** `auth-error` is a failed single sign-on (§2), the only error that is shown as a toast, for eight seconds. */
export type NoticeKind = 'success' | 'info' | 'error' | 'auth-error';

export interface NoticeAction {
  label: string;
  href: string;
}

export interface Notice {
  id: number;
  kind: NoticeKind;
  title: string;
  description: string;
  at: Date;
  /** False while the visible toast closes. */
  open: boolean;
  /** Whether the user has seen the notice. A success counts as read, because the user who caused it has seen it. */
  isRead: boolean;
  /** The path of the page to which the notice links in the history. */
  href?: string;
  action?: NoticeAction;
}

export type NewNotice = Pick<Notice, 'title'> & Partial<Pick<Notice, 'description' | 'href' | 'action'>>;

export interface PendingError {
  id: number;
  title: string;
  description: string;
}

export interface AppErrorDetail {
  title: string;
  description: string;
  /** Whether the page itself shows the error, so that no dialog is needed. */
  shownInPage: boolean;
}

export const APP_ERROR_EVENT = 'app-error';
const HISTORY_LENGTH = 100;

declare global {
  interface Window {
    pendingErrors?: PendingError[];
  }
  interface WindowEventMap {
    'app-error': CustomEvent<AppErrorDetail>;
  }
}

export interface Notices {
  /** The toast that is displayed or closing. */
  visible: readonly Notice[];
  history: readonly Notice[];
}

let notices: Notices = { visible: [], history: [] };
let nextId = 1;
const listeners = new Set<() => void>();

function update(change: Partial<Notices>): void {
  notices = { ...notices, ...change };
  for (const listener of listeners) listener();
}

function record(kind: NoticeKind, notice: NewNotice): Notice {
  const isRead = kind === 'success';
  const recorded: Notice = { description: '', ...notice, id: nextId++, kind, at: new Date(), open: true, isRead };
  update({ history: [recorded, ...notices.history].slice(0, HISTORY_LENGTH) });
  return recorded;
}

export const currentNotices = (): Notices => notices;

export function onNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The time after which a toast closes by itself. */
export const durationOf = (notice: Notice): number =>
  notice.kind === 'auth-error' ? AUTH_ERROR_TOAST_MS : NOTIFICATION_AUTO_CLOSE_MS;

function show(kind: NoticeKind, notice: NewNotice): number {
  const recorded = record(kind, notice);
  update({ visible: [recorded, ...notices.visible].slice(0, NOTIFICATION_MAX_VISIBLE) });
  return recorded.id;
}

export const notify = {
  success: (title: string, more: Omit<NewNotice, 'title'> = {}): number => show('success', { title, ...more }),
  info: (title: string, more: Omit<NewNotice, 'title'> = {}): number => show('info', { title, ...more }),
  authError: (notice: NewNotice): number => show('auth-error', notice),
  /** Reports an error without a toast. `shownInPage` suppresses the dialog if the page shows the error itself. */
  error(description = '', { title = 'Error', shownInPage = false } = {}): number {
    const recorded = record('error', { title, description });
    window.pendingErrors = [...(window.pendingErrors ?? []), { id: recorded.id, title, description }];
    window.dispatchEvent(new CustomEvent(APP_ERROR_EVENT, { detail: { title, description, shownInPage } }));
    return recorded.id;
  },
};

/** Closes a toast immediately and removes it after its exit animation. */
export function dismiss(id: number): void {
  update({ visible: notices.visible.map((notice) => (notice.id === id ? { ...notice, open: false } : notice)) });
  setTimeout(() => {
    update({ visible: notices.visible.filter((notice) => notice.id !== id) });
  }, NOTIFICATION_REMOVE_DELAY_MS);
}

/** Removes the current errors from `window.pendingErrors` after a delay. */
export function dismissErrors(): void {
  const dismissed = new Set((window.pendingErrors ?? []).map((error) => error.id));
  setTimeout(() => {
    window.pendingErrors = (window.pendingErrors ?? []).filter((error) => !dismissed.has(error.id));
  }, NOTIFICATION_ERROR_REMOVE_DELAY_MS);
}

export const markHistoryRead = (): void =>
  update({ history: notices.history.map((notice) => ({ ...notice, isRead: true })) });
export const clearHistory = (): void => update({ history: [] });
