/** The current user and the session (specification §4). */

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
  unwrap,
} from '../api/index.ts';
import { useIsPast } from '../past/index.ts';
import { markActivity } from './activity.ts';
import { authConfigQuery } from './config.ts';
import { notifyOtherTabs, onTabMessage, type SessionMessage } from './other-tabs.ts';
import { forgetReturnPath, rememberSignOutReason } from './sign-out-reason.ts';
import { rememberProvider } from './sso.ts';

let hasRequestedUser = false;

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: fetchCurrentUser,
  staleTime: CURRENT_USER_STALE_MS,
  retry: false,
  refetchOnWindowFocus: false,
});

async function fetchCurrentUser(): Promise<CurrentUser | null> {
  // A new tab has no session flag although its user may be signed in, so the first request needs no flag.
  if (!sessionExists() && hasRequestedUser) return null;
  hasRequestedUser = true;
  try {
    const user = unwrap<CurrentUser>(await read('/api/user'));
    rememberProvider(user.authProvider);
    markSession();
    return user;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** Starts the session of a user who just signed in, without another request. Removes all data of the previous user. */
export function startSession(queries: QueryClient, user: CurrentUser): void {
  removeUserData(queries);
  clearHistory();
  rememberProvider(user.authProvider);
  markSession();
  markActivity();
  forgetReturnPath();
  queries.setQueryData(userQuery.queryKey, user);
  notifyOtherTabs({ kind: 'began', userId: user.id });
}

/** Queries that are kept when the user changes: the current user, and data that is the same for all users. */
const KEPT_QUERIES: readonly unknown[] = [userQuery.queryKey[0], authConfigQuery.queryKey[0]];

function removeUserData(queries: QueryClient): void {
  forgetAnswers();
  queries.removeQueries({ predicate: ({ queryKey }) => !KEPT_QUERIES.includes(queryKey[0]) });
}

/** The query of the current user. Its data is null if no user is signed in, and undefined until it has loaded. */
export const useSession = () => useQuery(userQuery);

/**
 * The signed-in user. When the session ends, the query loses the user at once, but React may still render pages that
 * need the user. Therefore, pages read this context.
 */
export const CurrentUserContext = createContext<CurrentUser | null>(null);

/** Returns the signed-in user. Components outside the session guard must not call it. */
export function useCurrentUser(): CurrentUser {
  const user = useContext(CurrentUserContext);
  if (user === null) throw new Error('useCurrentUser was called outside the session guard');
  return user;
}

/** Whether the user has the ability. False while the page shows the past, which is read-only. */
export function useAbility(ability: Ability): boolean {
  const user = useCurrentUser();
  const isPast = useIsPast();
  if (isPast) return false;
  return user.isAdmin || user.permissions.includes(ability);
}

/**
 * Ends the session in this tab when the server or another tab reports its end. After a sign-in in another tab, reloads
 * the page if this tab has another user; otherwise requests the user again.
 */
export function useSessionSync(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const unsubscribe = [
      onSessionCleared((error) => endSession(queries, error)),
      onTabMessage((message) => handleTabMessage(queries, message)),
    ];
    return () => {
      for (const stop of unsubscribe) stop();
    };
  }, [queries]);
}

/** The sign-out reason if the server does not know the session of the cookie, for example after a restore. */
const SESSION_UNKNOWN = {
  title: 'Sign in again',
  description: 'Your session is no longer known, for example because a backup was restored.',
};

function endSession(queries: QueryClient, error: ApiError | undefined): void {
  const currentUser = queries.getQueryData(userQuery.queryKey);
  if (error?.code === 'SESSION_UNKNOWN') rememberSignOutReason(SESSION_UNKNOWN);
  queries.setQueryData(userQuery.queryKey, null);
  if (currentUser) removeUserData(queries);
}

function handleTabMessage(queries: QueryClient, message: SessionMessage): void {
  const currentUser = queries.getQueryData(userQuery.queryKey);
  if (message.kind === 'ended') {
    if (!currentUser) return;
    if (message.reason !== undefined) rememberSignOutReason(message.reason);
    forgetSessionEntries();
    clearSession();
  } else if (currentUser && currentUser.id !== message.userId) {
    // The cookie now belongs to another user. A reload prevents a mix of the data of both users.
    window.location.reload();
  } else {
    markSession();
    void queries.invalidateQueries({ queryKey: userQuery.queryKey });
  }
}
