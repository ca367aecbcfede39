/** Files with relationship values: the formats, the meaning of columns, and the preview of an import. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { ImportedRow, ImportOfRows, importPreviewOf } from '../jobs/row-imports.ts';
import { CellValue } from '../text/rows.ts';

/** CSV (RFC 4180) and plain JSON. */
export const VALUE_FORMATS = ['csv', 'json'] as const;
export const ValueFormat = z.enum(VALUE_FORMATS, {
  error: `Relationship values are imported as ${VALUE_FORMATS.join(' or ')}`,
});
export type ValueFormat = z.infer<typeof ValueFormat>;

/** The maximum number of characters of a JSON document, because it is parsed as a whole. CSV is parsed as a stream. */
export const VALUE_FILE_CHARACTERS_MAX = 40_000_000;

const Column = z.string().min(1).max(1_000);

/**
 * The names of the columns that have the keys and the attributes. An attribute without a column stays unchanged; in a
 * new value it is empty.
 */
export const ValueColumns = z.object({
  source: Column,
  target: Column,
  /** The columns of attributes, by the name of the attribute. */
  attributes: z.record(z.string().max(200), Column).default({}),
});
export type ValueColumns = z.infer<typeof ValueColumns>;

/** POST /api/relationships/{id}/values/import-preview, and …/import, which imports the values. */
export const ImportRelationshipValues = ImportOfRows.extend({
  /** The format; detected from the content if left out. */
  format: ValueFormat.optional(),
  /**
   * Whether the first line of CSV is a header; detected from the names in it if left out. Without a header, columns
   * have names such as "Column 1".
   */
  isNamed: z.boolean().optional(),
  /** If left out, the meaning of columns is derived from their names or positions. */
  columns: ValueColumns.optional(),
});
export type ImportRelationshipValues = z.infer<typeof ImportRelationshipValues>;

/** The outcome of one value of the file. */
export const ImportedValue = defineView(() =>
  ImportedRow.extend({
    sourceKey: z.string(),
    targetKey: z.string(),
    attributes: z.record(z.string(), z.string()).describe('The cells of the file by the names of the attributes.'),
    before: z
      .record(z.string(), CellValue)
      .nullable()
      .describe(
        'If the import would change the value, its current attributes for which the file has columns; otherwise null.',
      ),
  }),
);
export type ImportedValue = z.infer<typeof ImportedValue>;

export const ValueImportPreview = defineView(() =>
  importPreviewOf(ImportedValue).extend({
    format: ValueFormat,
    isNamed: z.boolean(),
    columns: z
      .array(z.object({ name: z.string(), example: z.string() }))
      .describe('Every column of the file, with its first cell.'),
    uses: ValueColumns.describe('The meaning of each column.'),
  }),
);
export type ValueImportPreview = z.infer<typeof ValueImportPreview>;
