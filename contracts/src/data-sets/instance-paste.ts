/** The preview of a paste into the rows of a data set. */
import { z } from 'zod';
import { INSTANCES_PER_COMMAND } from '../constants.ts';
import { Id } from '../text/fields.ts';
import type { CellValue } from '../text/rows.ts';

/**
 * POST /api/reference-data/{id}/instances/paste-preview: cells as pasted texts, in the order of `fields`. A row is matched by
 * `id`, else by its key, for which `fields` must include all key fields.
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
export interface PastedRow {
  /** Its place in the paste. */
  index: number;
  outcome: PasteOutcome;
  /** The stored row that it would change; null for a new row. */
  id: number | null;
  revision: number | null;
  key: string;
  /** The cells to write, by field name: all cells of a new row, the differing ones of an existing row. */
  data: Record<string, CellValue>;
  /** The stored values of those cells. */
  before: Record<string, CellValue>;
  /** Problems of cells, by field name. */
  problems: Record<string, string>;
}

export interface PastePreviewView {
  results: PastedRow[];
  counts: Record<PasteOutcome, number>;
}

/**
 * GET /api/reference-data/{id}/instances/{instanceId}/references: the readable mappings and relationship values that use a row.
 */
export interface InstanceReferences {
  mappings: {
    id: number;
    crosswalkId: number;
    crosswalkName: string;
    /** Whether the row's value is the source or the target of a mapping. */
    side: 'source' | 'target';
    sourceValue: string;
    targetValue: string;
    status: 'DRAFT' | 'PENDING' | 'APPROVED' | 'REJECTED';
    isServed: boolean;
  }[];
  /** The total; the lists hold the first ones. */
  mappingCount: number;
}

/**
 * POST …/instances/deletion-impact, with the body of the deletion: the mappings and values that use the rows and would be
 * broken.
 */
export interface DeletionImpact {
  rowCount: number;
  /** How many of the rows are used. */
  referencedCount: number;
  crosswalks: Dependant[];
  relationships: Dependant[];
  /** Crosswalks and relationships that use the rows and that the caller may not read. */
  hidden: number;
}

/** A crosswalk with its mappings, or a relationship with its values, that use the rows. */
export interface Dependant {
  id: number;
  name: string;
  count: number;
  /** How many of these are served, to translations and reports, until they are revoked. */
  servedCount: number;
}
