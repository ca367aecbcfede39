/** Reads JSON documents, and texts with one object per line, into records. */
import { type ReadOptions, Refusal } from '@rdm/contracts';
import { decodedPieces } from '../decoded-pieces.ts';
import { evidentEncoding } from '../encoding-detection.ts';
import type { FileBytes, RecordBatch, Source } from '../source.ts';
import { transcoderOf } from '../text-transcoder.ts';
import { CODE_LISTS } from './fhir-source.ts';
import { JsonColumns } from './json-records.ts';
import { JsonSplitter, LineSplitter } from './json-splitter.ts';

const BYTES_MAX = 64 * 1024 * 1024;
/** Matches the beginning of an object or array, up to the beginning of its first member. */
const JSON_BEGINNING = /^\s*(?:\{\s*["}]|\[\s*[[{\]"\d-])/;
const OBJECT_LINE = /^\s*\{.*\}[ \t\r]*$/;

/** Matches the declared type of a FHIR resource. */
const RESOURCE_TYPE = /"resourceType"\s*:\s*"(\w*)"/;

/** The format of a text that begins like JSON; undefined for other texts. */
export function jsonFormat(head: Buffer): 'json' | 'ndjson' | 'fhir' | undefined {
  const text = transcoderOf(evidentEncoding(head) ?? 'utf-8')(head).toString('latin1');
  if (!JSON_BEGINNING.test(text)) return undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isPerLine = OBJECT_LINE.test(lines[0] ?? '') && /^\s*\{/.test(lines[1] ?? '');
  if (isPerLine) return 'ndjson';
  return CODE_LISTS.has(RESOURCE_TYPE.exec(text)?.[1] ?? '') && !/^\s*\[/.test(text) ? 'fhir' : 'json';
}

/** Opens a file of a JSON format. `columns` are the columns of its profile, if the file has a profile. */
export async function openJson(
  file: FileBytes,
  format: 'json' | 'ndjson',
  options: ReadOptions,
  columns: readonly string[] = [],
): Promise<Source> {
  if (format === 'json' && file.size > BYTES_MAX) {
    throw new Refusal('TOO_LARGE', 'A JSON file may have at most 64 MiB: write one object per line to import more.');
  }
  const encoding = options.encoding ?? evidentEncoding(await file.range(0, 1024)) ?? 'utf-8';
  const jsonColumns = new JsonColumns(columns);
  return {
    format,
    read: { ...options, encoding, headerRow: 0 },
    sheets: [],
    questions: [],
    notes: [],
    isTyped: true,
    propertyNames: jsonColumns.keys,
    async *records(): AsyncGenerator<RecordBatch> {
      const splitter = format === 'json' ? new JsonSplitter() : new LineSplitter();
      for await (const { text, bytes, isLast } of decodedPieces(file, encoding)) {
        const elements = [...splitter.push(text), ...((isLast && splitter.end()) || [])];
        yield { records: elements.map((each) => jsonColumns.record(each)), bytes };
      }
    },
  };
}
