/** Detects the delimiter of a text from its beginning. */
import { type CsvRecord, csvScanner, datePartsOf, numberNotation, type Question } from '@rdm/contracts';
import { showBytes } from '../text-encoding.ts';

/** In the order of preference. The comma follows the semicolon and the tab, because decimals may contain a comma. */
const DELIMITERS = [';', '\t', ',', '|', ':'] as const;
const NAMES: Record<string, string> = { ';': 'Semicolon', '\t': 'Tab', ',': 'Comma', '|': 'Bar', ':': 'Colon' };
/** The user chooses between the two best delimiters if the scores are not equal and differ by at most this. */
const SCORE_DIFFERENCE_MAX = 0.02;
/** A score below this comes from punctuation in a file of one column. */
const SCORE_MIN = 0.4;
/** Matches letters, digits and some punctuation, but no delimiters; bytes of UTF-8 that are not ASCII are letters. */
const WORD = /^[\w\x80-\xff][\w\x80-\xff .\-/&()+'#%]*$/;
const CELLS_SHOWN = 5;

export interface DetectedDelimiter {
  delimiter: string;
  question?: Question;
}

interface Score {
  delimiter: string;
  score: number;
  isInFirstRecord: boolean;
  firstRecords: CsvRecord[];
}

/** Detects the delimiter from the beginning of a text: a string of UTF-8 bytes with one character for each byte. */
export function detectDelimiter(head: string, isWhole: boolean): DetectedDelimiter {
  const scores = DELIMITERS.map((delimiter) => scoreOf(delimiter, head, isWhole)).sort(
    (one, other) => other.score - one.score || Number(other.isInFirstRecord) - Number(one.isInFirstRecord),
  );
  const [best, second] = scores as [Score, Score, ...Score[]];
  if (best.score < SCORE_MIN) {
    // The file has one column: choose a delimiter that does not split it.
    return { delimiter: DELIMITERS.find((delimiter) => !head.includes(delimiter)) ?? best.delimiter };
  }
  const isClose = second.score < best.score && second.score >= best.score - SCORE_DIFFERENCE_MAX;
  if (!isClose) return { delimiter: best.delimiter };
  const options = [best, second].map(({ delimiter, firstRecords }) => ({
    value: delimiter,
    label: NAMES[delimiter] ?? delimiter,
    examples:
      (firstRecords[1] ?? firstRecords[0])?.fields.slice(0, CELLS_SHOWN).map((cell) => showBytes(cell).slice(0, 60)) ??
      [],
  }));
  return {
    delimiter: best.delimiter,
    question: {
      id: 'delimiter',
      kind: 'delimiter',
      column: null,
      text: 'Which character separates the cells?',
      options,
      answer: null,
    },
  };
}

/**
 * The score is the share of records with the most frequent number of cells, times the share of cells that are numbers,
 * dates, words or empty. The score is 0 if the most frequent number of cells is less than two.
 */
function scoreOf(delimiter: string, head: string, isWhole: boolean): Score {
  const firstRecords: CsvRecord[] = [];
  const widths = new Map<number, number>();
  let [recordCount, cellCount, knownShapeCount] = [0, 0, 0];
  for (const { fields, ...record } of recordsOf(delimiter, head, isWhole)) {
    recordCount += 1;
    if (firstRecords.length < 2) firstRecords.push({ fields, ...record });
    widths.set(fields.length, (widths.get(fields.length) ?? 0) + 1);
    cellCount += fields.length;
    for (const field of fields) if (isKnownShape(field)) knownShapeCount += 1;
  }
  const [width, count] = [...widths].sort(([, one], [, other]) => other - one)[0] ?? [0, 0];
  const isInFirstRecord = (firstRecords[0]?.fields.length ?? 0) > 1;
  const score = width < 2 ? 0 : (count / recordCount) * (knownShapeCount / cellCount);
  return { delimiter, score, isInFirstRecord, firstRecords };
}

/** The number of characters that are split into records at a time. All records of these characters are in memory. */
const SLICE_CHARACTERS = 64 * 1024;

/** Yields the records of a head. Leaves out a last record that may be cut off, but never the only record. */
function* recordsOf(delimiter: string, head: string, isWhole: boolean): Generator<CsvRecord> {
  const scanner = csvScanner(delimiter);
  let last: CsvRecord | undefined;
  let isOnly = true;
  for (let at = 0; at < head.length; at += SLICE_CHARACTERS) {
    const end = at + SLICE_CHARACTERS;
    for (const record of scanner.push(head.slice(at, end), end >= head.length)) {
      if (last) {
        isOnly = false;
        yield last;
      }
      last = record;
    }
  }
  if (last && (isWhole || isOnly)) yield last;
}

function isKnownShape(field: string): boolean {
  if (WORD.test(field)) return true;
  const trimmed = field.trim();
  return (
    trimmed === '' || numberNotation(trimmed) !== undefined || datePartsOf(trimmed) !== undefined || WORD.test(trimmed)
  );
}
