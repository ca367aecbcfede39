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

/**
 * Returns a function that reloads, but never during an earlier reload: calls in the meantime cause one reload after it. A reload
 * cancels the reads in progress, so if changes came faster than the server answers, no answer would ever be shown.
 */
export function oneReloadAtATime(reload: () => Promise<unknown>): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  const start = () => {
    next = undefined;
    last = reload();
    return last;
  };
  return () => {
    next ??= last.then(start, start);
    return next;
  };
}
