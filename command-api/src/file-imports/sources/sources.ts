/** Reads staged files of any format into records. */
import type { Pool } from '@rdm/platform';
import type { FileBytes, ReadProfile, RecordBatch } from './source.ts';
import { stagedBytes } from './staged-bytes.ts';
import { textRecords } from './text-source.ts';

/** The records of a staged file below its header, as it was profiled; yields to the event loop regularly. */
export const readRecords = (
  pool: Pool,
  file: { id: string; size: number },
  profile: ReadProfile,
): AsyncGenerator<RecordBatch> => recordsOf(stagedBytes(pool, file), profile);

export async function* recordsOf(file: FileBytes, profile: ReadProfile): AsyncGenerator<RecordBatch> {
  const { headerRow = 0, firstRecord = 1, lastRecord = Number.POSITIVE_INFINITY } = profile.read;
  const first = Math.max(firstRecord, headerRow + 1);
  for await (const { records, bytes } of allRecords(file, profile)) {
    const isAll = records[0] && records[0].line >= first && (records.at(-1)?.line ?? 0) <= lastRecord;
    yield { records: isAll ? records : records.filter(({ line }) => line >= first && line <= lastRecord), bytes };
    if ((records.at(-1)?.line ?? 0) > lastRecord) return;
  }
}

function allRecords(file: FileBytes, { read }: ReadProfile): AsyncGenerator<RecordBatch> {
  return textRecords(file, { encoding: read.encoding ?? 'utf-8', delimiter: read.delimiter ?? ',' });
}

/** The raw text of the record that names the columns, for the files of rejected rows of texts; empty if there is none. */
export async function readHeader(
  pool: Pool,
  file: { id: string; size: number },
  profile: ReadProfile,
): Promise<string> {
  const { headerRow = 0 } = profile.read;
  if (headerRow === 0) return '';
  for await (const { records } of allRecords(stagedBytes(pool, file), profile)) {
    const header = records.find(({ line }) => line === headerRow);
    if (header) return header.raw;
    if ((records.at(-1)?.line ?? 0) > headerRow) return '';
  }
  return '';
}

/** The place of a record or a cell in its file: "line 17", "Data!C17", "element 17". */
export function placeOf(
  { format, read }: Pick<ReadProfile, 'format' | 'read'>,
  record: number,
  column: number | null,
): string {
  if (format === 'text' || format === 'ndjson') return `line ${record}`;
  if (format === 'xlsx')
    return `${read.sheet ?? ''}!${column === null ? `row ${record}` : `${columnLetters(column)}${record}`}`;
  return `element ${record}`;
}

/** The letters of a column of a sheet: A, Z, AA. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnLetters(Math.floor(column / 26) - 1) + letter;
}
