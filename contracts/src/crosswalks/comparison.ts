/** Comparison: what each source system calls the values of one target data set, on the wire. */
import type { Page } from '../lists/filter.ts';

/** A source system: a data set, with its crosswalks to the target. */
export interface ComparedSystem {
  dataSetId: number;
  name: string;
  crosswalks: { id: number; name: string }[];
}

/**
 * What a system says of a target value: a conflict where one of its values means another target as well, broken where no
 * row of it has any of those values.
 */
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

/** GET /api/crosswalk/comparison/{targetDatasetId}; without an attribute while nothing maps to the data set. */
export interface Comparison extends Page<ComparedRow> {
  targetDataSetId: number;
  targetName: string;
  targetAttribute?: string;
  targetFieldId?: number;
  systems: ComparedSystem[];
}
