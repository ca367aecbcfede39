/** What the readers of all file formats share: the bytes of a file, and its records. */
import type {
  CellKind,
  ColumnProfile,
  CsvRecord,
  FileFormat,
  FileProfile,
  Question,
  ReadOptions,
} from '@rdm/contracts';

/** A record whose fields are UTF-8 with one character per byte. */
export interface SourceRecord extends CsvRecord {
  /** The types of typed cells, by field; left out by formats without types. */
  kinds?: readonly (CellKind | undefined)[];
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
  /** The options, detected or given. The header row is detected from the records. */
  read: ReadOptions;
  sheets: FileProfile['sheets'];
  questions: Question[];
  notes: string[];
  /** The names of all columns once the records were read; undefined if a record names them. */
  names?: () => readonly string[];
  /** All records, a header included. */
  records(): AsyncGenerator<RecordBatch>;
}

/** What a file needs to be read as it was profiled. */
export interface ReadProfile extends Pick<FileProfile, 'format' | 'read'> {
  columns: readonly Pick<ColumnProfile, 'name'>[];
}

/** The longest time without yielding to the event loop. */
export const SLICE_MS = 8;
