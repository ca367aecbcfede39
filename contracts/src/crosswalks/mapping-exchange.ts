/** Mappings as files: the formats, and the preview of an import. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { ImportedRow, ImportOfRows, importPreviewOf } from '../jobs/row-imports.ts';

/** RFC 4180 CSV, plain JSON, a FHIR R4 ConceptMap as JSON, and SSSOM's TSV with its metadata in front. */
export const MAPPING_FORMATS = ['csv', 'json', 'conceptmap', 'sssom'] as const;
export const MappingFormat = z.enum(MAPPING_FORMATS, {
  error: `Mappings are exchanged as ${MAPPING_FORMATS.join(', ')}`,
});
export type MappingFormat = z.infer<typeof MappingFormat>;

/** Characters of a document that is parsed as a whole, such as JSON; tables are parsed as a stream. */
export const MAPPING_FILE_CHARACTERS_MAX = 40_000_000;

/** POST /api/crosswalks/{id}/mappings/import-preview, and …/import, which imports them. */
export const ImportMappings = ImportOfRows.extend({
  /** Detected from the content if left out. */
  format: MappingFormat.optional(),
  /**
   * What a further target means for a source value that has one mapping and occurs once in the file: its target changes, or the
   * value gets another target.
   */
  existing: z.enum(['change', 'add']).default('change'),
});
export type ImportMappings = z.infer<typeof ImportMappings>;

/** The outcome of one mapping of the file. */
export const ImportedMapping = defineView(() =>
  ImportedRow.extend({
    sourceValue: z.string(),
    targetValue: z.string(),
    confidence: z.number(),
    before: z
      .object({ targetValue: z.string(), confidence: z.number() })
      .nullable()
      .describe('The current value of the mapping that it would change.'),
  }),
);
export type ImportedMapping = z.infer<typeof ImportedMapping>;

export const MappingImportPreview = defineView(() =>
  importPreviewOf(ImportedMapping).extend({
    format: MappingFormat,
  }),
);
export type MappingImportPreview = z.infer<typeof MappingImportPreview>;
