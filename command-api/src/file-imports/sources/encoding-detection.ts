/** Detects the encoding of a text file from its bytes. */
import { isAscii } from 'node:buffer';
import type { Question } from '@rdm/contracts';
import chardet from 'chardet';
import { byteOrderMark, LineCounter } from '../text-encoding.ts';
import { isKnownEncoding, transcoderOf } from './text-transcoder.ts';

const NUL_CHECK_BYTES = 64 * 1024;
/** The minimum share of NULs among the even or odd bytes of UTF-16. */
const NUL_SHARE_MIN = 0.3;
/** Encodings other than UTF-8 are detected in a sample of about this size, taken from lines with non-ASCII bytes. */
const SAMPLE_BYTES = 64 * 1024;
const NON_ASCII_LETTERS_MAX = 0.5;
const NON_ASCII_RUNS_MAX = 0.02;
const INNER_LETTERS_MIN = 0.9;
const CONFIDENCE_MIN = 60;
/** Encodings whose bytes are so characteristic that no question is needed. */
const ASIAN = /^(?:shift_jis|euc-|big5|gb|iso-2022)/i;
const EXAMPLES_MAX = 3;
const LIKELY_MAX = 4;
/** Frequent encodings that the statistics of a short file cannot distinguish. */
const FREQUENT = ['windows-1251', 'windows-1250', 'windows-1252'];

export interface DetectedEncoding {
  encoding: string;
  question?: Question;
}

/** The encoding that a byte order mark or the NULs of UTF-16 show; undefined if the file has neither. */
export function evidentEncoding(head: Buffer): string | undefined {
  const mark = byteOrderMark(head);
  if (mark) return mark.encoding;
  const checked = head.subarray(0, Math.min(head.length, NUL_CHECK_BYTES) & ~1);
  const nuls: [even: number, odd: number] = [0, 0];
  for (const [at, byte] of checked.entries()) if (byte === 0) nuls[at & 1 ? 1 : 0] += 1;
  const least = Math.max(1, (NUL_SHARE_MIN * checked.length) / 2);
  if (nuls[1] >= least && nuls[1] > nuls[0]) return 'utf-16le';
  return nuls[0] >= least ? 'utf-16be' : undefined;
}

/** Detects the encoding of a text without an evident encoding from its pushed bytes. */
export class EncodingDetector {
  readonly #lines = new LineCounter();
  readonly #sample: Buffer[] = [];
  #sampled = 0;

  push(piece: Buffer): void {
    this.#lines.push(piece);
    if (this.#sampled >= SAMPLE_BYTES || isAscii(piece)) return;
    for (let from = 0; from < piece.length && this.#sampled < SAMPLE_BYTES; ) {
      const newline = piece.indexOf(10, from);
      const until = newline < 0 ? piece.length : newline + 1;
      const line = piece.subarray(from, Math.min(until, from + SAMPLE_BYTES));
      if (!isAscii(line)) {
        this.#sample.push(Buffer.from(line));
        this.#sampled += line.length;
      }
      from = until;
    }
  }

  end(): DetectedEncoding {
    this.#lines.end();
    if (this.#lines.encoding() === 'utf-8') return { encoding: 'utf-8' };
    const sample = Buffer.concat(this.#sample);
    if (isWindows1252(sample)) return { encoding: 'windows-1252' };
    const matches = chardet.analyse(sample).filter(({ name }) => isKnownEncoding(name));
    const [best] = matches;
    if (best && best.confidence >= CONFIDENCE_MIN && ASIAN.test(best.name))
      return { encoding: best.name.toLowerCase() };
    const likely = matches
      .map(({ name }) => name.toLowerCase())
      .filter((name) => !/^(?:ascii|utf-8|iso-8859-1|windows-1252)$/.test(name));
    const candidates = [...new Set([...likely.slice(0, LIKELY_MAX), ...FREQUENT])];
    return { encoding: candidates[0] as string, question: encodingQuestion(sample, candidates) };
  }
}

/**
 * Whether a sample is plausible as Windows-1252. In languages with this encoding, at most half of the letters are not
 * ASCII, words rarely have three non-ASCII letters in a row, and non-ASCII characters inside words are nearly always
 * letters or apostrophes.
 */
function isWindows1252(sample: Buffer): boolean {
  const text = transcoderOf('windows-1252')(sample, true).toString('utf8');
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const nonAsciiLetters = text.match(/[^\p{ASCII}\P{L}]/gu)?.length ?? 0;
  const nonAsciiRuns = text.match(/[^\p{ASCII}\P{L}]{3,}/gu)?.length ?? 0;
  const inner = text.match(/(?<=[\p{L}\x80-\uffff])[^\p{ASCII}\xa0](?=[\p{L}\x80-\uffff])/gu) ?? [];
  const innerLetters = inner.filter((character) => /[\p{L}\u2019]/u.test(character)).length;
  return (
    nonAsciiLetters <= NON_ASCII_LETTERS_MAX * letters &&
    nonAsciiRuns <= NON_ASCII_RUNS_MAX * nonAsciiLetters &&
    innerLetters >= INNER_LETTERS_MIN * inner.length
  );
}

function encodingQuestion(sample: Buffer, candidates: readonly string[]): Question {
  const examplesIn = (encoding: string) =>
    transcoderOf(encoding)(sample, true)
      .toString('utf8')
      .split(/[\r\n;,\t|"]+/)
      .filter((value) => /\P{ASCII}/u.test(value))
      .slice(0, EXAMPLES_MAX)
      .map((value) => value.trim().slice(0, 60));
  return {
    id: 'encoding',
    kind: 'encoding',
    column: null,
    text: 'Which encoding displays these texts correctly?',
    options: candidates.map((encoding) => ({ value: encoding, label: encoding, examples: examplesIn(encoding) })),
    answer: null,
  };
}
