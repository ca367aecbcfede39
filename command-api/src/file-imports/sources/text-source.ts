/** Reads a delimited text into records. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { csvScanner } from '@rdm/contracts';
import { type FileBytes, type RecordBatch, SLICE_MS } from './source.ts';
import { transcoderOf } from './text-transcoder.ts';

/** A first line that names the delimiter of its file, as spreadsheet programs write it. */
export const DELIMITER_LINE = /^(?:\xef\xbb\xbf)?"?sep=(.)"?\r?(?:\n|$)/i;

/** All records of a text; the line that names the delimiter is none. */
export async function* textRecords(
  file: FileBytes,
  { encoding, delimiter }: { encoding: string; delimiter: string },
): AsyncGenerator<RecordBatch> {
  const transcode = transcoderOf(encoding);
  const scanner = csvScanner(delimiter);
  let bytes = 0;
  let isFirst = true;
  const scan = (text: string, isLast = false) => {
    const records = scanner.push(text, isLast);
    const [first] = records;
    if (isFirst && first) {
      isFirst = false;
      if (first.line === 1 && DELIMITER_LINE.test(first.raw)) records.shift();
    }
    return { records, bytes };
  };
  let since = performance.now();
  for await (const piece of file.pieces()) {
    bytes += piece.length;
    yield scan(transcode(piece).toString('latin1'));
    if (performance.now() - since < SLICE_MS) continue;
    await yieldToEventLoop();
    since = performance.now();
  }
  yield scan(transcode(Buffer.alloc(0), true).toString('latin1'), true);
}
