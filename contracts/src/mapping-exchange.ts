/** Mappings that travel as files: the formats, and what an import would do, asked before anything is written. */
import { z } from 'zod';

/** RFC 4180 CSV, plain JSON, a FHIR R4 ConceptMap as JSON, and SSSOM's TSV with its metadata in front. */
export const MAPPING_FORMATS = ['csv', 'json', 'conceptmap', 'sssom'] as const;
export const MappingFormat = z.enum(MAPPING_FORMATS, {
  error: `Mappings are exchanged as ${MAPPING_FORMATS.join(', ')}`,
});
export type MappingFormat = z.infer<typeof MappingFormat>;

export const IMPORTED_MAPPINGS_MAX = 100_000;
/** Characters of one file; a ConceptMap of so many mappings with their names has fewer. */
export const MAPPING_FILE_CHARACTERS_MAX = 40_000_000;

/** POST /api/crosswalks/{id}/mappings/import-preview. */
export const PreviewMappingImport = z.object({
  content: z
    .string({ error: 'content is the text of the file' })
    .min(1, 'The file is empty')
    .max(MAPPING_FILE_CHARACTERS_MAX, 'The file is too large: import it in parts'),
  /** Told from the content where it is left out. */
  format: MappingFormat.optional(),
  /**
   * What a further target means for a source value that has one mapping and is in the file once: its target changes, or
   * the value gets another target.
   */
  existing: z.enum(['change', 'add']).default('change'),
});
export type PreviewMappingImport = z.infer<typeof PreviewMappingImport>;

export const IMPORT_OUTCOMES = ['new', 'changed', 'unchanged', 'invalid'] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

/** Why a row cannot be taken, in words that say what to do. */
export interface ImportProblem {
  /** Name of the column, or the path of the element in a JSON document. */
  column: string;
  value: string;
  rule: string;
  fix: string;
}

/** What would become of one row of the file. */
export interface ImportedMapping {
  /** Line of the file on which it begins; in a JSON document the place among its mappings, from 1. */
  row: number;
  outcome: ImportOutcome;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  /** The mapping that it would change or that says the same, as it is stored now; null for a new one. */
  id: number | null;
  revision: number | null;
  /** What a mapping that it would change says now. */
  before: { targetValue: string; confidence: number } | null;
  problems: ImportProblem[];
}

export interface MappingImportPreview {
  format: MappingFormat;
  counts: Record<ImportOutcome, number>;
  rows: ImportedMapping[];
  /** What is worth knowing and stops nothing: how many rows it is true of, and the first of them. */
  remarks: { text: string; count: number; row: number }[];
}
