/** Parts that `?include=` adds to the response about one data set or crosswalk. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { APPROVAL_STATUSES } from '../review/approval.ts';
import { CellValue } from '../text/rows.ts';

/** A response includes at most this many rows or mappings, in the order of their ids. */
export const INCLUDED_ROWS_MAX = 1_000;

/**
 * The parts of GET /api/reference-data/{id}?include=data,extractedValues, with at most INCLUDED_ROWS_MAX rows.
 * `instanceCount` is the number of all rows; …/instances lists all rows.
 */
export const DataSetIncluded = defineView(() =>
  z.object({
    data: z
      .array(z.record(z.string(), CellValue))
      .exactOptional()
      .describe('Each row as an object with its cells by the names of the active fields.'),
    extractedValues: z
      .array(z.string())
      .exactOptional()
      .describe('The keys of the same rows in the same order; the parts of a key are joined for display.'),
  }),
);
export type DataSetIncluded = z.infer<typeof DataSetIncluded>;

export const DATA_SET_INCLUDES = ['data', 'extractedValues'] as const satisfies (keyof DataSetIncluded)[];

/** A mapping with its working value, which can differ from the served value (`served` of …/mappings). */
export const IncludedMapping = defineView(() =>
  z.object({
    id: z.number(),
    sourceValue: z.string().describe('In normalised form, like `targetValue`.'),
    targetValue: z.string(),
    confidence: z.number().describe('0 to 100.'),
    status: z.enum(APPROVAL_STATUSES),
    createdAt: z.string(),
    createdBy: z
      .number()
      .nullable()
      .describe(
        'The id of the user who wrote the draft; for an API key, the user for whom it acted. Null if there is none.',
      ),
    submissionComment: z
      .string()
      .nullable()
      .describe('The comment of the last submission or deletion request; null if there was none.'),
  }),
);
export type IncludedMapping = z.infer<typeof IncludedMapping>;

/**
 * The part of GET /api/crosswalks/{id}?include=mappingData, with at most INCLUDED_ROWS_MAX mappings that are not
 * deleted. `counts` of the crosswalk has the numbers of all mappings per status; …/mappings lists all mappings.
 */
export const CrosswalkIncluded = defineView(() =>
  z.object({
    mappingData: z
      .object({
        sourceAttribute: z
          .string()
          .describe('The name of the mapped field of the source, at the time of `asOf` or now.'),
        targetAttribute: z.string(),
        sourceField: z.number().describe('The id of the same field, which does not change when the field is renamed.'),
        targetField: z.number(),
        mappings: z.array(IncludedMapping),
      })
      .exactOptional(),
  }),
);
export type CrosswalkIncluded = z.infer<typeof CrosswalkIncluded>;

export const CROSSWALK_INCLUDES = ['mappingData'] as const satisfies (keyof CrosswalkIncluded)[];
