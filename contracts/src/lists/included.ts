/** Parts of the answer about one data set or crosswalk that `?include=` adds. */
import type { ApprovalStatus } from '../review/approval.ts';
import type { CellValue } from '../text/rows.ts';

/** Rows or mappings that one answer includes: the first ones by id. */
export const INCLUDED_ROWS_MAX = 1_000;

/**
 * GET /api/reference-data/{id}?include=data,extractedValues: of the first INCLUDED_ROWS_MAX rows. `instanceCount` of the data
 * set is their total; …/instances lists them all.
 */
export interface DataSetIncluded {
  /** Each row as an object: its cells by field name, of the active fields. */
  data?: Record<string, CellValue>[];
  /** The keys of the same rows in the same order, their parts joined for display. */
  extractedValues?: string[];
}
export const DATA_SET_INCLUDES = ['data', 'extractedValues'] as const satisfies (keyof DataSetIncluded)[];

/**
 * GET /api/crosswalks/{id}?include=mappingData: of the first INCLUDED_ROWS_MAX mappings that are not deleted. The crosswalk's
 * `counts` are the totals per status; …/mappings lists them all.
 */
export interface CrosswalkIncluded {
  mappingData?: {
    /** The names of the mapped fields, of today or as of the past. */
    sourceAttribute: string;
    targetAttribute: string;
    /** The ids of the same fields, which stay when a field is renamed. */
    sourceField: number;
    targetField: number;
    mappings: IncludedMapping[];
  };
}
export const CROSSWALK_INCLUDES = ['mappingData'] as const satisfies (keyof CrosswalkIncluded)[];

/** A mapping by its working revision, which may differ from the served one (`served` of …/mappings). */
export interface IncludedMapping {
  id: number;
  /** Both in normalised form, as mappings store them. */
  sourceValue: string;
  targetValue: string;
  /** 0 to 100. */
  confidence: number;
  status: ApprovalStatus;
  createdAt: string;
  /** The id of the author of the draft, negative for an API key; null if there is none. */
  createdBy: number | null;
  /** The comment of the last submission, including that of a deletion; null if there was none. */
  submissionComment: string | null;
}
