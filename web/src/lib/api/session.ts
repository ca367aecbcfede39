/** The per-tab session flag of specification §4. Without the flag, a tab requests the current user only once. */
import { forgetOpenedDataSets } from '../data-sets/recent-data-sets.ts';
import type { ApiError } from './error.ts';

const FLAG = 'session_exists';

/** The entries of the session storage that signing out removes in addition to the flag (§4). */
const SESSION_ENTRIES = ['sidebar-expanded-sections', 'preferredPageSize'];

type Listener = (error?: ApiError) => void;
const listeners = new Set<Listener>();

export const sessionExists = (): boolean => sessionStorage.getItem(FLAG) !== null;

export function markSession(): void {
  sessionStorage.setItem(FLAG, 'true');
}

/** Removes the flag and notifies the listeners. The listeners get the error only if the tab had a session. */
export function clearSession(error?: ApiError): void {
  const cause = sessionExists() ? error : undefined;
  sessionStorage.removeItem(FLAG);
  for (const listener of listeners) listener(cause);
}

export function forgetSessionEntries(): void {
  sessionStorage.removeItem(FLAG);
  for (const entry of SESSION_ENTRIES) sessionStorage.removeItem(entry);
  forgetOpenedDataSets();
}

export function onSessionCleared(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
