/** What an uploaded file is, told from its beginning: delimiter, header, columns, and which column fills which field. */
import {
  type CsvRecord,
  csvScanner,
  parseCell,
  Refusal,
  reasonColumnOf,
  type TypeField,
  withoutMark,
} from '@rdm/contracts';
import { decodeUtf8, showBytes } from '../../file-imports/text-encoding.ts';

export const DELIMITERS = [',', ';', '\t', '|'] as const;
/** As many as a type may have fields. */
export const COLUMNS_MAX = 1_000;
const RECORDS_LOOKED_AT = 50;
const SAMPLE_ROWS = 20;
const SAMPLE_CHARACTERS = 200;

export interface Detected {
  delimiter: string;
  hasHeader: boolean;
  columns: string[];
  suggestedColumns: Record<string, number>;
  sample: string[][];
}

/** Looks at the beginning of a file, as UTF-8 read one character a byte; what the caller chose stays. */
export function detect(
  head: string,
  whole: boolean,
  fields: readonly TypeField[],
  chosen: { delimiter?: string | undefined; hasHeader?: boolean | undefined },
): Detected {
  const reasons = reasonColumnOf(head);
  const delimiter = chosen.delimiter ?? reasons?.delimiter ?? detectDelimiter(head, whole);
  const records = csvScanner(delimiter).push(head, true);
  // The last record may be cut where the head ends.
  if (!whole && records.length > 1) records.pop();
  const first = records[0];
  if (!first) throw new Refusal('INVALID', 'The file has no rows');
  const hasHeader = chosen.hasHeader ?? reasons?.isNamed ?? detectHeader(first, fields);
  const columns = reasons && !hasHeader ? namesByPlace(reasons.width) : columnsOf(first, hasHeader);
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

/** The delimiter under which most records have as many fields as the first one; of equals the one with more columns. */
export function detectDelimiter(head: string, whole: boolean): string {
  let best: string = DELIMITERS[0];
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const records = csvScanner(delimiter).push(head, true).slice(0, RECORDS_LOOKED_AT);
    if (!whole && records.length > 1 && records.length < RECORDS_LOOKED_AT) records.pop();
    const width = records[0]?.fields.length ?? 1;
    if (width < 2) continue;
    const even = records.filter((record) => record.fields.length === width).length / records.length;
    const score = even + Math.min(width, 100) / 1_000;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

const namesByPlace = (count: number): string[] => Array.from({ length: count }, (_, index) => `Column ${index + 1}`);

/** A first record that names a field is a header; one with an empty, repeated, numeric or date cell is a row. */
function detectHeader(first: CsvRecord, fields: readonly TypeField[]): boolean {
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

/** Names of the columns, each one once. Refuses more than a type can have fields. */
export function columnsOf(first: CsvRecord, hasHeader: boolean): string[] {
  requireNotTooManyColumns(first.fields.length);
  const taken = new Set<string>();
  return first.fields.map((field, index) => {
    const name = (hasHeader && withoutMark(showBytes(field)).trim()) || `Column ${index + 1}`;
    let unique = name;
    for (let turn = 2; taken.has(unique); turn++) unique = `${name} (${turn})`;
    taken.add(unique);
    return unique;
  });
}

/** Columns named like a field fill it; without a header they are taken in the fields' order when there are as many. */
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

/** Names are compared without case and white space. */
const comparable = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
