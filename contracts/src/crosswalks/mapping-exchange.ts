/** The formats of files with mappings, and the preview of an import. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { ImportedRow, ImportOfRows, importPreviewOf } from '../jobs/row-imports.ts';

/** CSV (RFC 4180), plain JSON, a FHIR R4 ConceptMap as JSON, and SSSOM's TSV, which begins with metadata. */
export const MAPPING_FORMATS = ['csv', 'json', 'conceptmap', 'sssom'] as const;
export const MappingFormat = z.enum(MAPPING_FORMATS, {
  error: `Use one of these formats: ${MAPPING_FORMATS.join(', ')}`,
});
export type MappingFormat = z.infer<typeof MappingFormat>;

/** The maximum number of characters of a document that is parsed as a whole, such as JSON. Tables are streamed. */
export const MAPPING_FILE_CHARACTERS_MAX = 40_000_000;

/** The body of POST /api/crosswalks/{id}/mappings/import-preview, and of …/import, which imports the mappings. */
export const ImportMappings = ImportOfRows.extend({
  /** The format; detected from the content if left out. */
  format: MappingFormat.optional(),
  /**
   * Applies if a source value has exactly one mapping and exactly one pair in the file, and their targets differ:
   * `change` changes the mapping, `add` adds a second mapping.
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
      .describe('The current value of the mapping that the import would change.'),
  }),
);
export type ImportedMapping = z.infer<typeof ImportedMapping>;

export const MappingImportPreview = defineView(() =>
  importPreviewOf(ImportedMapping).extend({
    format: MappingFormat,
  }),
);
export type MappingImportPreview = z.infer<typeof MappingImportPreview>;
