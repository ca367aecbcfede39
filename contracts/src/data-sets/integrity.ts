/**
 * Integrity issues: references to rows that no longer exist, and cells that do not match the type of their field. The
 * product reports these issues, but does not prevent them.
 */

import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { pageOf } from '../lists/filter.ts';
import { APPROVAL_STATUSES } from '../review/approval.ts';

/**
 * WRONG_TYPE: a cell that was stored when its field had another data type, and that is now read as empty.
 * BROKEN_SOURCE, BROKEN_TARGET: a mapping whose source or target value no row has.
 * BROKEN_RELATIONSHIP: a relationship value whose source or target row was deleted or purged.
 */
export const INTEGRITY_KINDS = ['WRONG_TYPE', 'BROKEN_SOURCE', 'BROKEN_TARGET', 'BROKEN_RELATIONSHIP'] as const;
export type IntegrityKind = (typeof INTEGRITY_KINDS)[number];

export const IntegrityCounts = defineView(() => z.record(z.enum(INTEGRITY_KINDS), z.number()));
export type IntegrityCounts = z.infer<typeof IntegrityCounts>;

/** One issue of GET /api/reference-data/{id}/integrity. */
export const IntegrityIssue = defineView(() =>
  z.object({
    id: z.string(),
    kind: z.enum(INTEGRITY_KINDS),
    instanceId: z
      .number()
      .nullable()
      .describe('The id of the row with the cell; null for a mapping or a relationship value.'),
    key: z.string().nullable(),
    field: z
      .string()
      .describe('The field of the cell or of the missing value; `source` or `target` for a relationship value.'),
    value: z.string(),
    expected: z.string().nullable().describe('The expected data type of the cell.'),
    parent: z
      .enum(['crosswalk', 'relationship'])
      .nullable()
      .describe('`crosswalk` for a mapping, `relationship` for a relationship value; null for a cell.'),
    parentId: z.number().nullable(),
    parentName: z.string().nullable(),
    valueId: z.number().nullable(),
    sourceValue: z.string().nullable().describe('The source value, or the key of the source row.'),
    status: z.enum(APPROVAL_STATUSES).nullable(),
  }),
);
export type IntegrityIssue = z.infer<typeof IntegrityIssue>;

export const IntegrityPage = defineView(() =>
  pageOf(IntegrityIssue).extend({
    counts: IntegrityCounts,
    unlisted: z.number().describe('The number of crosswalks and relationships whose issues are not listed.'),
  }),
);
export type IntegrityPage = z.infer<typeof IntegrityPage>;

/**
 * The maximum number of crosswalks and relationships whose issues are listed. Each of them makes the SQL statement
 * longer.
 */
export const LISTED_PARENTS_MAX = 100;

/**
 * One data set of GET /api/integrity?ids= with its number of issues. Issues of a crosswalk or relationship count if the
 * viewer may read both ends.
 */
export const IntegritySummary = defineView(() =>
  z.object({
    id: z.number(),
    count: z.number(),
  }),
);
export type IntegritySummary = z.infer<typeof IntegritySummary>;

/** The maximum number of data sets that one call may name. */
export const SUMMED_DATA_SETS_MAX = 1_000;
