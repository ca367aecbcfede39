/** Who is signed in: asked for once per tab, then whenever the session flag says that there is someone (specification §4). */
import { CURRENT_USER_STALE_MS } from '@rdm/contracts/constants';
import type { CurrentUser } from '@rdm/contracts/identity';
import type { Ability } from '@rdm/contracts/permissions';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import {
  ApiError,
  forgetAnswers,
  markSession,
  onSessionCleared,
  read,
  sessionExists,
  unwrapped,
} from '../api/index.ts';

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
    markSession();
    return user;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** The person who just signed in is known without asking. */
export function signedIn(queries: QueryClient, user: CurrentUser): void {
  forgetAnswers();
  markSession();
  queries.setQueryData(userQuery.queryKey, user);
}

/** The session as the guards need it. */
export const useSession = () => useQuery(userQuery);

/** The signed-in person; only below the guard, which shows nothing else to strangers. */
export function useCurrentUser(): CurrentUser {
  const { data } = useQuery(userQuery);
  if (data === undefined || data === null) throw new Error('There is no signed-in person outside the guard');
  return data;
}

/** May the person do this, beside what collections grant? The server checks it again. */
export function useAbility(ability: Ability): boolean {
  const user = useCurrentUser();
  return user.isAdmin || user.permissions.includes(ability);
}

/** Any 401 ends the session in this tab: the guards then lead to the sign-in page. */
export function useSessionEnd(): void {
  const queries = useQueryClient();
  useEffect(() => onSessionCleared(() => queries.setQueryData(userQuery.queryKey, null)), [queries]);
}
