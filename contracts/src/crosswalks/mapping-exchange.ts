/** Mappings that travel as files: the formats, and what an import would do, asked before anything is written. */
import { z } from 'zod';
import { type ImportedRow, ImportOfRows, type ImportPreview } from '../jobs/row-imports.ts';

/** RFC 4180 CSV, plain JSON, a FHIR R4 ConceptMap as JSON, and SSSOM's TSV with its metadata in front. */
export const MAPPING_FORMATS = ['csv', 'json', 'conceptmap', 'sssom'] as const;
export const MappingFormat = z.enum(MAPPING_FORMATS, {
  error: `Mappings are exchanged as ${MAPPING_FORMATS.join(', ')}`,
});
export type MappingFormat = z.infer<typeof MappingFormat>;

/** Characters of one document that is read as a whole, as JSON is; tables are read as they come. */
export const MAPPING_FILE_CHARACTERS_MAX = 40_000_000;

/** POST /api/crosswalks/{id}/mappings/import-preview, and …/import, which does it. */
export const ImportMappings = ImportOfRows.extend({
  /** Told from the content where it is left out. */
  format: MappingFormat.optional(),
  /**
   * What a further target means for a source value that has one mapping and is in the file once: its target changes, or
   * the value gets another target.
   */
  existing: z.enum(['change', 'add']).default('change'),
});
export type ImportMappings = z.infer<typeof ImportMappings>;

/** What would become of one mapping of the file. */
export interface ImportedMapping extends ImportedRow {
  sourceValue: string;
  targetValue: string;
  confidence: number;
  /** What a mapping that it would change says now. */
  before: { targetValue: string; confidence: number } | null;
}

export interface MappingImportPreview extends ImportPreview<ImportedMapping> {
  format: MappingFormat;
}
