/** Imports of mappings and relationship values from a file: settings, the preview, and the response with the job. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { Refusal } from '../refusal.ts';

/** The maximum number of rows of one file. */
export const IMPORTED_ROWS_MAX = 500_000;
export const IMPORTED_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Throws TOO_LARGE if there are more rows than one import may have. */
export function requireNotTooManyRows(rows: number): void {
  if (rows <= IMPORTED_ROWS_MAX) return;
  const maximum = IMPORTED_ROWS_MAX.toLocaleString('en');
  throw new Refusal('TOO_LARGE', `The file has more than ${maximum} rows: import it in parts`);
}

/** The maximum number of rows of each outcome that a preview lists. */
export const PREVIEWED_ROWS_MAX = 100;

/** The common settings of imports of mappings and of relationship values. */
export const ImportOfRows = z.object({
  /** The id of a file that was uploaded for the same crosswalk or relationship. */
  fileId: z.uuid(),
  /** Whether new and changed rows are submitted; otherwise they stay drafts. */
  submit: z.boolean().default(false),
  /** The description of the job; by default a text with the name of the crosswalk or relationship. */
  description: z.string().trim().min(1).max(1_000).optional(),
});

export const IMPORT_OUTCOMES = ['new', 'changed', 'unchanged', 'invalid'] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

/** Why a row cannot be imported, and how to correct it. */
export const ImportProblem = defineView(() =>
  z.object({
    column: z.string().describe('Name of the column, or the path of the element in a JSON document.'),
    value: z.string(),
    rule: z.string(),
    fix: z.string(),
  }),
);
export type ImportProblem = z.infer<typeof ImportProblem>;

/** The original text of a row of a table, without its line ending. */
export interface RawRow {
  text: string;
  /** Whether the row is malformed, for example by an open quotation mark. Files of rejected rows end with such rows. */
  isBroken: boolean;
}

/** The part of a table before its rows. */
export interface TableHead {
  delimiter: string;
  /** The lines before the header, with their line endings. */
  metadata: string;
  /** The header line; if the columns have no names, only the delimiters. */
  header: string;
}

/** The outcome of one row of the file. */
export const ImportedRow = defineView(() =>
  z.object({
    row: z
      .number()
      .describe('The line of the file on which the row begins; in JSON the number of the row, starting at 1.'),
    outcome: z.enum(IMPORT_OUTCOMES),
    problems: z.array(ImportProblem),
  }),
);
export type ImportedRow = z.infer<typeof ImportedRow>;

/** The schema of a preview, which writes nothing. */
export const importPreviewOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    counts: z.record(z.enum(IMPORT_OUTCOMES), z.number()),
    rows: z.array(row).describe('The first rows of each outcome.'),
    remarks: z
      .array(z.object({ text: z.string(), count: z.number(), row: z.number() }))
      .describe(
        'Remarks that do not prevent the import, each with the number of rows that it concerns and the first of these rows.',
      ),
  });

/** A preview, which writes nothing. */
export interface ImportPreview<Row extends ImportedRow> {
  counts: Record<ImportOutcome, number>;
  /** The first rows of each outcome. */
  rows: Row[];
  /** Remarks that do not prevent the import, each with the number of rows that it concerns and the first of these rows. */
  remarks: { text: string; count: number; row: number }[];
}

/** The response to POST /api/imports with `crosswalkId` or `relationshipId`: the staged file. */
export const StagedRowsView = defineView(() =>
  z.object({
    id: z.string(),
    dataSetId: z
      .number()
      .describe('The source data set of the crosswalk or relationship. Its grants decide who may import.'),
    crosswalkId: z.number().exactOptional(),
    relationshipId: z.number().exactOptional(),
    fileName: z.string(),
    size: z.number(),
    hash: z.string(),
    encoding: z.string(),
  }),
);
export type StagedRowsView = z.infer<typeof StagedRowsView>;

/** The response to …/import: the job, and the id of the command, with which the import can be undone. */
export const ImportStarted = defineView(() =>
  z.object({
    jobId: z.number(),
    commandId: z.string(),
  }),
);
export type ImportStarted = z.infer<typeof ImportStarted>;
