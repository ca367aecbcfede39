/** Rows under review that come from a file, mappings or relationship values: what an import of them would do, and its job. */
import { z } from 'zod';
import { Refusal } from '../refusal.ts';

/** Of one file; they are read in turn, and decided bucket by bucket. */
export const IMPORTED_ROWS_MAX = 500_000;
export const IMPORTED_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Refuses what is more than one import takes. */
export function requireNotTooManyRows(rows: number): void {
  if (rows <= IMPORTED_ROWS_MAX) return;
  const most = IMPORTED_ROWS_MAX.toLocaleString('en');
  throw new Refusal('TOO_LARGE', `The file has more than ${most} rows: import it in parts`);
}

/** Rows of each outcome that a preview shows. */
export const PREVIEWED_ROWS_MAX = 100;

/** What every import of rows is asked with; the file was uploaded before, for this very crosswalk or relationship. */
export const ImportOfRows = z.object({
  fileId: z.uuid(),
  /** Puts what is new or changed under review at once; otherwise it lands as drafts. */
  submit: z.boolean().default(false),
  /** What the job is called; told from what is imported where it is left out. */
  description: z.string().trim().min(1).max(1_000).optional(),
});

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

/** A row of a table as the file has it, without its line ending. */
export interface RawRow {
  text: string;
  /** Its quotation marks are not in order: what follows it may be taken for a part of it. */
  isBroken: boolean;
}

/** What a table has before its rows. */
export interface TableHead {
  delimiter: string;
  /** Lines before the one that names the columns, with their endings. */
  metadata: string;
  /** The line that names the columns; of columns without names, their delimiters alone. */
  header: string;
}

/** What would become of one row of the file. */
export interface ImportedRow {
  /** Line of the file on which it begins; in a JSON document the place among its rows, from 1. */
  row: number;
  outcome: ImportOutcome;
  problems: ImportProblem[];
}

/** What an import would do; nothing is written for it. */
export interface ImportPreview<Row extends ImportedRow> {
  counts: Record<ImportOutcome, number>;
  /** The first rows of each outcome. */
  rows: Row[];
  /** What is worth knowing and stops nothing: how many rows it is true of, and the first of them. */
  remarks: { text: string; count: number; row: number }[];
}

/** Answer of POST /api/imports with `crosswalkId` or `relationshipId`: the staged file. */
export interface StagedRowsView {
  id: string;
  /** The source of the crosswalk or relationship: it governs the import. */
  dataSetId: number;
  crosswalkId?: number;
  relationshipId?: number;
  fileName: string;
  size: number;
  hash: string;
  encoding: string;
}

/** Answer of …/import: the job, and the command by which what it did is undone. */
export interface ImportStarted {
  jobId: number;
  commandId: string;
}
