/** Queries for the comparison of the source systems that map to a target data set. */
import type { Comparison } from '@rdm/contracts/crosswalks/comparison';
import { queryOptions } from '@tanstack/react-query';
import type { ExportFormat } from '../../../components/exports/index.tsx';
import { read, urlOf } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export const comparisonKey = (targetId: number) => ['comparison', targetId] as const;

export const comparisonQuery = (targetId: number, params: ListParams, onlyConflicts: boolean) =>
  queryOptions({
    queryKey: [...comparisonKey(targetId), params, onlyConflicts],
    queryFn: () =>
      read<Comparison>(`/api/crosswalk/comparison/${targetId}`, {
        query: { ...params, conflicts: onlyConflicts ? 'true' : undefined },
      }),
  });

/** The URL of an export of the matching rows in the given order; by default, of all rows. */
export const comparisonExportUrl = (
  targetId: number,
  format: ExportFormat,
  params: Partial<ListParams> = {},
  onlyConflicts = false,
): string =>
  urlOf(`/api/crosswalk/comparison/${targetId}/export`, {
    format,
    sort: params.sort,
    order: params.order,
    q: params.q,
    filter: params.filter,
    conflicts: onlyConflicts ? 'true' : undefined,
  });
