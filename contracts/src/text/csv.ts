/**
 * Parses CSV into records with their line numbers, and marks formulas for spreadsheets. A malformed record is returned
 * with its error.
 */

/** Characters that begin a formula, their full-width forms included. */
const FORMULA = '=+\\-@\uff1d\uff0b\uff0d\uff20';
/**
 * Matches positions where a spreadsheet may read a formula: at the beginning of a text, and after a semicolon, a tab or
 * a line ending. Ignores apostrophes before the formula. `mark` is the apostrophe of marked formulas, otherwise empty.
 */
const formulaPositions = (mark: string) =>
  new RegExp(`^${mark}(?='*[${FORMULA}\\t\\r\\n\\u00a0])|(?<=[;\\t\\r\\n])${mark}(?='*[${FORMULA}])`, 'g');
const UNMARKED = formulaPositions('');
const MARKED = formulaPositions("'");
/** A quick check before the search for formulas, because most texts have none. */
const MAY_HAVE_FORMULA = new RegExp(`^['${FORMULA}\\u00a0]|[;\\t\\r\\n]`);
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/**
 * Puts an apostrophe before each possible formula, unless the text is a plain number. A formula with an apostrophe gets
 * one more, so that `withoutApostrophe` restores the text.
 */
export const neutralised = (text: string): string =>
  MAY_HAVE_FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? text.replace(UNMARKED, "'") : text;

/** Removes the apostrophes that `neutralised` adds. */
export const withoutApostrophe = (cell: string): string => (cell.includes("'") ? cell.replace(MARKED, '') : cell);

/** Why the structure of a record is wrong, and how to correct it. */
export interface Malformation {
  /** Completes "In this row …". */
  rule: string;
  fix: string;
}

export interface CsvRecord {
  /** The line of the file on which the record begins; the first line is 1. */
  line: number;
  fields: string[];
  /** The original text of the record without its line ending. For a record that is too long, only its beginning. */
  raw: string;
  /** Whether the record is ASCII without NUL, so that its bytes need no check; false if that was not examined. */
  isClean: boolean;
  malformed: Malformation | null;
}

export interface CsvScanner {
  /** Takes a piece of the text and returns the records that are now complete. `last` marks the last piece. */
  push(text: string, last?: boolean): CsvRecord[];
  /** Number of columns that a file of rejected rows without a header declares; 0 for other files. */
  width(): number;
}

/** Maximum length of a record. A longer record is malformed. */
export const RECORD_CHARACTERS_MAX = 1024 * 1024;

const NOT_CLEAN = /[^\p{ASCII}]|\0/u;
/** Whether a text needs no decoding or check: it has only ASCII characters, and no NUL. */
export const isCleanText = (text: string): boolean => !NOT_CLEAN.test(text);

const DOUBLE_QUOTES = 'Enclose the field in quotation marks and double each one within it';
const NEVER_CLOSED: Malformation = { rule: 'a quotation mark is opened and never closed', fix: DOUBLE_QUOTES };
const CLOSED_EARLY: Malformation = {
  rule: 'a quotation mark is closed before the end of its field',
  fix: DOUBLE_QUOTES,
};
export const TOO_LONG_RECORD: Malformation = {
  rule: `there are more than ${RECORD_CHARACTERS_MAX.toLocaleString('en')} characters`,
  fix: 'Shorten it, or split it into several rows',
};

/** If a record is too long, this many of its characters become its only field. */
const TOO_LONG_SHOWN = 200;

const tooLong = (line: number, text: string): CsvRecord => ({
  line,
  fields: [text.slice(0, TOO_LONG_SHOWN)],
  raw: text.slice(0, RECORD_CHARACTERS_MAX + 1),
  isClean: false,
  malformed: TOO_LONG_RECORD,
});

/**
 * Scans RFC 4180 with any delimiter and line ending. Skips empty lines and the reason column of files of rejected rows.
 * A quote inside an unquoted field is an ordinary character.
 */
