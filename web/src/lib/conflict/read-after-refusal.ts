/** Reads the current record after a write was refused because another user changed it first. */
import type { FetchQueryOptions, QueryClient, QueryKey } from '@tanstack/react-query';

export async function readAfterRefusal<Data, Key extends QueryKey>(
  queries: QueryClient,
  query: FetchQueryOptions<Data, Error, Data, Key>,
): Promise<Data> {
  // A read that started before the refusal may have missed the other user's change.
  await queries.cancelQueries({ queryKey: query.queryKey, exact: true });
  return queries.fetchQuery({ ...query, staleTime: 0 });
}
