/** What each source system calls the values of one target data set, on the wire. */
import type { Page } from '@rdm/contracts/filter';
import { queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export interface ComparedSystem {
  dataSetId: number;
  name: string;
  crosswalks: { id: number; name: string }[];
}

export type CellState = 'agree' | 'conflict' | 'absent';

export interface ComparedCell {
  dataSetId: number;
  state: CellState;
  mappings: { crosswalkId: number; mappingId: number; sourceValue: string; otherTargets: string[] }[];
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
