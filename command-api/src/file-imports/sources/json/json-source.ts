/** Reads JSON documents, and texts with an object per line, into records. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type ReadOptions, Refusal } from '@rdm/contracts';
import { wideEncoding } from '../encoding-detection.ts';
import { type FileBytes, type RecordBatch, SLICE_MS, type Source } from '../source.ts';
import { transcoderOf } from '../text-transcoder.ts';
import { JsonColumns } from './json-records.ts';
import { JsonSplitter, LineSplitter } from './json-splitter.ts';

const BYTES_MAX = 64 * 1024 * 1024;
/** An object or array, and the beginning of its first member. */
const JSON_BEGINNING = /^\s*(?:\{\s*["}]|\[\s*[[{\]"\d-])/;
const OBJECT_LINE = /^\s*\{.*\}[ \t\r]*$/;

/** The format of a text that begins like JSON; undefined for other texts. */
export function jsonFormat(head: Buffer): 'json' | 'ndjson' | undefined {
  const text = transcoderOf(wideEncoding(head) ?? 'utf-8')(head).toString('latin1');
  if (!JSON_BEGINNING.test(text)) return undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isPerLine = OBJECT_LINE.test(lines[0] ?? '') && /^\s*\{/.test(lines[1] ?? '');
  return isPerLine ? 'ndjson' : 'json';
}

/** Opens a file of a JSON format; `columns` are known once it was profiled. */
export async function openJson(
  file: FileBytes,
  format: 'json' | 'ndjson',
  options: ReadOptions,
  columns: readonly string[] = [],
): Promise<Source> {
  if (format === 'json' && file.size > BYTES_MAX) {
    throw new Refusal('TOO_LARGE', 'A JSON file may have at most 64 MiB: write one object per line to import more.');
  }
  const encoding = options.encoding ?? wideEncoding(await file.range(0, 1024)) ?? 'utf-8';
  const found = new JsonColumns(columns);
  return {
    format,
    read: { ...options, encoding, headerRow: 0 },
    sheets: [],
    questions: [],
    notes: [],
    isTyped: true,
    keys: found.keys,
    async *records(): AsyncGenerator<RecordBatch> {
      const splitter = format === 'json' ? new JsonSplitter() : new LineSplitter();
      const transcode = transcoderOf(encoding);
      let bytes = 0;
      let since = performance.now();
      for await (const piece of file.pieces()) {
        bytes += piece.length;
        yield { records: splitter.push(transcode(piece).toString('latin1')).map((each) => found.record(each)), bytes };
        if (performance.now() - since < SLICE_MS) continue;
        await yieldToEventLoop();
        since = performance.now();
      }
      const rest = splitter.push(transcode(Buffer.alloc(0), true).toString('latin1'));
      const records = [...rest, ...(splitter.end() ?? [])].map((each) => found.record(each));
      yield { records, bytes };
    },
  };
}
