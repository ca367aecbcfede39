/** Reads the rows of a Parquet file as records with typed cells; one page of each column is in memory. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isCleanText, RECORD_CHARACTERS_MAX, type ReadOptions, Refusal, TOO_LONG_RECORD } from '@rdm/contracts';
import { type FileMetaData, parquetMetadataAsync, parquetSchema, type RowGroup, type SchemaTree } from 'hyparquet';
import { blockReader } from '../block-reader.ts';
import { uniqueNames } from '../column-names.ts';
import {
  type FileBytes,
  type RecordBatch,
  requireFewColumns,
  requireFewRecords,
  type Source,
  type SourceRecord,
} from '../source.ts';
import { isReadError } from '../staged-bytes.ts';
import { cellTextOf } from './cell-texts.ts';
import { ColumnCells, type FlatColumn } from './column-pages.ts';

const SIGNATURE = 'PAR1';
const ENCRYPTED_SIGNATURE = 'PARE';
const SIGNATURE_BYTES = SIGNATURE.length;
/** The last bytes of the file: the length of the metadata, and the signature. */
const END_BYTES = 8;
const METADATA_BYTES_MAX = 16 * 1024 * 1024;
/** The maximum size of the blocks of all columns together. */
const BLOCKS_BYTES = 16 * 1024 * 1024;
const BLOCK_BYTES = { min: 4 * 1024, max: 256 * 1024 };
const BATCH_RECORDS = 1_000;

/** Whether a file begins like a Parquet file. A text such as "PARENT" begins with a signature, but has no NUL byte. */
export const isParquet = (head: Buffer): boolean =>
  [SIGNATURE, ENCRYPTED_SIGNATURE].includes(head.toString('latin1', 0, SIGNATURE_BYTES)) && head.includes(0);

export async function openParquet(file: FileBytes, options: ReadOptions): Promise<Source> {
  const metadata = await readMetadata(file);
  const rows = Number(metadata.num_rows);
  const { columns, notes } = await refuseDamage(undefined, () => columnsOf(metadata));
  if (columns.length === 0) {
    throw new Refusal(
      'INVALID',
      'The Parquet file has no column that can be imported: write its values as texts, numbers, dates or booleans.',
    );
  }
  if (rows === 0) throw new Refusal('INVALID', 'The Parquet file has columns, but no row.');
  requireFewColumns('parquet', 1, columns.length);
  requireFewRecords(rows);
  return {
    format: 'parquet',
    read: { ...options, headerRow: 0 },
    sheets: [],
    questions: [],
    notes,
    isTyped: true,
    propertyNames: uniqueNames(columns.map(({ name }) => name)),
    async *records(): AsyncGenerator<RecordBatch> {
      let [line, bytes] = [0, 0];
      for (const [index, group] of metadata.row_groups.entries()) {
        for await (const batch of groupRecords(file, group, columns, index + 1, line)) {
          line += batch.records.length;
          bytes += batch.bytes;
          yield { records: batch.records, bytes: Math.min(bytes, file.size) };
        }
      }
    },
  };
}

async function readMetadata(file: FileBytes): Promise<FileMetaData> {
  const end = await file.range(Math.max(file.size - END_BYTES, 0), END_BYTES);
  const signature = end.toString('latin1', SIGNATURE_BYTES);
  if (signature === ENCRYPTED_SIGNATURE) throw encryptedFileRefusal();
  if (signature !== SIGNATURE || end.readUInt32LE(0) > file.size - END_BYTES - SIGNATURE_BYTES) {
    throw new Refusal('INVALID', 'The file is incomplete: upload it again.');
  }
  if (end.readUInt32LE(0) > METADATA_BYTES_MAX) {
    throw new Refusal('TOO_LARGE', 'The Parquet file describes its columns in more than 16 MiB.');
  }
  const length = end.readUInt32LE(0) + END_BYTES;
  const metadata = await file.range(file.size - length, length);
  return refuseDamage(undefined, () =>
    parquetMetadataAsync(
      // hyparquet reads only the metadata, at the end of the file.
      { byteLength: length, slice: (from, to) => new Uint8Array(metadata.subarray(from, to)).buffer },
      { geoparquet: false, initialFetchSize: length, parsers: { jsonFromBytes: (bytes) => bytes } },
    ),
  );
}

