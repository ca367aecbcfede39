import type { FetchQueryOptions, QueryClient, QueryKey } from '@tanstack/react-query';

/** Reads what is there now, after a write was refused because somebody else was faster. */
export async function readAfterRefusal<Data, Key extends QueryKey>(
  queries: QueryClient,
  query: FetchQueryOptions<Data, Error, Data, Key>,
): Promise<Data> {
  // A read that began before the refusal may not have the other person's change.
  await queries.cancelQueries({ queryKey: query.queryKey, exact: true });
  return queries.fetchQuery({ ...query, staleTime: 0 });
}
