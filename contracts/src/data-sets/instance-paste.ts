/** What a paste would do to the rows of a data set, asked before anything is written. */
import { z } from 'zod';
import { INSTANCES_PER_COMMAND } from '../constants.ts';
import { Id } from '../text/fields.ts';
import type { CellValue } from '../text/rows.ts';

/**
 * POST /api/reference-data/{id}/instances/paste-preview: cells as the texts that were pasted, in the order of `fields`.
 * A row finds its own by `id`, else by its key, for which `fields` name all of the key's.
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

/** What would become of one pasted row. */
export interface PastedRow {
  /** Its place in the paste. */
  index: number;
  outcome: PasteOutcome;
  /** The row that it would change, as it is stored now; null for a new one. */
  id: number | null;
  revision: number | null;
  key: string;
  /** The cells that would be written, by field name: all of a new row, those that differ of a known one. */
  data: Record<string, CellValue>;
  /** What those cells hold now. */
  before: Record<string, CellValue>;
  /** Why cells cannot be taken, by field name. */
  problems: Record<string, string>;
}

export interface PastePreviewView {
  results: PastedRow[];
  counts: Record<PasteOutcome, number>;
}

/** GET /api/reference-data/{id}/instances/{instanceId}/references: what speaks of a row, of what the viewer may read. */
export interface InstanceReferences {
  mappings: {
    id: number;
    crosswalkId: number;
    crosswalkName: string;
    /** Whether the row's value is mapped, or mapped to. */
    side: 'source' | 'target';
    sourceValue: string;
    targetValue: string;
    status: 'DRAFT' | 'PENDING' | 'APPROVED' | 'REJECTED';
    isServed: boolean;
  }[];
  /** How many there are; the lists show the first ones. */
  mappingCount: number;
}

/** POST …/instances/deletion-impact, with the body of the deletion: what speaks of the rows, and would be shown as broken. */
export interface DeletionImpact {
  rowCount: number;
  /** How many of them something speaks of. */
  referencedCount: number;
  crosswalks: Dependant[];
  relationships: Dependant[];
  /** Crosswalks and relationships that speak of them and that the caller may not read. */
  hidden: number;
}

/** A crosswalk with its mappings, or a relationship with its values, as far as they speak of the rows. */
export interface Dependant {
  id: number;
  name: string;
  count: number;
  /** How many of these serve, to translations and reports, until somebody revokes them. */
  servedCount: number;
}
