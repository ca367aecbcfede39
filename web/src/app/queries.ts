/** How server state is kept: the query defaults of specification §7. */
import { QUERY_CACHE_MS, QUERY_STALE_MS } from '@rdm/contracts/constants';
import { QueryClient } from '@tanstack/react-query';
import { mayReadAgain } from '../lib/api/index.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: QUERY_STALE_MS,
      gcTime: QUERY_CACHE_MS,
      retry: (failures, error) => failures < 1 && mayReadAgain(error),
      refetchOnWindowFocus: true,
      refetchOnMount: true,
    },
    // The API client repeats a write itself, once, under the same Idempotency-Key.
    mutations: { retry: false },
  },
});
