/** Rows under review that come from a file, mappings or relationship values: the preview of an import, and its job. */
import { z } from 'zod';
import { Refusal } from '../refusal.ts';

/** Rows of one file; they are read in sequence and decided bucket by bucket. */
export const IMPORTED_ROWS_MAX = 500_000;
export const IMPORTED_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Refuses more rows than one import may have. */
export function requireNotTooManyRows(rows: number): void {
  if (rows <= IMPORTED_ROWS_MAX) return;
  const most = IMPORTED_ROWS_MAX.toLocaleString('en');
  throw new Refusal('TOO_LARGE', `The file has more than ${most} rows: import it in parts`);
}

/** Rows of each outcome that a preview lists. */
export const PREVIEWED_ROWS_MAX = 100;

/** The settings of every import of rows; the file was uploaded before for the same crosswalk or relationship. */
export const ImportOfRows = z.object({
  fileId: z.uuid(),
  /** Submits new and changed rows at once; otherwise they stay drafts. */
  submit: z.boolean().default(false),
  /** The job's description; derived if left out. */
  description: z.string().trim().min(1).max(1_000).optional(),
});

export const IMPORT_OUTCOMES = ['new', 'changed', 'unchanged', 'invalid'] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

/** Why a row cannot be imported, and what to do. */
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
  /** Its quotation marks are unbalanced, so the rest of the file may have been read as part of it. */
  isBroken: boolean;
}

/** The part of a table before its rows. */
export interface TableHead {
  delimiter: string;
  /** Lines before the header, with their endings. */
  metadata: string;
  /** The header line; for columns without names, their delimiters alone. */
  header: string;
}

/** The outcome of one row of the file. */
export interface ImportedRow {
  /** The line of the file on which it begins; in JSON its index, starting at 1. */
  row: number;
  outcome: ImportOutcome;
  problems: ImportProblem[];
}

/** The preview of an import; nothing is written. */
export interface ImportPreview<Row extends ImportedRow> {
  counts: Record<ImportOutcome, number>;
  /** The first rows of each outcome. */
  rows: Row[];
  /** Remarks that do not prevent the import: how many rows they concern, and the first of them. */
  remarks: { text: string; count: number; row: number }[];
}

/** Answer of POST /api/imports with `crosswalkId` or `relationshipId`: the staged file. */
export interface StagedRowsView {
  id: string;
  /** The source of the crosswalk or relationship, whose grants govern the import. */
  dataSetId: number;
  crosswalkId?: number;
  relationshipId?: number;
  fileName: string;
  size: number;
  hash: string;
  encoding: string;
}

/** Answer of …/import: the job, and the command by which it is undone. */
export interface ImportStarted {
  jobId: number;
  commandId: string;
}
