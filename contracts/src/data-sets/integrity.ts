/** What rows and mappings speak of that is not there any more, or is not what its field says: found, never forbidden. */

import type { Page } from '../lists/filter.ts';
import type { ApprovalStatus } from '../review/approval.ts';

/**
 * WRONG_TYPE: a cell that was stored under another data type of its field, and reads as empty.
 * BROKEN_SOURCE, BROKEN_TARGET: a mapping whose source or target value no row has.
 * BROKEN_RELATIONSHIP: a value of a relationship that leads from or to a row that is gone.
 */
export const INTEGRITY_KINDS = ['WRONG_TYPE', 'BROKEN_SOURCE', 'BROKEN_TARGET', 'BROKEN_RELATIONSHIP'] as const;
export type IntegrityKind = (typeof INTEGRITY_KINDS)[number];

export type IntegrityCounts = Record<IntegrityKind, number>;

/** One finding of GET /api/reference-data/{id}/integrity. */
export interface IntegrityIssue {
  id: string;
  kind: IntegrityKind;
  /** The row, and its key; of a mapping or a value of a relationship, null. */
  instanceId: number | null;
  key: string | null;
  /** The field whose cell it is, or that no row has the value in. */
  field: string;
  value: string;
  /** The data type that the cell is not of. */
  expected: string | null;
  /** What speaks of it: a crosswalk by a mapping, a relationship by a value. */
  parent: 'crosswalk' | 'relationship' | null;
  parentId: number | null;
  parentName: string | null;
  valueId: number | null;
  /** What it is said of: a source value, or the key of the source's row. */
  sourceValue: string | null;
  status: ApprovalStatus | null;
}

export interface IntegrityPage extends Page<IntegrityIssue> {
  counts: IntegrityCounts;
  /** Crosswalks and relationships with issues beyond those whose issues are listed. */
  unlisted: number;
}

/** Crosswalks and relationships whose issues one list shows: each is a part of its statement. */
export const LISTED_PARENTS_MAX = 100;

/** One data set of GET /api/integrity?ids=: how much of it is broken, as far as one may read both ends. */
export interface IntegritySummary {
  id: number;
  count: number;
}

/** Data sets that one call sums up. */
export const SUMMED_DATA_SETS_MAX = 1_000;
