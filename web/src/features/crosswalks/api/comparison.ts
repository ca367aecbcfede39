/** What each source system calls the values of one target data set, on the wire. */
import type { Page } from '@rdm/contracts/filter';
import { queryOptions } from '@tanstack/react-query';
import type { ExportFormat } from '../../../components/exports/index.tsx';
import { read, urlOf } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export interface ComparedSystem {
  dataSetId: number;
  name: string;
  crosswalks: { id: number; name: string }[];
}

/** Broken: no row of the system has any of these values any more. */
export type CellState = 'agree' | 'conflict' | 'broken' | 'absent';

export interface ComparedCell {
  dataSetId: number;
  state: CellState;
  mappings: {
    crosswalkId: number;
    mappingId: number;
    sourceValue: string;
    otherTargets: string[];
    sourceMissing: boolean;
  }[];
}

export interface ComparedRow {
  targetValue: string;
  targetLabel: string | null;
  cells: ComparedCell[];
}

export interface Comparison extends Page<ComparedRow> {
  targetName: string;
  /** Undefined while nothing maps to the data set. */
  targetAttribute?: string;
  systems: ComparedSystem[];
}

export const comparisonKey = (targetId: number) => ['comparison', targetId] as const;

export const comparisonQuery = (targetId: number, params: ListParams, conflicts: boolean) =>
  queryOptions({
    queryKey: [...comparisonKey(targetId), params, conflicts],
    queryFn: () =>
      read<Comparison>(`/api/crosswalk/comparison/${targetId}`, {
        query: { ...params, conflicts: conflicts ? 'true' : undefined },
      }),
  });

/** Of what the search and the filter find, in their order; or of every target value there is. */
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
