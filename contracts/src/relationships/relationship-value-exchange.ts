/** Relationship values that come as files: which column holds what, and what an import would do, asked before it is done. */
import { z } from 'zod';
import { type ImportedRow, ImportOfRows, type ImportPreview } from '../jobs/row-imports.ts';
import type { CellValue } from '../text/rows.ts';

/** RFC 4180 CSV, and plain JSON. */
export const VALUE_FORMATS = ['csv', 'json'] as const;
export const ValueFormat = z.enum(VALUE_FORMATS, {
  error: `Relationship values are imported as ${VALUE_FORMATS.join(' or ')}`,
});
export type ValueFormat = z.infer<typeof ValueFormat>;

/** Characters of one JSON document: it is read as a whole; tables are read as they come. */
export const VALUE_FILE_CHARACTERS_MAX = 40_000_000;

const Column = z.string().min(1).max(1_000);

/** Which column holds what, by the columns' names; attributes that are not named here are left as they are. */
export const ValueColumns = z.object({
  source: Column,
  target: Column,
  /** The column of each attribute, by the attribute's name. */
  attributes: z.record(z.string().max(200), Column).default({}),
});
export type ValueColumns = z.infer<typeof ValueColumns>;

/** POST /api/relationships/{id}/values/import-preview, and …/import, which does it. */
export const ImportRelationshipValues = ImportOfRows.extend({
  /** Told from the content where it is left out. */
  format: ValueFormat.optional(),
  /** Whether the first line of CSV names the columns, which are called by their places otherwise: "Column 1". */
  isNamed: z.boolean().optional(),
  /** Told from the columns' names, or from their places, where it is left out. */
  columns: ValueColumns.optional(),
});
export type ImportRelationshipValues = z.infer<typeof ImportRelationshipValues>;

/** What would become of one value of the file. */
export interface ImportedValue extends ImportedRow {
  sourceKey: string;
  targetKey: string;
  /** As the file has them, by the attributes' names. */
  attributes: Record<string, string>;
  /** What a value that it would change says now, of the attributes that the file names. */
  before: Record<string, CellValue> | null;
}

export interface ValueImportPreview extends ImportPreview<ImportedValue> {
  format: ValueFormat;
  isNamed: boolean;
  /** Every column of the file, with the first thing that it says. */
  columns: { name: string; example: string }[];
  /** Which of them hold what. */
  uses: ValueColumns;
}
