/** Types and limits that the readers of all file formats share: the bytes of a file, its records, and an open file. */
import {
  type CellKind,
  type ColumnProfile,
  type CsvRecord,
  type FileFormat,
  type FileProfile,
  type Question,
  type ReadOptions,
  Refusal,
} from '@rdm/contracts';

/** A record whose fields are strings of UTF-8 bytes, with one character for each byte. */
export interface SourceRecord extends CsvRecord {
  /** The types of typed cells, by field; left out by formats without types. */
  kinds?: readonly (CellKind | undefined)[];
  /** The number formats of numbers and dates of a sheet, by field; left out if no cell of the record has one. */
  formats?: readonly (string | undefined)[];
}

/** Records, and how many bytes of the file a reader has read so far. */
export interface RecordBatch {
  records: SourceRecord[];
  bytes: number;
}

/** The content of a file, of which any part can be read. */
export interface FileBytes {
  size: number;
  /** All bytes in order. */
  pieces(): AsyncIterable<Buffer>;
  /** Bytes from a position; fewer at the end of the file. */
  range(from: number, length: number): Promise<Buffer>;
}

/** An open file: its format, its read options and its records. */
export interface Source {
  format: FileFormat;
  /** The options, given or detected. The header row may be missing: `profileFile` detects the row. */
  read: ReadOptions;
  sheets: FileProfile['sheets'];
  questions: Question[];
  notes: string[];
  /** Whether cells are typed. Records of such a file may be shorter than the header: the missing cells are empty. */
  isTyped: boolean;
  /** The property names of the objects read so far; set by formats whose records are objects. */
  propertyNames?: readonly string[];
  /** The names of the columns that identify a record, if the format determines them. */
  keyColumns?: readonly string[];
  /** The index of the sheet's column with the first field of each record, if not 0; known once all records are read. */
  firstColumn?: number | undefined;
  /** The minimum number of digits in the number format of each column; known once all records are read. */
  codeLengths?: ReadonlyMap<number, number>;
  /** The cells of a header record. In a sheet, a cell merged with cells above has the text of the merged cells. */
  headerCells?(record: SourceRecord): readonly string[];
  /** The column names that a header gives. In a sheet, a name includes the names of column groups above the header. */
  headerNames?(header: SourceRecord): string[];
  /** All records, a header included. */
  records(): AsyncGenerator<RecordBatch>;
  /**
   * Opens the file again after all records were read, if the end of the file changes the options or has the merged cells
   * of the sheet; otherwise returns undefined.
   */
  reopen?(): Promise<Source | undefined>;
}

/** The part of a profile with which a file is read again in the same way. */
export interface ReadProfile extends Pick<FileProfile, 'format' | 'read' | 'firstColumn'> {
  columns: readonly Pick<ColumnProfile, 'name'>[];
}

/** The longest time without yielding to the event loop. */
export const SLICE_MS = 8;

/** The maximum number of records of the head of a file: a header is one of these records. */
export const HEAD_RECORDS = 1_000;

/** Joins several values into one cell: a single value keeps its type, several values become one text. */
export const joinValues = (values: ReadonlySet<unknown>): unknown =>
  values.size === 1
    ? [...values][0]
    : [...values].map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)).join('; ');

export const COLUMNS_MAX = 1_000;

const RECORD_NAMES: Partial<Record<FileFormat, string>> = {
  text: 'Line',
  xlsx: 'Row',
  json: 'Element',
  ndjson: 'Line',
  parquet: 'Row',
};

export function requireFewColumns(format: FileFormat, line: number, columns: number): void {
  if (columns <= COLUMNS_MAX) return;
  const [count, most] = [columns.toLocaleString('en'), COLUMNS_MAX.toLocaleString('en')];
  const record = `${RECORD_NAMES[format] ?? 'Concept'} ${line.toLocaleString('en')}`;
  throw new Refusal('INVALID', `${record} has ${count} columns; at most ${most} can be imported.`);
}

const RECORDS_MAX = 2_000_000;

export function requireFewRecords(records: number): void {
  if (records <= RECORDS_MAX) return;
  const most = RECORDS_MAX.toLocaleString('en');
  throw new Refusal('TOO_LARGE', `The file has more than ${most} records: import it in parts.`);
}