/** Returns the columns that can be imported, and a note for each column that cannot. */
function columnsOf(metadata: FileMetaData): { columns: FlatColumn[]; notes: string[] } {
  const columns: FlatColumn[] = [];
  const notes: string[] = [];
  const add = (node: SchemaTree, groups: string, optionalsAbove: number) => {
    const { element, children } = node;
    const name = `${groups}${element.name}`;
    const optionals = optionalsAbove + (element.repetition_type === 'OPTIONAL' ? 1 : 0);
    const isVariant = element.logical_type?.type === 'VARIANT';
    const isList = element.repetition_type === 'REPEATED' || children.some(isRepeated);
    if (isList) notes.push(`The column "${name}" holds lists: it is left out.`);
    else if (children.length > 0 && !isVariant) for (const child of children) add(child, `${name}.`, optionals);
    else {
      const textOf = children.length === 0 ? cellTextOf(element) : undefined;
      if (textOf) columns.push({ name, path: node.path, element, optionals, textOf });
      else notes.push(`The column "${name}" holds binary data: it is left out.`);
    }
  };
  for (const child of parquetSchema(metadata).children) add(child, '', 0);
  return { columns, notes };
}

const pathKey = (path: readonly string[]): string => JSON.stringify(path);

const isRepeated = ({ element }: SchemaTree): boolean => element.repetition_type === 'REPEATED';

/** Yields the records of a row group, with the number of bytes read for each batch. */
async function* groupRecords(
  file: FileBytes,
  group: RowGroup,
  columns: readonly FlatColumn[],
  groupNumber: number,
  linesBefore: number,
): AsyncGenerator<RecordBatch> {
  const blockBytes = Math.max(BLOCK_BYTES.min, Math.min(BLOCK_BYTES.max, Math.floor(BLOCKS_BYTES / columns.length)));
  const chunks = new Map(group.columns.map((chunk) => [pathKey(chunk.meta_data?.path_in_schema ?? []), chunk]));
  if (group.columns.some(({ crypto_metadata }) => crypto_metadata)) throw encryptedFileRefusal();
  const cells = await refuseDamage(groupNumber, () =>
    columns.map((column) => {
      const chunk = chunks.get(pathKey(column.path));
      if (!chunk?.meta_data || chunk.file_path) throw new RangeError('The column is not in this file');
      return new ColumnCells(column, chunk.meta_data, blockReader(file, blockBytes));
    }),
  );
  let line = linesBefore;
  for (let left = Number(group.num_rows); left > 0; ) {
    let bytes = 0;
    for (const column of cells) {
      if (column.left === 0) bytes += await refuseDamage(groupNumber, () => column.openPage());
    }
    const limit = Math.min(left, BATCH_RECORDS, ...cells.map((column) => column.left));
    const records = await refuseDamage(groupNumber, () => nextRecords(cells, limit, line + 1));
    line += records.length;
    left -= records.length;
    yield { records, bytes };
    await yieldToEventLoop();
  }
}

/** Reads at most `limit` records. Stops early once the records together have RECORD_CHARACTERS_MAX characters. */
function nextRecords(columns: readonly ColumnCells[], limit: number, firstLine: number): SourceRecord[] {
  const records: SourceRecord[] = [];
  for (let total = 0; records.length < limit && total < RECORD_CHARACTERS_MAX; ) {
    const cells = columns.map((column) => column.next());
    const characters = cells.reduce((sum, { text }) => sum + text.length, 0);
    const isTooLong = characters > RECORD_CHARACTERS_MAX;
    const fields = isTooLong ? [] : cells.map(({ text }) => text);
    records.push({
      line: firstLine + records.length,
      fields,
      kinds: isTooLong ? [] : cells.map(({ kind }) => kind),
      raw: isTooLong
        ? cells
            .map(({ text }) => text)
            .join(',')
            .slice(0, RECORD_CHARACTERS_MAX + 1)
        : '',
      isClean: fields.every(isCleanText),
      malformed: isTooLong ? TOO_LONG_RECORD : null,
    });
    total += characters;
  }
  return records;
}

const encryptedFileRefusal = (): Refusal =>
  new Refusal('UNSUPPORTED_MEDIA', 'The Parquet file is encrypted: write it without encryption.');

/**
 * Returns refusals and read errors unchanged. Converts any other error to a refusal that names the damaged row group,
 * or the file if `group` is undefined.
 */
function toDamageRefusal(group: number | undefined, error: unknown): unknown {
  if (error instanceof Refusal || isReadError(error)) return error;
  const place = group === undefined ? 'The Parquet file' : `Row group ${group} of the Parquet file`;
  return new Refusal('INVALID', `${place} is damaged: write it again.`);
}

/** Runs the work, and converts its errors with `toDamageRefusal`. */
async function refuseDamage<T>(group: number | undefined, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toDamageRefusal(group, error);
  }
}
