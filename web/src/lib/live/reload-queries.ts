/** Reloads queries after changes, so that they return the changed data. */
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { stopSharingReads, waitAfter } from '../api/index.ts';

const mayBeRead = ({ state }: Query): boolean => waitAfter(state.error, state.errorUpdatedAt) === 0;

/**
 * Reads the active queries whose keys begin with `queryKey` again after a change. React Query does not cancel the first
 * read of a query, and its response may be from before the change. Such a query is read again when its first read has
 * ended. A query that a limit of the server has refused is read again at the end of its wait (`createQueryClient`).
 */
export async function reloadQueries(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  stopSharingReads();
  const readFirst = queries
    .getQueryCache()
    .findAll({ queryKey, type: 'active', fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined });
  await queries.invalidateQueries({ queryKey, predicate: mayBeRead });
  if (readFirst.length > 0)
    await queries.invalidateQueries({ queryKey, predicate: (query) => readFirst.includes(query) });
}

/**
 * Like `reloadQueries`, but cancels no read. A query that is being read is read again afterwards, once for all changes
 * in the meantime. If each change cancelled the read in progress, changes that arrive faster than the responses would
 * never be shown.
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
