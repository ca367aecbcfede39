/** Reads the records of a staged file with the read options of its profile. */
import type { Pool } from '@rdm/platform';
import { openFhir } from './json/fhir-source.ts';
import { openJson } from './json/json-source.ts';
import { openParquet } from './parquet/parquet-source.ts';
import { openSkos } from './rdf/skos-source.ts';
import type { FileBytes, ReadProfile, RecordBatch } from './source.ts';
import { stagedBytes } from './staged-bytes.ts';
import { textRecords } from './text-source.ts';
import { openWorkbook } from './xlsx/workbook.ts';

/** Yields the records below the header and within the read options. Lets the event loop run regularly. */
export const readRecords = (
  pool: Pool,
  file: { id: string; size: number },
  profile: ReadProfile,
): AsyncGenerator<RecordBatch> => recordsOf(stagedBytes(pool, file), profile);

export async function* recordsOf(file: FileBytes, profile: ReadProfile): AsyncGenerator<RecordBatch> {
  const { headerRow = 0, firstRecord = 1, lastRecord = Number.POSITIVE_INFINITY } = profile.read;
  const first = Math.max(firstRecord, headerRow + 1);
  const width = profile.format === 'text' ? 0 : profile.columns.length;
  for await (const { records, bytes } of allRecords(file, profile)) {
    const lastLine = records.at(-1)?.line ?? 0;
    const isWithin = records[0] !== undefined && records[0].line >= first && lastLine <= lastRecord;
    const within = isWithin ? records : records.filter(({ line }) => line >= first && line <= lastRecord);
    // A row can omit the empty cells at its end.
    for (const { fields } of within) while (fields.length < width) fields.push('');
    yield { records: within, bytes };
    if (lastLine > lastRecord) return;
  }
}

/** All records of a file, a header included. */
async function* allRecords(file: FileBytes, { format, read, columns }: ReadProfile): AsyncGenerator<RecordBatch> {
  switch (format) {
    case 'text':
      yield* textRecords(file, { encoding: read.encoding ?? 'utf-8', delimiter: read.delimiter ?? ',' });
      break;
    case 'xlsx':
      yield* (await openWorkbook(file, read)).records();
      break;
    case 'json':
    case 'ndjson': {
      const source = await openJson(
        file,
        format,
        read,
        columns.map(({ name }) => name),
      );
      yield* source.records();
      break;
    }
    case 'parquet':
      yield* (await openParquet(file, read)).records();
      break;
    case 'fhir':
      yield* (await openFhir(file, read)).records();
      break;
    case 'turtle':
    case 'rdfxml':
      yield* (await openSkos(file, format, read)).records();
      break;
  }
}

/**
 * Returns the original text of the header, for the file of rejected rows; empty without a header. The text has one
 * character for each UTF-8 byte.
 */
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
