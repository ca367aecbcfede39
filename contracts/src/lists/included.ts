/** Parts of the answer about one data set or crosswalk that `?include=` adds. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { APPROVAL_STATUSES } from '../review/approval.ts';
import { CellValue } from '../text/rows.ts';

/** Rows or mappings that one answer includes: the first ones by id. */
export const INCLUDED_ROWS_MAX = 1_000;

/**
 * GET /api/reference-data/{id}?include=data,extractedValues: of the first INCLUDED_ROWS_MAX rows. `instanceCount` of the data
 * set is their total; …/instances lists them all.
 */
export const DataSetIncluded = defineView(() =>
  z.object({
    data: z
      .array(z.record(z.string(), CellValue))
      .exactOptional()
      .describe('Each row as an object: its cells by field name, of the active fields.'),
    extractedValues: z
      .array(z.string())
      .exactOptional()
      .describe('The keys of the same rows in the same order, their parts joined for display.'),
  }),
);
export type DataSetIncluded = z.infer<typeof DataSetIncluded>;

export const DATA_SET_INCLUDES = ['data', 'extractedValues'] as const satisfies (keyof DataSetIncluded)[];

/** A mapping by its working revision, which may differ from the served one (`served` of …/mappings). */
export const IncludedMapping = defineView(() =>
  z.object({
    id: z.number(),
    sourceValue: z.string().describe('Both in normalised form, as mappings store them.'),
    targetValue: z.string(),
    confidence: z.number().describe('0 to 100.'),
    status: z.enum(APPROVAL_STATUSES),
    createdAt: z.string(),
    createdBy: z
      .number()
      .nullable()
      .describe('The id of the author of the draft, negative for an API key; null if there is none.'),
    submissionComment: z
      .string()
      .nullable()
      .describe('The comment of the last submission, including that of a deletion; null if there was none.'),
  }),
);
export type IncludedMapping = z.infer<typeof IncludedMapping>;

/**
 * GET /api/crosswalks/{id}?include=mappingData: of the first INCLUDED_ROWS_MAX mappings that are not deleted. The crosswalk's
 * `counts` are the totals per status; …/mappings lists them all.
 */
export const CrosswalkIncluded = defineView(() =>
  z.object({
    mappingData: z
      .object({
        sourceAttribute: z.string().describe('The names of the mapped fields, of today or as of the past.'),
        targetAttribute: z.string(),
        sourceField: z.number().describe('The ids of the same fields, which stay when a field is renamed.'),
        targetField: z.number(),
        mappings: z.array(IncludedMapping),
      })
      .exactOptional(),
  }),
);
export type CrosswalkIncluded = z.infer<typeof CrosswalkIncluded>;

export const CROSSWALK_INCLUDES = ['mappingData'] as const satisfies (keyof CrosswalkIncluded)[];
