/** Reloads queries after changes, so that they return the changed data. */
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { stopSharingReads, waitAfter } from '../api/index.ts';

const mayBeRead = ({ state }: Query): boolean => waitAfter(state.error, state.errorUpdatedAt) === 0;

/**
 * Reloads the active queries whose keys begin with `queryKey`. React Query does not cancel the first read of a query,
 * and the response may be older than the change: after a first read, this function reads again. Queries that wait
 * because of a rate limit are left to `createQueryClient`.
 */
export async function reloadQueries(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  stopSharingReads();
  const inFirstRead = queries
    .getQueryCache()
    .findAll({ queryKey, type: 'active', fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined });
  await queries.invalidateQueries({ queryKey, predicate: mayBeRead });
  if (inFirstRead.length > 0)
    await queries.invalidateQueries({ queryKey, predicate: (query) => inFirstRead.includes(query) });
}

/**
 * Like `reloadQueries`, but lets a read in progress finish, and then reads again. If reads were cancelled, changes that
 * arrive faster than the responses would never be shown.
 */
export async function reloadWithoutCancelling(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  stopSharingReads();
  await queries.invalidateQueries({ queryKey, predicate: mayBeRead, refetchType: 'none' });
  const active = queries.getQueryCache().findAll({ queryKey, type: 'active', predicate: mayBeRead });
  await Promise.all(
    active.map(async (query) => {
      const readOrJoin = () =>
        queries.refetchQueries({ type: 'active', predicate: (each) => each === query }, { cancelRefetch: false });
      const wasReading = query.state.fetchStatus === 'fetching';
      await readOrJoin();
      if (wasReading) await readOrJoin();
    }),
  );
}
