/** Divides a list that the server returns as a whole, already filtered and sorted, into pages. */
import { useMemo } from 'react';
import type { ListParams } from '../../lib/url-state/list-state.ts';
import type { ListResult } from './types.ts';

export function useLocalPaging<Row>(
  result: Omit<ListResult<Row>, 'data'> & { data: readonly Row[] | undefined },
  { page, pageSize }: ListParams,
): ListResult<Row> {
  const { data: rows, isPending, isFetching, dataUpdatedAt, isPlaceholderData, error, refetch } = result;
  const data = useMemo(() => {
    if (rows === undefined) return undefined;
    const start = (page - 1) * pageSize;
    return { items: rows.slice(start, start + pageSize), total: rows.length };
  }, [rows, page, pageSize]);
  return { data, isPending, isFetching, dataUpdatedAt, isPlaceholderData, error, refetch };
}
