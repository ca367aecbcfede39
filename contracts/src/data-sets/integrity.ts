/**
 * Integrity: references to rows that no longer exist, and cells that do not match their field's type. They are reported, never
 * forbidden.
 */

import type { Page } from '../lists/filter.ts';
import type { ApprovalStatus } from '../review/approval.ts';

/**
 * WRONG_TYPE: a cell that was stored under another data type of its field, and reads as empty.
 * BROKEN_SOURCE, BROKEN_TARGET: a mapping whose source or target value no row has.
 * BROKEN_RELATIONSHIP: a relationship value whose source or target row was deleted.
 */
export const INTEGRITY_KINDS = ['WRONG_TYPE', 'BROKEN_SOURCE', 'BROKEN_TARGET', 'BROKEN_RELATIONSHIP'] as const;
export type IntegrityKind = (typeof INTEGRITY_KINDS)[number];

export type IntegrityCounts = Record<IntegrityKind, number>;

/** One finding of GET /api/reference-data/{id}/integrity. */
export interface IntegrityIssue {
  id: string;
  kind: IntegrityKind;
  /** The row and its key; null for a mapping or a relationship value. */
  instanceId: number | null;
  key: string | null;
  /** The field of the cell, or the field in which no row has the value. */
  field: string;
  value: string;
  /** The expected data type of the cell. */
  expected: string | null;
  /** The crosswalk of a mapping, or the relationship of a value. */
  parent: 'crosswalk' | 'relationship' | null;
  parentId: number | null;
  parentName: string | null;
  valueId: number | null;
  /** The source value, or the key of the source row. */
  sourceValue: string | null;
  status: ApprovalStatus | null;
}

export interface IntegrityPage extends Page<IntegrityIssue> {
  counts: IntegrityCounts;
  /** Crosswalks and relationships whose issues are not listed. */
  unlisted: number;
}

/** Crosswalks and relationships whose issues one list shows: each is part of its SQL statement. */
export const LISTED_PARENTS_MAX = 100;

/**
 * One data set of GET /api/integrity?ids=: how many issues it has, of crosswalks and relationships of which the viewer may read
 * both ends.
 */
export interface IntegritySummary {
  id: number;
  count: number;
}

/** Data sets that one call may name. */
export const SUMMED_DATA_SETS_MAX = 1_000;