export function csvScanner(delimiter: string): CsvScanner {
  const scanner = recordScanner(delimiter);
  let hasReasons: boolean | undefined;
  let width = 0;
  return {
    push(text, last) {
      const records = scanner.push(text, last);
      const [first] = records;
      if (hasReasons === undefined && first) {
        hasReasons = first.fields[0]?.replace(/^\uFEFF/, '') === REASON_COLUMN;
        // If the file has no header, the first record contains only the name of the column of reasons.
        if (hasReasons && first.fields.slice(1).every((name) => name === '')) {
          width = first.fields.length - 1;
          records.shift();
        }
      }
      return hasReasons ? records.map((record) => withoutReason(record, delimiter)) : records;
    },
    width: () => width,
  };
}

/** Stores the state of an incomplete record between pieces of the text, so that each character is scanned once. */
function recordScanner(delimiter: string): Pick<CsvScanner, 'push'> {
  /** Text from the beginning of the first incomplete record. */
  let text = '';
  let line = 1;
  let newline: string | undefined;
  /** The incomplete record, if it has quotes. */
  let open: OpenRecord | undefined;
  /** Where to continue the search for the end of the line. */
  let searchFrom = 0;
  /** Whether the scanner skips the rest of a record that is too long. */
  let isSkipping = false;

  return {
    push(chunk, last = false) {
      text += chunk;
      newline ??= endingOf(text, last);
      if (newline === undefined) return [];
      const records: CsvRecord[] = [];
      let at = 0;
      let quote = text.indexOf('"');
      const next = (end: number, lines: number) => {
        at = searchFrom = end + 1;
        line += lines;
        open = undefined;
      };
      while (at < text.length) {
        const newlineAt = text.indexOf(newline, Math.max(at, searchFrom));
        const end = newlineAt >= 0 ? newlineAt : last ? text.length : undefined;
        if (isSkipping) {
          isSkipping = end === undefined;
          if (end === undefined) at = text.length;
          else next(end, 1);
          continue;
        }
        if (quote >= 0 && quote < at) quote = text.indexOf('"', at);
        if (!open && (quote < 0 || (end !== undefined && quote > end))) {
          if (end === undefined) {
            if (text.length - at <= RECORD_CHARACTERS_MAX) break;
            records.push(tooLong(line, text.slice(at)));
            isSkipping = true;
            continue;
          }
          const raw = text.slice(at, text.charCodeAt(end - 1) === 13 && end > at ? end - 1 : end);
          if (raw.length > RECORD_CHARACTERS_MAX) records.push(tooLong(line, raw));
          else if (raw !== '') {
            records.push({ line, fields: raw.split(delimiter), raw, isClean: !NOT_CLEAN.test(raw), malformed: null });
          }
          next(end, 1);
          continue;
        }
        open ??= { fields: [], malformed: null, lines: 1, field: 0, scan: 0, closed: undefined };
        const state = readQuoted(text, at, open, { delimiter, newline, last });
        const isTooLong = text.length - at > RECORD_CHARACTERS_MAX;
        if (state === 'unfinished' && !last && !isTooLong) break;
        if (typeof state === 'object') {
          const raw = withoutReturn(text.slice(at, state.end));
          if (raw.length > RECORD_CHARACTERS_MAX) records.push(tooLong(line, raw));
          else records.push({ line, fields: open.fields, raw, isClean: false, malformed: open.malformed });
          next(state.end, open.lines);
          continue;
        }
        // If a quote is never closed, the record ends with the line of the quote. The next line begins a new record.
        const inQuotes = state === 'broken' || (text[at + open.field] === '"' && open.closed === undefined);
        const lineEnd = text.indexOf(newline, at + open.field);
        const until = lineEnd >= 0 ? lineEnd : last ? text.length : undefined;
        if (!inQuotes || until === undefined || until - at > RECORD_CHARACTERS_MAX) {
          records.push(tooLong(line, text.slice(at, until)));
          isSkipping = until === undefined || !inQuotes;
          if (isSkipping) {
            line += open.lines - 1;
            at = searchFrom = at + open.scan;
            open = undefined;
          } else if (until !== undefined) next(until, open.lines);
          continue;
        }
        const lastFields = withoutReturn(text.slice(at + open.field, until)).split(delimiter);
        const raw = withoutReturn(text.slice(at, until));
        records.push({ line, fields: [...open.fields, ...lastFields], raw, isClean: false, malformed: NEVER_CLOSED });
        next(until, open.lines);
      }
      text = text.slice(at);
      searchFrom = Math.max(0, open ? searchFrom - at : text.length);
      return records;
    },
  };
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

/** The name of the first column in a file of rejected rows. Every import ignores this column. */
export const REASON_COLUMN = 'rdm:reason';

/** Matches the beginning of a file of rejected rows. */
const REASONS_FIRST = new RegExp(`^\uFEFF?"?${REASON_COLUMN}"?([,;\t|])([^\r\n]*)`);

/**
 * Returns the delimiter of a file of rejected rows, whether the file has a header, and the number of columns without
 * the column of reasons. Returns undefined for other files.
 */
export function rejectedRowsLayout(text: string): { delimiter: string; hasHeader: boolean; width: number } | undefined {
  const [, delimiter, names = ''] = REASONS_FIRST.exec(text.slice(0, HEAD_CHARACTERS)) ?? [];
  if (delimiter === undefined) return undefined;
  return { delimiter, hasHeader: names.replaceAll(delimiter, '') !== '', width: names.split(delimiter).length };
}

function withoutReason({ fields, raw, ...record }: CsvRecord, delimiter: string): CsvRecord {
  const [cell] = cellsOf(raw, delimiter);
  return { ...record, fields: fields.slice(1), raw: raw.slice((cell?.end ?? raw.length) + 1) };
}

interface RawCell {
  start: number;
  /** Position of the closing quote of a quoted cell; the end of the record if the quote is never closed. */
  close: number | undefined;
  end: number;
}

/** The cells of a record, unparsed. */
function* cellsOf(raw: string, delimiter: string): Generator<RawCell> {
  for (let start = 0; start <= raw.length; ) {
    const isQuoted = raw[start] === '"';
    let close: number | undefined;
    if (isQuoted) {
      close = start + 1;
      while (close < raw.length && (raw[close] !== '"' || raw[close + 1] === '"')) close += raw[close] === '"' ? 2 : 1;
    }
    const delimiterAt = raw.indexOf(delimiter, close ?? start);
    const end = delimiterAt < 0 ? raw.length : delimiterAt;
    yield { start, close, end };
    start = end + 1;
  }
}

/** Returns the record with one apostrophe before each possible formula of a cell. */
export function neutralisedRecord(raw: string, delimiter: string): string {
  const mark = (text: string) => neutralised(withoutApostrophe(text));
  return [...cellsOf(raw, delimiter)]
    .map(({ start, close, end }) => {
      if (close === undefined) return mark(raw.slice(start, end));
      const within = raw.slice(start + 1, close);
      const text = within.replaceAll('""', '"');
      const marked = mark(text);
      return `"${marked === text ? within : marked.replaceAll('"', '""')}${raw.slice(close, end)}`;
    })
    .join(delimiter);
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The number of characters from which the delimiter is detected; the last line is read to its end. */
const HEAD_CHARACTERS = 2_000;

/**
 * Returns the delimiter that splits the first record into the largest number of fields; for a file of rejected rows,
 * the delimiter after its column of reasons.
 */
function delimiterOf(text: string): string {
  const rejectedRows = rejectedRowsLayout(text);
  if (rejectedRows) return rejectedRows.delimiter;
  const end = text.indexOf('\n', HEAD_CHARACTERS);
  const head = text.slice(0, end < 0 || end > RECORD_CHARACTERS_MAX ? RECORD_CHARACTERS_MAX : end);
  const width = (delimiter: string) => csvScanner(delimiter).push(head, true)[0]?.fields.length ?? 0;
  return DELIMITERS.reduce((best, each) => (width(each) > width(best) ? each : best));
}

export interface DetectingCsvScanner extends CsvScanner {
  /** The detected delimiter. It is valid after `push` has returned a record. */
  delimiter(): string;
}

/** Detects the delimiter from the first record. */
export function detectingCsvScanner(): DetectingCsvScanner {
  let beginning = '';
  let delimiter = ',';
  let scanner: CsvScanner | undefined;
  return {
    push(text, last = false) {
      if (scanner) return scanner.push(text, last);
      const searched = beginning.length;
      beginning += text;
      const hasWholeHead = beginning.indexOf('\n', Math.max(HEAD_CHARACTERS, searched)) >= 0;
      if (!last && !hasWholeHead && beginning.length <= RECORD_CHARACTERS_MAX) return [];
      delimiter = delimiterOf(beginning);
      scanner = csvScanner(delimiter);
      const records = scanner.push(beginning, last);
      beginning = '';
      return records;
    },
    width: () => scanner?.width() ?? 0,
    delimiter: () => delimiter,
  };
}

/** Returns the last character of line endings: `\r` in old Macintosh files, else `\n`; undefined until known. */
function endingOf(text: string, last: boolean): string | undefined {
  if (text.includes('\n')) return '\n';
  if (!last && text.length <= RECORD_CHARACTERS_MAX) return undefined;
  return text.includes('\r') ? '\r' : '\n';
}

/** The state of a record with quotes. Positions are relative to the beginning of the record. */
interface OpenRecord {
  fields: string[];
  malformed: Malformation | null;
  /** The number of lines of the record so far. */
  lines: number;
  /** Where the current field begins. */
  field: number;
  /** Where to continue scanning the record. */
  scan: number;
  /** Where the quotes of the current field were closed. */
  closed: number | undefined;
}

/** Continues to scan a record with quotes, to its end or the end of the text; `broken` if a quote is never closed. */
function readQuoted(
  text: string,
  start: number,
  open: OpenRecord,
  { delimiter, newline, last }: { delimiter: string; newline: string; last: boolean },
): { end: number } | 'unfinished' | 'broken' {
  for (;;) {
    const field = start + open.field;
    if (field >= text.length && !last) return 'unfinished';
    const isQuoted = text[field] === '"';
    if (isQuoted && open.closed === undefined) {
      const from = Math.max(start + open.scan, field + 1);
      const { close, resume } = closingQuote(text, from, last);
      open.scan = resume - start;
      if (close === undefined) return last ? 'broken' : 'unfinished';
      // A quote between a line ending and text opens a field, so the quote before it was never closed.
      const after = text[close + 1];
      const isAtLineStart = close > field + 1 && text[close - 1] === newline;
      if (isAtLineStart && after !== undefined && after !== delimiter && after !== newline && after !== '\r') {
        return 'broken';
      }
      open.closed = close - start;
      open.lines += text.slice(field + 1, close).split(newline).length - 1;
    }
    const { until, delimited } = endOfField(text, start + open.scan, delimiter, newline);
    open.scan = until - start;
    if (until === text.length && !last) return 'unfinished';
    const closed = open.closed === undefined ? undefined : start + open.closed;
    const tailFrom = closed === undefined ? field : closed + 1;
    const tail = delimited ? text.slice(tailFrom, until) : withoutReturn(text.slice(tailFrom, until));
    const value = closed === undefined ? '' : text.slice(field + 1, closed).replaceAll('""', '"');
    // The text after a closing quote is kept for the user who corrects the row.
    if (closed !== undefined && tail !== '') open.malformed ??= CLOSED_EARLY;
    open.fields.push(value + tail);
    open.field = open.scan = until + 1 - start;
    open.closed = undefined;
    if (!delimited) return { end: until };
  }
}

/** Returns the position of the next quote that is not doubled, if found, and where to resume. */
function closingQuote(text: string, from: number, last: boolean): { close: number | undefined; resume: number } {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return { close: undefined, resume: text.length };
    // Only the next character shows whether the quote is doubled, and it may not have arrived yet.
    if (at + 1 === text.length) return last ? { close: at, resume: at + 1 } : { close: undefined, resume: at };
    if (text[at + 1] !== '"') return { close: at, resume: at + 1 };
  }
}

function endOfField(text: string, from: number, delimiter: string, newline: string) {
  let until = from;
  for (; until < text.length; until++) {
    const character = text[until];
    if (character === delimiter) return { until, delimited: true };
    if (character === newline) break;
  }
  return { until, delimited: false };
}
