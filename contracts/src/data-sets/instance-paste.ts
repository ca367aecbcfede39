/** Views for changes of rows: the preview of a paste, the mappings that use a row, and the impact of a deletion. */
import { z } from 'zod';
import { INSTANCES_PER_COMMAND } from '../constants.ts';
import { defineView } from '../define-view.ts';
import { Id } from '../text/fields.ts';
import { CellValue } from '../text/rows.ts';

/**
 * POST /api/reference-data/{id}/instances/paste-preview: the pasted cells as texts, in the order of `fields`. Rows
 * without an `id` are matched by their key, so `fields` must then include all key fields.
 */
export const PastePreview = z.object({
  fields: z.array(z.string().min(1).max(200)).min(1).max(500),
  rows: z
    .array(z.object({ id: Id.optional(), cells: z.array(z.string().max(100_000)) }))
    .min(1)
    .max(INSTANCES_PER_COMMAND),
});
export type PastePreview = z.infer<typeof PastePreview>;

export const PASTE_OUTCOMES = ['new', 'changed', 'unchanged', 'invalid'] as const;
export type PasteOutcome = (typeof PASTE_OUTCOMES)[number];

/** The outcome of one pasted row. */
export const PastedRow = defineView(() =>
  z.object({
    index: z.number().describe('The index of the row in the paste.'),
    outcome: z.enum(PASTE_OUTCOMES),
    id: z.number().nullable().describe('The id of the row that would be changed; null for a new row.'),
    revision: z.number().nullable(),
    key: z.string(),
    data: z
      .record(z.string(), CellValue)
      .describe('The cells to write, by field name: all cells of a new row, the changed cells of an existing row.'),
    before: z.record(z.string(), CellValue).describe('The current values of the cells to write.'),
    problems: z.record(z.string(), z.string()).describe('Problems of cells, by field name.'),
  }),
);
export type PastedRow = z.infer<typeof PastedRow>;

export const PastePreviewView = defineView(() =>
  z.object({
    results: z.array(PastedRow),
    counts: z.record(z.enum(PASTE_OUTCOMES), z.number()),
  }),
);
export type PastePreviewView = z.infer<typeof PastePreviewView>;

/** GET /api/reference-data/{id}/instances/{instanceId}/references: the first readable mappings that use a row. */
export const InstanceReferences = defineView(() =>
  z.object({
    mappings: z.array(
      z.object({
        id: z.number(),
        crosswalkId: z.number(),
        crosswalkName: z.string(),
        side: z
          .enum(['source', 'target'])
          .describe("Whether the row's value is the source or the target of a mapping."),
        sourceValue: z.string(),
        targetValue: z.string(),
        status: z.enum(['DRAFT', 'PENDING', 'APPROVED', 'REJECTED']),
        isServed: z.boolean(),
      }),
    ),
    mappingCount: z.number().describe('The number of all mappings that use the row; the list has the first ones.'),
  }),
);
export type InstanceReferences = z.infer<typeof InstanceReferences>;

/** A crosswalk whose mappings use the rows, or a relationship whose values use them. */
export const Dependant = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    count: z.number(),
    servedCount: z
      .number()
      .describe('How many of these mappings or values are served; they are served until they are revoked.'),
  }),
);
export type Dependant = z.infer<typeof Dependant>;

/** POST …/instances/deletion-impact, with the body of the deletion: crosswalks and relationships that use the rows. */
export const DeletionImpact = defineView(() =>
  z.object({
    rowCount: z.number(),
    referencedCount: z.number().describe('How many of the rows are used.'),
    crosswalks: z.array(Dependant),
    relationships: z.array(Dependant),
    hidden: z
      .number()
      .describe('The number of crosswalks and relationships that use the rows and that the caller may not read.'),
  }),
);
export type DeletionImpact = z.infer<typeof DeletionImpact>;
