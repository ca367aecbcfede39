/** Comparison: the codes of each source system for the values of one target data set. */
import type { Page } from '../lists/filter.ts';

/** A source system: a data set, with its crosswalks to the target. */
export interface ComparedSystem {
  dataSetId: number;
  name: string;
  crosswalks: { id: number; name: string }[];
}

/**
 * The values of a system for a target value. A conflict: one of these values is also mapped to another target. Broken: no row
 * of the system has any of these values.
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

/** GET /api/crosswalk/comparison/{targetDatasetId}; has no attribute while no crosswalk maps to the data set. */
export interface Comparison extends Page<ComparedRow> {
  targetDataSetId: number;
  targetName: string;
  targetAttribute?: string;
  targetFieldId?: number;
  systems: ComparedSystem[];
}
