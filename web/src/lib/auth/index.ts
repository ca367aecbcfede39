/** Who is signed in: asked for once per tab, then whenever the session flag says that there is someone (specification §4). */

import type { Ability } from '@rdm/contracts/access/permissions';
import { CURRENT_USER_STALE_MS } from '@rdm/contracts/constants';
import type { CurrentUser } from '@rdm/contracts/identity/identity';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect } from 'react';
import { clearHistory } from '../../components/toast/store.ts';
import {
  ApiError,
  clearSession,
  forgetAnswers,
  forgetSessionEntries,
  markSession,
  onSessionCleared,
  read,
  sessionExists,
  unwrapped,
} from '../api/index.ts';
import { useIsPast } from '../past/index.ts';
import { markActivity } from './activity.ts';
import { authConfigQuery } from './config.ts';
import { onOtherTabs, type SessionNews, tellOtherTabs } from './other-tabs.ts';
import { forgetWayBack, keepFarewell } from './sign-out-reason.ts';
import { rememberProvider } from './sso.ts';

let askedInThisTab = false;

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: fetchCurrentUser,
  staleTime: CURRENT_USER_STALE_MS,
  retry: false,
  refetchOnWindowFocus: false,
});

async function fetchCurrentUser(): Promise<CurrentUser | null> {
  // A link opened in a new tab has no flag yet, though the person may be signed in: ask, but only once.
  if (!sessionExists() && askedInThisTab) return null;
  askedInThisTab = true;
  try {
    const user = unwrapped<CurrentUser>(await read('/api/user'));
    rememberProvider(user.authProvider);
    markSession();
    return user;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** The person who just signed in is known without asking; nothing of whoever was there before is left to them. */
export function signedIn(queries: QueryClient, user: CurrentUser): void {
  forgetPerson(queries);
  clearHistory();
  rememberProvider(user.authProvider);
  markSession();
  markActivity();
  forgetWayBack();
  queries.setQueryData(userQuery.queryKey, user);
  tellOtherTabs({ kind: 'began', userId: user.id });
}

/** What stays when the person changes: who is there, and what is nobody's. */
const STAYS: readonly unknown[] = [userQuery.queryKey[0], authConfigQuery.queryKey[0]];

function forgetPerson(queries: QueryClient): void {
  forgetAnswers();
  queries.removeQueries({ predicate: ({ queryKey }) => !STAYS.includes(queryKey[0]) });
}

/** The session as the guards need it. */
export const useSession = () => useQuery(userQuery);

/**
 * Whom the guard let in. Pages below it read the person here and not from the query: a session that ends while React
 * is half way through them would otherwise be gone for those not yet drawn.
 */
export const PersonContext = createContext<CurrentUser | null>(null);

/** The signed-in person; only below the guard, which shows nothing else to strangers. */
export function useCurrentUser(): CurrentUser {
  const person = useContext(PersonContext);
  if (person === null) throw new Error('There is no signed-in person outside the guard');
  return person;
}

/** May the person do this, beside what collections grant? The server checks it again; nobody changes the past. */
export function useAbility(ability: Ability): boolean {
  const user = useCurrentUser();
  const isPast = useIsPast();
  if (isPast) return false;
  return user.isAdmin || user.permissions.includes(ability);
}

/** Any 401, and a logout in another tab, end the session in this tab: the guards then lead to the sign-in page. */
export function useSessionEnd(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const unhear = [onSessionCleared(() => sessionEnded(queries)), onOtherTabs((news) => follow(queries, news))];
    return () => {
      for (const stop of unhear) stop();
    };
  }, [queries]);
}

function sessionEnded(queries: QueryClient): void {
  const known = queries.getQueryData(userQuery.queryKey);
  queries.setQueryData(userQuery.queryKey, null);
  if (known) forgetPerson(queries);
}

function follow(queries: QueryClient, news: SessionNews): void {
  const known = queries.getQueryData(userQuery.queryKey);
  if (news.kind === 'ended') {
    if (!known) return;
    if (news.farewell !== undefined) keepFarewell(news.farewell);
    forgetSessionEntries();
    clearSession();
  } else if (known && known.id !== news.userId) {
    // The cookie is somebody else's now: nothing on this page may be mixed with what is theirs.
    window.location.reload();
  } else {
    markSession();
    void queries.invalidateQueries({ queryKey: userQuery.queryKey });
  }
}
