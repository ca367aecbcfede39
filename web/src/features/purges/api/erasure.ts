/** Reads the report before the erasure of a user, and erases the user. */
import type { ErasureReport } from '@rdm/contracts/identity/erasure';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';

export const erasureReportQuery = (id: number) =>
  queryOptions({
    queryKey: ['users', 'erasure', id],
    queryFn: () => read<ErasureReport>(`/api/users/${id}/erasure-report`),
    staleTime: 0,
  });

/** Erases the user, and reloads the queries that may contain the user: users, names and targets of legal holds. */
export async function eraseUser(queries: QueryClient, id: number): Promise<void> {
  await write('POST', `/api/users/${id}/erase`);
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['users'] }),
    queries.invalidateQueries({ queryKey: ['people'] }),
    queries.invalidateQueries({ queryKey: ['hold-targets'] }),
  ]);
}
