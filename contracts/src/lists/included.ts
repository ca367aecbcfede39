/** What the answer about one data set or crosswalk holds only where `?include=` asks for it. */
import type { ApprovalStatus } from '../review/approval.ts';
import type { CellValue } from '../text/rows.ts';

/** Rows, or mapping values, that one answer includes: the first ones in the order of their ids. */
export const INCLUDED_ROWS_MAX = 1_000;

/**
 * GET /api/reference-data/{id}?include=data,extractedValues: of the first INCLUDED_ROWS_MAX rows. The data set's
 * `instanceCount` tells how many there are; …/instances lists them all.
 */
export interface DataSetIncluded {
  /** Each row as an object: its cells by field name, of the fields in use. */
  data?: Record<string, CellValue>[];
  /** The keys of the same rows in the same order, the parts of each joined for people. */
  extractedValues?: string[];
}
export const DATA_SET_INCLUDES = ['data', 'extractedValues'] as const satisfies (keyof DataSetIncluded)[];

/**
 * GET /api/crosswalks/{id}?include=mappingData: of the first INCLUDED_ROWS_MAX mapping values that are not deleted. The
 * crosswalk's `counts` tell how many there are of each status; …/mappings lists them all.
 */
export interface CrosswalkIncluded {
  mappingData?: {
    /** The names of the mapped fields as they are called today, or were as of the past. */
    sourceAttribute: string;
    targetAttribute: string;
    /** The ids of the same fields: they stay when a field is renamed. */
    sourceField: number;
    targetField: number;
    mappings: IncludedMapping[];
  };
}
export const CROSSWALK_INCLUDES = ['mappingData'] as const satisfies (keyof CrosswalkIncluded)[];

/** A mapping value by its working revision, which may differ from what is served meanwhile (`served` of …/mappings). */
export interface IncludedMapping {
  id: number;
  /** Both spelled as mappings keep them. */
  sourceValue: string;
  targetValue: string;
  /** 0 to 100. */
  confidence: number;
  status: ApprovalStatus;
  createdAt: string;
  /** The id of whoever drafted it, an API key's negated; null where it was no actor's. */
  createdBy: number | null;
  /** What was said when it last came under review, be it to be deleted; null where nothing was said, or it never did. */
  submissionComment: string | null;
}
