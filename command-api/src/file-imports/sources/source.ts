/** What the readers of all file formats share: the bytes of a file, and its records. */
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

/** A record whose fields are UTF-8 with one character per byte. */
export interface SourceRecord extends CsvRecord {
  /** The types of typed cells, by field; left out by formats without types. */
  kinds?: readonly (CellKind | undefined)[];
  /** The number formats of numbers and dates of a sheet, by field; left out if no cell of the record has one. */
  formats?: readonly (string | undefined)[];
}

/** Records, and how many bytes of the file were read for them. */
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

/** A file opened in its format, with the options that apply. */
export interface Source {
  format: FileFormat;
  /** The options, detected or given; the header row only if the format determines it. */
  read: ReadOptions;
  sheets: FileProfile['sheets'];
  questions: Question[];
  notes: string[];
  /** Whether cells are typed; a missing cell at the end of a record of such a file is empty. */
  isTyped: boolean;
  /** The names of the columns found so far, if keys of records name them. */
  keys?: readonly string[];
  /** The names of the columns that identify a record, if the format determines them. */
  key?: readonly string[];
  /** Once the records were read: the column of the sheet that has the first fields, unless it is the first one. */
  firstColumn?: number | undefined;
  /** The digits that the format of a column's numbers shows at least, once the records were read. */
  codeLengths?: ReadonlyMap<number, number>;
  /** The cells of a record as a header, if more than its own cells name the columns. */
  headerCells?(record: SourceRecord): readonly string[];
  /** The names of the columns by a header, if more than its own cells name them. */
  headerNames?(header: SourceRecord): string[];
  /** All records, a header included. */
  records(): AsyncGenerator<RecordBatch>;
  /** After all records were read: the file opened as all of it shows; undefined if it was opened so. */
  revised?(): Promise<Source | undefined>;
}

/** What a file needs to be read as it was profiled. */
export interface ReadProfile extends Pick<FileProfile, 'format' | 'read' | 'firstColumn'> {
  columns: readonly Pick<ColumnProfile, 'name'>[];
}

/** The longest time without yielding to the event loop. */
export const SLICE_MS = 8;

/** The cell of several values: one value keeps its type, more are one text. */
export const joinedValues = (values: ReadonlySet<unknown>): unknown =>
  values.size === 1
    ? [...values][0]
    : [...values].map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)).join('; ');

export const COLUMNS_MAX = 1_000;

const RECORD_NAMES: Partial<Record<FileFormat, string>> = {
  text: 'Line',
  xlsx: 'Row',
  json: 'Element',
  ndjson: 'Line',
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
  throw new Refusal('TOO_LARGE', `The file has more than ${RECORDS_MAX.toLocaleString('en')} records.`);
}
