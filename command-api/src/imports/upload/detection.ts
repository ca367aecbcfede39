/** Detects the delimiter, header and columns of a file from its first bytes, and suggests fields for its columns. */
import {
  type CsvRecord,
  csvScanner,
  parseCell,
  Refusal,
  rejectedRowsLayout,
  type TypeField,
  withoutApostrophe,
} from '@rdm/contracts';
import { decodeUtf8, showBytes } from '../../file-imports/text-encoding.ts';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
/** The maximum number of columns of a file: as many as a type can have fields. */
export const COLUMNS_MAX = 1_000;
const RECORDS_CHECKED = 50;
const SAMPLE_ROWS = 20;
const SAMPLE_CHARACTERS = 200;

export interface DetectedProperties {
  delimiter: string;
  hasHeader: boolean;
  columns: string[];
  suggestedColumns: Record<string, number>;
  sample: string[][];
}

/**
 * Detects the properties of a file from its head, a string with one character for each UTF-8 byte. `options` override
 * detected properties. Throws if the file has no rows or too many columns.
 */
export function detect(
  head: string,
  isWhole: boolean,
  fields: readonly TypeField[],
  options: { delimiter?: string | undefined; hasHeader?: boolean | undefined },
): DetectedProperties {
  const rejectedRows = rejectedRowsLayout(head);
  const delimiter = options.delimiter ?? rejectedRows?.delimiter ?? detectDelimiter(head, isWhole);
  const records = csvScanner(delimiter).push(head, true);
  // The last record of a head may be cut off.
  if (!isWhole && records.length > 1) records.pop();
  const first = records[0];
  if (!first) throw new Refusal('INVALID', 'The file has no rows');
  const hasHeader = options.hasHeader ?? rejectedRows?.hasHeader ?? isHeader(first, fields);
  const columns = rejectedRows && !hasHeader ? defaultNames(rejectedRows.width) : columnsOf(first, hasHeader);
  return {
    delimiter,
    hasHeader,
    columns,
    suggestedColumns: suggest(columns, hasHeader, fields),
    sample: records
      .slice(hasHeader ? 1 : 0, (hasHeader ? 1 : 0) + SAMPLE_ROWS)
      .map((record) => record.fields.map((field) => showBytes(field).slice(0, SAMPLE_CHARACTERS))),
  };
}

/**
 * Returns the delimiter with the highest score: the share of records as wide as the first record, plus at most 0.1 for
 * the number of columns. Returns the comma if the first record contains no delimiter.
 */
export function detectDelimiter(head: string, isWhole: boolean): string {
  let best: string = DELIMITERS[0];
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const records = csvScanner(delimiter).push(head, true).slice(0, RECORDS_CHECKED);
    if (!isWhole && records.length > 1 && records.length < RECORDS_CHECKED) records.pop();
    const width = records[0]?.fields.length ?? 1;
    if (width < 2) continue;
    const sameWidthShare = records.filter((record) => record.fields.length === width).length / records.length;
    const score = sameWidthShare + Math.min(width, 100) / 1_000;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

const defaultNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `Column ${index + 1}`);

/**
 * Whether the first record is a header. A record that contains the name of a field is a header. In any other record, an
 * empty, numeric, date or repeated cell shows that the record is data.
 */
function isHeader(first: CsvRecord, fields: readonly TypeField[]): boolean {
  const names = first.fields.map((name) => comparable(decodeUtf8(name) ?? name));
  if (fields.some((field) => names.includes(comparable(field.name)))) return true;
  const isData = (cell: string) =>
    cell.trim() === '' || parseCell(cell, 'number').ok || parseCell(cell.trim(), 'date').ok;
  return new Set(names).size === names.length && !first.fields.some(isData);
}

export function requireNotTooManyColumns(count: number): void {
  if (count <= COLUMNS_MAX) return;
  const [counted, most] = [count.toLocaleString('en'), COLUMNS_MAX.toLocaleString('en')];
  throw new Refusal('INVALID', `The file has ${counted} columns; at most ${most} can be imported`);
}

/** Returns unique names of the columns. Throws if there are more than `COLUMNS_MAX` columns. */
export function columnsOf(first: CsvRecord, hasHeader: boolean): string[] {
  requireNotTooManyColumns(first.fields.length);
  const used = new Set<string>();
  return first.fields.map((field, index) => {
    const name = (hasHeader && withoutApostrophe(showBytes(field)).trim()) || `Column ${index + 1}`;
    let unique = name;
    for (let turn = 2; used.has(unique); turn++) unique = `${name} (${turn})`;
    used.add(unique);
    return unique;
  });
}

/** Suggests fields by name. Without a header, suggests fields by position if there are as many columns as fields. */
export function suggest(
  columns: readonly string[],
  hasHeader: boolean,
  fields: readonly TypeField[],
): Record<string, number> {
  const suggested: Record<string, number> = {};
  if (!hasHeader) {
    if (columns.length === fields.length) {
      for (const [index, field] of fields.entries()) suggested[columns[index] as string] = field.fieldId;
    }
    return suggested;
  }
  const free = new Map(fields.map((field) => [comparable(field.name), field.fieldId]));
  for (const column of columns) {
    const fieldId = free.get(comparable(column));
    if (fieldId === undefined) continue;
    suggested[column] = fieldId;
    free.delete(comparable(column));
  }
  return suggested;
}

/** Normalises a name for comparisons without case and white space. */
const comparable = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
