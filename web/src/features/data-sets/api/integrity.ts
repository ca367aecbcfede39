/** Queries for the integrity issues of data sets: broken cells, mappings and relationship values. */
import type { IntegrityKind, IntegrityPage, IntegritySummary } from '@rdm/contracts/data-sets/integrity';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';
import { useIsPast } from '../../../lib/past/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { dataSetKey, dataSetListKey } from './data-sets.ts';

export const integrityQuery = (dataSetId: number, kind: IntegrityKind | undefined, params: ListParams) =>
  queryOptions({
    queryKey: [...dataSetKey(dataSetId), 'integrity', kind, params],
    queryFn: () => read<IntegrityPage>(`/api/reference-data/${dataSetId}/integrity`, { query: { ...params, kind } }),
  });

const integritySummaryQuery = (ids: readonly number[]) =>
  queryOptions({
    // Starts with the key of the list or of the data set, so that a reload of either also reloads the counts.
    queryKey: ids.length === 1 ? [...dataSetKey(ids[0] ?? 0), 'broken'] : [...dataSetListKey, 'broken', ids],
    queryFn: async () => {
      const { items } = await read<{ items: IntegritySummary[] }>('/api/integrity', { query: { ids: ids.join(',') } });
      return new Map(items.map(({ id, count }) => [id, count]));
    },
    // Not retried, because a count that took too long would take too long again.
    retry: false,
  });

const NONE: ReadonlyMap<number, number> = new Map();

/** The numbers of integrity issues by data set id, without zeros. Loads nothing for past times. */
export function useBrokenCounts(ids: readonly number[]): ReadonlyMap<number, number> {
  const query = integritySummaryQuery(ids);
  const isPast = useIsPast();
  const { data } = useQuery({
    ...query,
    enabled: ids.length > 0 && !isPast,
    placeholderData: keepPreviousData,
  });
  return data ?? NONE;
}
