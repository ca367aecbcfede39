/**
 * Messages about the session between the tabs of one browser: they share its cookie, so sign-in and sign-out apply to
 * all.
 */
import type { SignOutReason } from './sign-out-reason.ts';

const KEY = 'session-news';

export type SessionMessage = { kind: 'began'; userId: number } | { kind: 'ended'; reason?: SignOutReason };

/** Storage events are delivered to the other tabs only. */
export function notifyOtherTabs(news: SessionMessage): void {
  // The time makes every message different: an unchanged value triggers no storage event.
  localStorage.setItem(KEY, JSON.stringify({ ...news, at: Date.now() }));
}

export function onTabMessage(listener: (news: SessionMessage) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === KEY && newValue !== null) listener(JSON.parse(newValue) as SessionMessage);
  };
  window.addEventListener('storage', listen);
  return () => window.removeEventListener('storage', listen);
}
