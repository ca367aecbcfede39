/** The comparison of the values that source systems map to the values of one target data set. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { pageOf } from '../lists/filter.ts';

/** A source system: a data set, with its served crosswalks to the compared field of the target data set. */
export const ComparedSystem = defineView(() =>
  z.object({
    dataSetId: z.number(),
    name: z.string(),
    crosswalks: z.array(z.object({ id: z.number(), name: z.string() })),
  }),
);
export type ComparedSystem = z.infer<typeof ComparedSystem>;

/**
 * The state of a system for a target value, the first that applies: `absent` if no source value is mapped to the target
 * value; `conflict` if a mapped source value has another target too; `broken` if no mapped source value has a row;
 * `agree` otherwise.
 */
export const CellState = defineView(() => z.enum(['agree', 'conflict', 'broken', 'absent']));
export type CellState = z.infer<typeof CellState>;

export const ComparedCell = defineView(() =>
  z.object({
    dataSetId: z.number(),
    state: CellState,
    mappings: z.array(
      z.object({
        crosswalkId: z.number(),
        mappingId: z.number(),
        sourceValue: z.string(),
        otherTargets: z.array(z.string()),
        sourceMissing: z.boolean(),
      }),
    ),
  }),
);
export type ComparedCell = z.infer<typeof ComparedCell>;

export const ComparedRow = defineView(() =>
  z.object({
    targetValue: z.string(),
    targetLabel: z.string().nullable(),
    cells: z.array(ComparedCell),
  }),
);
export type ComparedRow = z.infer<typeof ComparedRow>;

/** The name of the field with the values of a source data set, in filters, sorting and columns. */
export const comparedField = (dataSetId: number): string => `system-${dataSetId}`;

/**
 * GET /api/crosswalk/comparison/{targetDatasetId}. Omits `targetAttribute` and `targetFieldId` if no served crosswalk
 * maps a data set that the user may read to the target data set.
 */
export const Comparison = defineView(() =>
  pageOf(ComparedRow).extend({
    targetDataSetId: z.number(),
    targetName: z.string(),
    targetAttribute: z.string().exactOptional(),
    targetFieldId: z.number().exactOptional(),
    systems: z.array(ComparedSystem),
  }),
);
export type Comparison = z.infer<typeof Comparison>;
