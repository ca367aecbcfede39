/** What the tabs of one browser tell each other: they share the session's cookie, so they begin and end together. */
import type { Farewell } from './sign-out-reason.ts';

const KEY = 'session-news';

export type SessionNews = { kind: 'began'; userId: number } | { kind: 'ended'; farewell?: Farewell };

/** Heard by the other tabs alone. */
export function tellOtherTabs(news: SessionNews): void {
  // The same words twice would be no change, and a change is what the others hear of.
  localStorage.setItem(KEY, JSON.stringify({ ...news, at: Date.now() }));
}

export function onOtherTabs(listener: (news: SessionNews) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === KEY && newValue !== null) listener(JSON.parse(newValue) as SessionNews);
  };
  window.addEventListener('storage', listen);
  return () => window.removeEventListener('storage', listen);
}
