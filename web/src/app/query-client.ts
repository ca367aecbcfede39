/** How server state is kept: the query defaults of specification §7. */
import { QUERY_CACHE_MS, QUERY_STALE_MS } from '@rdm/contracts/constants';
import { type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, askedAsOf, type Moment, mayReadAgain, NoLongerShared } from '../lib/api/index.ts';

/** Queries whose data went with a refusal: asked again they are refused for the same reason. */
const withdrawn = new WeakSet<Query<unknown, unknown, unknown>>();

/** What was shared with somebody and is not any more, or is gone, is not shown any longer than the server says so. */
const openCache = () =>
  new QueryCache({
    onError: (error, query) => {
      if (!(error instanceof ApiError) || (error.code !== 'FORBIDDEN' && error.code !== 'NOT_FOUND')) return;
      if (query.state.data === undefined && !withdrawn.has(query)) return;
      withdrawn.add(query);
      query.setState({ data: undefined, error: new NoLongerShared(error) });
    },
    onSuccess: (_data, query) => {
      withdrawn.delete(query);
    },
  });

/** The server state of one moment: whatever its queries ask, they ask as of it. */
export const openQueries = (moment: Moment): QueryClient =>
  new QueryClient({
    queryCache: openCache(),
    defaultOptions: {
      queries: {
        persister: (ask, context) => askedAsOf(moment, () => ask(context)),
        networkMode: 'online',
        // What was stays as it is, for whoever may see it.
        staleTime: moment === undefined ? QUERY_STALE_MS : Number.POSITIVE_INFINITY,
        gcTime: QUERY_CACHE_MS,
        retry: (failures, error) => failures < 1 && mayReadAgain(error),
        refetchOnWindowFocus: true,
        refetchOnMount: true,
      },
      // The API client repeats a write itself, once, under the same Idempotency-Key.
      mutations: { retry: false },
    },
  });

/** That of the present. */
export const queryClient = openQueries(undefined);
