/** The query client with the defaults of specification §7. */
import { QUERY_CACHE_MS, QUERY_STALE_MS } from '@rdm/contracts/constants';
import { focusManager, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, type Moment, mayReadAgain, NoLongerShared, runAsOf, waitAfter } from '../lib/api/index.ts';

/**
 * Queries whose data was removed after a refusal. A further refusal of such a query is also reported as NoLongerShared.
 */
const queriesWithRemovedData = new WeakSet<Query<unknown, unknown, unknown>>();

/**
 * After the wait time, repeats a query that a limit of the server refused. Does nothing if the query then has another
 * result or is not displayed, or if the window has no focus.
 */
function readAfterWait(query: Query<unknown, unknown, unknown>): void {
  const { error, errorUpdatedAt } = query.state;
  const wait = waitAfter(error, errorUpdatedAt);
  if (wait === 0) return;
  setTimeout(() => {
    if (query.state.error !== error || !query.isActive() || !focusManager.isFocused()) return;
    // The error can be ignored here, because the state of the query contains it.
    query.fetch().catch(() => undefined);
  }, wait);
}

/**
 * Removes the data of a query if the server refuses the query with FORBIDDEN or NOT_FOUND: the entity was deleted or is
 * no longer shared with the user. Repeats a query that a limit has refused.
 */
const createQueryCache = () =>
  new QueryCache({
    onError: (error, query) => {
      readAfterWait(query);
      if (!(error instanceof ApiError) || (error.code !== 'FORBIDDEN' && error.code !== 'NOT_FOUND')) return;
      if (query.state.data === undefined && !queriesWithRemovedData.has(query)) return;
      queriesWithRemovedData.add(query);
      query.setState({ data: undefined, error: new NoLongerShared(error) });
    },
    onSuccess: (_data, query) => {
      queriesWithRemovedData.delete(query);
    },
  });

/** Creates a query client whose queries all read as of one moment. */
export const createQueryClient = (moment: Moment): QueryClient =>
  new QueryClient({
    queryCache: createQueryCache(),
    defaultOptions: {
      queries: {
        persister: (query, context) => runAsOf(moment, () => query(context)),
        networkMode: 'online',
        // Data of the past does not become stale.
        staleTime: moment === undefined ? QUERY_STALE_MS : Number.POSITIVE_INFINITY,
        gcTime: QUERY_CACHE_MS,
        retry: (failures, error) => failures < 1 && mayReadAgain(error),
        refetchOnWindowFocus: true,
        refetchOnMount: true,
      },
      // The API client itself repeats a write once, with the same Idempotency-Key.
      mutations: { retry: false },
    },
  });

/** The query client of the present. */
export const queryClient = createQueryClient(undefined);
