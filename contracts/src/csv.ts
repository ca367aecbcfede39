/** Takes CSV apart into records, counting the file's lines, and marks what a spreadsheet would run; what is malformed is told of its record, never guessed. */

/** Characters that begin a formula, their full-width forms included. */
const FORMULA = '=+\\-@\uff1d\uff0b\uff0d\uff20';
/**
 * Places where a spreadsheet may begin to read a formula, with a mark there or without: at the beginning of a cell, past
 * white space, and after a character that may separate cells.
 */
const places = (mark: string) =>
  new RegExp(`^${mark}(?='*[${FORMULA}\\t\\r\\n\\u00a0])|(?<=[;\\t\\r\\n])${mark}(?='*[${FORMULA}])`, 'g');
const UNMARKED = places('');
const MARKED = places("'");
/** Most texts have no such place. */
const MAY_HAVE_PLACE = new RegExp(`^['${FORMULA}\\u00a0]|[;\\t\\r\\n]`);
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/**
 * Marks with an apostrophe what a spreadsheet would take for a formula; a plain signed number stays what it is. A text that
 * looks marked already is marked once more, so that `withoutMark` gives every text back.
 */
export const neutralised = (text: string): string =>
  MAY_HAVE_PLACE.test(text) && !PLAIN_NUMBER.test(text) ? text.replace(UNMARKED, "'") : text;

/** Takes the marks away again. */
export const withoutMark = (cell: string): string => (cell.includes("'") ? cell.replace(MARKED, '') : cell);

export interface CsvRecord {
  /** Line of the file on which the record begins; the first is 1. */
  line: number;
  fields: string[];
  /** ASCII without NUL, so that nobody need look at its bytes; false also where that was not looked into. */
  clean: boolean;
  /** Why the record's structure cannot be trusted, or null. */
  malformed: string | null;
}

export interface CsvScanner {
  /** Records that end within what was given so far. `last` says that nothing follows. */
  push(text: string, last?: boolean): CsvRecord[];
}

/** A quote that stays open for longer than this is taken for a mistake of the line it stands on. */
const RECORD_CHARACTERS_MAX = 1024 * 1024;

const NOT_CLEAN = /[^\p{ASCII}]|\0/u;

interface Quoted {
  fields: string[];
  /** Where the next record begins. */
  end: number;
  lines: number;
  malformed: string | null;
}

/**
 * RFC 4180 with any delimiter and any line ending. An empty line is no record. A quote inside an unquoted field is a
 * character like any other.
 */
export function csvScanner(delimiter: string): CsvScanner {
  let rest = '';
  let line = 1;
  let newline: string | undefined;

  return {
    push(chunk, last = false) {
      const text = rest + chunk;
      newline ??= endingOf(text, last);
      if (newline === undefined) {
        rest = text;
        return [];
      }
      const records: CsvRecord[] = [];
      let at = 0;
      let quote = text.indexOf('"');
      while (at < text.length) {
        let end = text.indexOf(newline, at);
        if (end < 0) {
          if (!last) break;
          end = text.length;
        }
        if (quote >= 0 && quote < at) quote = text.indexOf('"', at);
        if (quote < 0 || quote > end) {
          const content = text.slice(at, text.charCodeAt(end - 1) === 13 && end > at ? end - 1 : end);
          if (content !== '') {
            records.push({ line, fields: content.split(delimiter), clean: !NOT_CLEAN.test(content), malformed: null });
          }
          at = end + 1;
          line += 1;
          continue;
        }
        const record = readQuoted(text, at, delimiter, newline, last);
        if (record) {
          records.push({ line, fields: record.fields, clean: false, malformed: record.malformed });
          at = record.end;
          line += record.lines;
        } else if (last || text.length - at > RECORD_CHARACTERS_MAX) {
          const fields = text.slice(at, end).replace(/\r$/, '').split(delimiter);
          records.push({ line, fields, clean: false, malformed: 'a quotation mark is opened and never closed' });
          at = end + 1;
          line += 1;
        } else break;
      }
      rest = text.slice(at);
      return records;
    },
  };
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** What the delimiter is told from, and the line that goes beyond it. */
const HEAD_CHARACTERS = 2_000;

/** The delimiter that takes the first line apart into most fields. */
function delimiterOf(text: string): string {
  const end = text.indexOf('\n', HEAD_CHARACTERS);
  const head = end < 0 ? text : text.slice(0, end);
  const width = (delimiter: string) => csvScanner(delimiter).push(head, true)[0]?.fields.length ?? 0;
  return DELIMITERS.reduce((best, each) => (width(each) > width(best) ? each : best));
}

/** The same, with the delimiter that the first line shows. */
export function detectingCsvScanner(): CsvScanner {
  let beginning = '';
  let scanner: CsvScanner | undefined;
  return {
    push(text, last = false) {
      if (scanner) return scanner.push(text, last);
      beginning += text;
      if (!last && beginning.indexOf('\n', HEAD_CHARACTERS) < 0) return [];
      scanner = csvScanner(delimiterOf(beginning));
      const records = scanner.push(beginning, last);
      beginning = '';
      return records;
    },
  };
}

/** Old Macintosh files end their lines with a carriage return alone. Undefined until it can be told. */
function endingOf(text: string, last: boolean): string | undefined {
  if (text.includes('\n')) return '\n';
  if (!last && text.length <= RECORD_CHARACTERS_MAX) return undefined;
  return text.includes('\r') ? '\r' : '\n';
}

/** Reads a record that has quotes; undefined when its end is not in the text yet. */
function readQuoted(
  text: string,
  start: number,
  delimiter: string,
  newline: string,
  last: boolean,
): Quoted | undefined {
  const fields: string[] = [];
  let malformed: string | null = null;
  let lines = 1;
  let at = start;
  for (;;) {
    const quoted = text[at] === '"';
    let value = '';
    if (quoted) {
      const close = closingQuote(text, at + 1, last);
      if (close === undefined) return undefined;
      value = text.slice(at + 1, close);
      lines += value.split(newline).length - 1;
      value = value.replaceAll('""', '"');
      at = close + 1;
    }
    const { until, delimited } = endOfField(text, at, delimiter, newline);
    if (until === text.length && !last) return undefined;
    let tail = text.slice(at, until);
    if (!delimited && tail.endsWith('\r')) tail = tail.slice(0, -1);
    // What follows a closing quote is kept for whoever mends the row.
    if (quoted && tail !== '') malformed ??= 'a quotation mark is closed before the end of its field';
    fields.push(value + tail);
    at = until + 1;
    if (!delimited) return { fields, end: at, lines, malformed };
  }
}

/** Where a quoted field is closed: a quote that is not doubled. */
function closingQuote(text: string, from: number, last: boolean): number | undefined {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return undefined;
    // The next character decides, and it may not be here yet.
    if (at + 1 === text.length) return last ? at : undefined;
    if (text[at + 1] !== '"') return at;
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
