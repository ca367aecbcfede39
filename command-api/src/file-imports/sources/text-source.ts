/** Reads a delimited text into records. */
import { csvScanner, type Question, type ReadOptions, Refusal, rejectedRowsLayout } from '@rdm/contracts';
import { decodedPieces } from './decoded-pieces.ts';
import { detectDelimiter } from './delimiter-detection.ts';
import { EncodingDetector, evidentEncoding } from './encoding-detection.ts';
import type { FileBytes, RecordBatch, Source } from './source.ts';
import { isKnownEncoding, transcoderOf } from './text-transcoder.ts';

/** Matches a first line that names the delimiter of the file, as some spreadsheet programs write it. */
const DELIMITER_LINE = /^"?sep=(.)"?\r?(?:\n|$)/i;
/** The encoding and the delimiter are detected in this many bytes at the beginning of the file. */
const HEAD_BYTES = 1024 * 1024;
/** The number of bytes that are checked for control characters. A file with a NUL among these bytes is not text. */
const BINARY_CHECKED = 1_000;
/** A file with at least this number and this share of control characters is not text. */
const CONTROLS_MIN = 10;
const CONTROLS_SHARE = 0.05;
/** Tab, line ends, and the escape of Japanese encodings. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);
const isControl = (byte: number): boolean => byte < 0x20 && !TEXT_CONTROLS.has(byte);

/** Opens a text; detects its encoding and delimiter. */
export async function openText(file: FileBytes, options: ReadOptions): Promise<Source> {
  const head = await file.range(0, HEAD_BYTES);
  const evident = evidentEncoding(head);
  if (!evident && !options.encoding) requireText(head);
  if (options.encoding && !isKnownEncoding(options.encoding)) {
    throw new Refusal('INVALID', `The encoding "${options.encoding}" is not known: choose another one.`);
  }
  const fixedEncoding = options.encoding ?? evident;
  if (fixedEncoding) return textSource(file, head, options, fixedEncoding, []);
  const detector = new EncodingDetector();
  detector.push(head);
  const { encoding, question } = detector.end();
  return textSource(file, head, options, encoding, question ? [question] : [], encoding);
}

function requireText(head: Buffer): void {
  const nul = head.subarray(0, BINARY_CHECKED).indexOf(0);
  if (nul >= 0) throw new Refusal('UNSUPPORTED_MEDIA', `This is not a table: byte ${nul + 1} is NUL.`);
  const checked = head.subarray(0, BINARY_CHECKED);
  const controls = checked.reduce((sum, byte) => sum + Number(isControl(byte)), 0);
  if (controls < CONTROLS_MIN || controls < checked.length * CONTROLS_SHARE) return;
  const first = checked.findIndex(isControl) + 1;
  throw new Refusal('UNSUPPORTED_MEDIA', `This is not a table: it has control characters, the first at byte ${first}.`);
}

/** `guessed` is the encoding that was detected in the head; `reopen` checks it against the whole file. */
function textSource(
  file: FileBytes,
  head: Buffer,
  options: ReadOptions,
  encoding: string,
  questions: readonly Question[],
  guessed?: string,
): Source {
  const isWhole = head.length === file.size;
  const text = transcoderOf(encoding)(head, isWhole).toString('latin1');
  const delimiterLine = DELIMITER_LINE.exec(text);
  const rejectedRows = rejectedRowsLayout(text);
  const fixedDelimiter = options.delimiter ?? delimiterLine?.[1] ?? rejectedRows?.delimiter;
  const { delimiter, question } = fixedDelimiter
    ? { delimiter: fixedDelimiter }
    : detectDelimiter(delimiterLine ? text.slice(delimiterLine[0].length) : text, isWhole);
  // If a file of rejected rows does not name its columns, it has no header.
  const headerRow = options.headerRow ?? (rejectedRows && !rejectedRows.hasHeader ? 0 : undefined);
  const detector = new EncodingDetector();
  let isReadToEnd = false;
  return {
    format: 'text',
    read: { ...options, encoding, delimiter, ...(headerRow === undefined ? {} : { headerRow }) },
    sheets: [],
    questions: [...questions, ...(question ? [question] : [])],
    notes: [],
    isTyped: false,
    async *records() {
      async function* observedPieces() {
        for await (const piece of file.pieces()) {
          if (guessed && !isWhole) detector.push(piece);
          yield piece;
        }
        isReadToEnd = true;
      }
      yield* textRecords({ ...file, pieces: observedPieces }, { encoding, delimiter });
    },
    async reopen() {
      if (!guessed || isWhole || !isReadToEnd) return undefined;
      const whole = detector.end();
      if (whole.encoding === guessed) return undefined;
      return textSource(file, head, options, whole.encoding, whole.question ? [whole.question] : []);
    },
  };
}

/** Yields the records of a text, without the line that names the delimiter. */
export async function* textRecords(
  file: FileBytes,
  { encoding, delimiter }: { encoding: string; delimiter: string },
): AsyncGenerator<RecordBatch> {
  const scanner = csvScanner(delimiter);
  let isFirst = true;
  for await (const { text, bytes, isLast } of decodedPieces(file, encoding)) {
    const records = scanner.push(text, isLast);
    const [first] = records;
    if (isFirst && first) {
      isFirst = false;
      if (first.line === 1 && DELIMITER_LINE.test(first.raw)) records.shift();
    }
    yield { records, bytes };
  }
}
