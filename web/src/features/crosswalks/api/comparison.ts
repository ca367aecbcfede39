/** Queries for the comparison of a target data set: the values that each source system maps to its values. */
import type { Comparison } from '@rdm/contracts/crosswalks/comparison';
import { queryOptions } from '@tanstack/react-query';
import type { ExportFormat } from '../../../components/exports/index.tsx';
import { read, urlOf } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export const comparisonKey = (targetId: number) => ['comparison', targetId] as const;

export const comparisonQuery = (targetId: number, params: ListParams, conflicts: boolean) =>
  queryOptions({
    queryKey: [...comparisonKey(targetId), params, conflicts],
    queryFn: () =>
      read<Comparison>(`/api/crosswalk/comparison/${targetId}`, {
        query: { ...params, conflicts: conflicts ? 'true' : undefined },
      }),
  });

/** The URL of an export: of the rows that match the search and the filter, in the displayed order, or of all target values. */
export const comparisonExportUrl = (
  targetId: number,
  format: ExportFormat,
  params: Partial<ListParams> = {},
  conflicts = false,
): string =>
  urlOf(`/api/crosswalk/comparison/${targetId}/export`, {
    format,
    sort: params.sort,
    order: params.order,
    q: params.q,
    filter: params.filter,
    conflicts: conflicts ? 'true' : undefined,
  });
