/** Places of records and cells in their file, for messages. */
import type { ReadProfile } from './source.ts';

/** "line 17", "Data!C17", "row 17", "element 17" or "concept 17"; a whole row of a sheet is "Data!17". */
export function placeOf(
  { format, read, firstColumn = 0 }: Pick<ReadProfile, 'format' | 'read' | 'firstColumn'>,
  record: number,
  column: number | null,
): string {
  if (format === 'text' || format === 'ndjson') return `line ${record}`;
  if (format === 'xlsx')
    return `${read.sheet ?? ''}!${column === null ? '' : columnLetters(firstColumn + column)}${record}`;
  if (format === 'parquet') return `row ${record}`;
  return format === 'json' ? `element ${record}` : `concept ${record}`;
}

const LETTERS = 26;

/** Returns the letters of a column of a sheet, by its index from 0: A, Z, AA. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode('A'.charCodeAt(0) + (column % LETTERS));
  return column < LETTERS ? letter : columnLetters(Math.floor(column / LETTERS) - 1) + letter;
}
