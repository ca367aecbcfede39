import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { stopSharingReads, waitAfter } from '../api/index.ts';

/**
 * Reads the active queries whose keys begin with `queryKey` again after a change. React Query does not cancel the first read of a
 * query, whose answer may be from before the change: such a query is read again when its first read has ended. A query that a
 * limit of the server has refused is read again at the end of its wait (`createQueryClient`).
 */
export async function reloadQueries(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  stopSharingReads();
  const readFirst = queries
    .getQueryCache()
    .findAll({ queryKey, type: 'active', fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined });
  const predicate = ({ state }: Query) => waitAfter(state.error, state.errorUpdatedAt) === 0;
  await queries.invalidateQueries({ queryKey, predicate });
  if (readFirst.length > 0)
    await queries.invalidateQueries({ queryKey, predicate: (query) => readFirst.includes(query) });
}
