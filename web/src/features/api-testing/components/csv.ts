/** Reads CSV data: the file, its header row, and its rows. */
import papa from 'papaparse';
import { formatNumber } from '../../../lib/number-format.ts';
import type { CsvData } from '../api/state.ts';

export const ROWS_MAX = 100_000;
const FILE_MIB_MAX = 64;
/** The header row, the first row below and the delimiter are read from this many characters of a text. */
const HEAD_CHARACTERS = 65_536;

type Problem = { problem: string };

export async function readCsvFile(file: File): Promise<CsvData | Problem> {
  if (file.size > FILE_MIB_MAX * 1_048_576) {
    return { problem: `${file.name} is larger than ${FILE_MIB_MAX} MiB. Split it and run the parts.` };
  }
  const bytes = await file.arrayBuffer();
  try {
    return { name: file.name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { problem: `${file.name} is not UTF-8 text. Save it as CSV in UTF-8 and choose it again.` };
  }
}

/** The names of the columns. A column without a name is named after its position, such as “Column 3”. */
export const headersOf = (text: string): string[] =>
  (head(text).data[0] ?? []).map((name, index) => (name.trim() === '' ? `Column ${index + 1}` : name));

/** The first row below the header row; undefined if there is none. */
export const firstRowOf = (text: string): string[] | undefined => head(text).data[1];

const head = (text: string) =>
  papa.parse<string[]>(text.slice(0, HEAD_CHARACTERS), { preview: 2, skipEmptyLines: true });

type ReadRows = { rows: string[][] } | Problem;

/** The worker sends this many rows at a time, because receiving all rows at once would block the page. */
const SLICE_ROWS = 5_000;
export type Slice = ReadRows & { isLast: boolean };

/** Reads the rows below the header row. A large text takes a second, so pages use `parseRows`. */
export function readRows(text: string): ReadRows {
  const { delimiter } = head(text).meta;
  const { data, errors } = papa.parse<string[]>(text, { delimiter, skipEmptyLines: true, preview: ROWS_MAX + 2 });
  const quotes = errors.find(({ type }) => type === 'Quotes');
  if (quotes !== undefined) {
    const place = quotes.row === undefined || quotes.row === 0 ? 'the header row' : `row ${formatNumber(quotes.row)}`;
    return {
      problem: `A quotation mark in ${place} is not closed. Close it, or write it twice within a quoted value.`,
    };
  }
  const rows = data.slice(1);
  if (rows.length === 0) return { problem: 'The CSV has no rows below its header row. Add at least one row.' };
  if (rows.length > ROWS_MAX) {
    return { problem: `The CSV has more than ${formatNumber(ROWS_MAX)} rows. Split it and run the parts.` };
  }
  return { rows };
}

/** Reads the rows in slices, which the worker sends. */
export function* slicesOf(text: string): Generator<Slice> {
  const read = readRows(text);
  if ('problem' in read) yield { ...read, isLast: true };
  else {
    for (let from = 0; from < read.rows.length; from += SLICE_ROWS) {
      const rows = read.rows.slice(from, from + SLICE_ROWS);
      yield { rows, isLast: from + SLICE_ROWS >= read.rows.length };
    }
  }
}

/** Parses the rows in a worker, so that the page stays responsive. */
export function parseRows(text: string): Promise<ReadRows> {
  const worker = new Worker(new URL('./csv.worker.ts', import.meta.url), { type: 'module' });
  const slices: string[][][] = [];
  return new Promise<ReadRows>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Slice>) => {
      if ('problem' in data) resolve(data);
      else {
        slices.push(data.rows);
        if (data.isLast) resolve({ rows: slices.flat() });
      }
    };
    worker.onerror = ({ message }) => reject(new Error(`The CSV could not be parsed: ${message}`));
    worker.postMessage(text);
  }).finally(() => worker.terminate());
}
