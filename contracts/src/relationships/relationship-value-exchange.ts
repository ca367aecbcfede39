/** Relationship values as files: the meaning of columns, and the preview of an import. */
import { z } from 'zod';
import { type ImportedRow, ImportOfRows, type ImportPreview } from '../jobs/row-imports.ts';
import type { CellValue } from '../text/rows.ts';

/** RFC 4180 CSV, and plain JSON. */
export const VALUE_FORMATS = ['csv', 'json'] as const;
export const ValueFormat = z.enum(VALUE_FORMATS, {
  error: `Relationship values are imported as ${VALUE_FORMATS.join(' or ')}`,
});
export type ValueFormat = z.infer<typeof ValueFormat>;

/** Characters of one JSON document, which is parsed as a whole; tables are parsed as a stream. */
export const VALUE_FILE_CHARACTERS_MAX = 40_000_000;

const Column = z.string().min(1).max(1_000);

/** The meaning of columns, by their names; attributes that are not named stay unchanged. */
export const ValueColumns = z.object({
  source: Column,
  target: Column,
  /** The column of each attribute, by the attribute's name. */
  attributes: z.record(z.string().max(200), Column).default({}),
});
export type ValueColumns = z.infer<typeof ValueColumns>;

/** POST /api/relationships/{id}/values/import-preview, and …/import, which does it. */
export const ImportRelationshipValues = ImportOfRows.extend({
  /** Detected from the content if left out. */
  format: ValueFormat.optional(),
  /** Whether the first line of CSV is a header; otherwise columns are named by position: "Column 1". */
  isNamed: z.boolean().optional(),
  /** Derived from the names or positions of the columns if left out. */
  columns: ValueColumns.optional(),
});
export type ImportRelationshipValues = z.infer<typeof ImportRelationshipValues>;

/** The outcome of one value of the file. */
export interface ImportedValue extends ImportedRow {
  sourceKey: string;
  targetKey: string;
  /** As in the file, by the names of the attributes. */
  attributes: Record<string, string>;
  /** The current attributes of the value that it would change, as far as the file names them. */
  before: Record<string, CellValue> | null;
}

export interface ValueImportPreview extends ImportPreview<ImportedValue> {
  format: ValueFormat;
  isNamed: boolean;
  /** Every column of the file, with its first cell. */
  columns: { name: string; example: string }[];
  /** The meaning of each column. */
  uses: ValueColumns;
}
