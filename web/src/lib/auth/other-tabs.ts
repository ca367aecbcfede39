/**
 * Messages about the session between the tabs of one browser. The tabs share the session cookie, so a sign-in or
 * sign-out applies to all tabs.
 */
import type { SignOutReason } from './sign-out-reason.ts';

const KEY = 'session-news';

export type SessionMessage = { kind: 'began'; userId: number } | { kind: 'ended'; reason?: SignOutReason };

/** Sends a message by a storage event, which the browser delivers only to the other tabs. */
export function notifyOtherTabs(message: SessionMessage): void {
  // The time makes each message different, because an unchanged value triggers no storage event.
  localStorage.setItem(KEY, JSON.stringify({ ...message, at: Date.now() }));
}

export function onTabMessage(listener: (message: SessionMessage) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === KEY && newValue !== null) listener(JSON.parse(newValue) as SessionMessage);
  };
  window.addEventListener('storage', listen);
  return () => window.removeEventListener('storage', listen);
}
