/** Finds the record that names the columns. */
import { parseCell } from '../../text/rows.ts';
import { comparableName, isKeyName, isLabelName, wordsOfName } from './column-names.ts';
import { numberNotation } from './number-notations.ts';
import { datePartsOf } from './read-cell-value.ts';

/** The number of first rows in which the header is searched. */
const ROWS_CHECKED = 20;
/** A header fills at least this share of the usual row width. */
const WIDTH_SHARE = 0.6;
/**
 * A row without usual names is a header if one of its cells differs in kind from at least this share of the values
 * below the cell.
 */
const KIND_SHARE = 0.9;
/** The maximum number of words in a usual column name. */
const NAME_WORDS_MAX = 4;
const CANDIDATES_MAX = 3;

/** One of the first rows of a file, any of which can be the header. */
export interface LeadingRow {
  /** The line of the file, or the row of the sheet. */
  line: number;
  cells: readonly string[];
}

export interface FoundHeader {
  /** The line of the header, or of the first candidate if the header is uncertain; 0 if no row can be the header. */
  line: number;
  /** The lines that the user can choose as the header; empty if the header is certain. */
  candidates: readonly number[];
}

const isBlank = (cell: string): boolean => cell.trim() === '';
const isTextCell = (cell: string): boolean =>
  numberNotation(cell.trim()) === undefined && datePartsOf(cell.trim()) === undefined;

/** Finds the header among the first rows of a file. `knownNames` are the names of the target's fields. */
export function findHeader(rows: readonly LeadingRow[], knownNames: readonly string[] = []): FoundHeader {
  const width = modalWidth(rows);
  const comparableNames = new Set(knownNames.map(comparableName));
  const hasUsualName = (row: LeadingRow) => row.cells.some((cell) => isUsualName(cell, comparableNames));
  const possibleHeaders = rows.slice(0, ROWS_CHECKED).filter((row) => isPossible(row.cells, width, hasUsualName(row)));
  const header = possibleHeaders.find((row) => hasUsualName(row) || differsFromRowsBelow(row, rows));
  if (header) return { line: header.line, candidates: [] };
  const firstLine = rows[0]?.line ?? 0;
  const lines = possibleHeaders.map(({ line }) => line);
  return { line: lines[0] ?? 0, candidates: lines.length > 0 ? lines.slice(0, CANDIDATES_MAX) : [firstLine] };
}

/** The most frequent number of cells in a row, without empty cells at the end; in a tie, the larger number. */
function modalWidth(rows: readonly LeadingRow[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) {
    const width = cells.findLastIndex((cell) => !isBlank(cell)) + 1;
    counts.set(width, (counts.get(width) ?? 0) + 1);
  }
  return [...counts].sort(([widthA, countA], [widthB, countB]) => countB - countA || widthB - widthA)[0]?.[0] ?? 0;
}

/** Whether a row can be the header. `mayRepeat` allows two cells with the same text. */
function isPossible(cells: readonly string[], width: number, mayRepeat: boolean): boolean {
  const filled = cells.filter((cell) => !isBlank(cell));
  const names = new Set(filled.map((cell) => cell.trim().toLowerCase()));
  return (
    filled.length >= (width <= 1 ? 1 : 2) &&
    filled.length >= WIDTH_SHARE * width &&
    (mayRepeat || names.size === filled.length) &&
    filled.every(isTextCell)
  );
}

function isUsualName(cell: string, comparableNames: ReadonlySet<string>): boolean {
  if (isBlank(cell)) return false;
  if (comparableNames.has(comparableName(cell))) return true;
  const words = wordsOfName(cell);
  return words.length <= NAME_WORDS_MAX && !/\d/.test(cell) && (isKeyName(cell) || isLabelName(cell));
}

function differsFromRowsBelow(row: LeadingRow, rows: readonly LeadingRow[]): boolean {
  const below = rows.filter(({ line }) => line > row.line);
  return row.cells.some((cell, column) => {
    if (isBlank(cell)) return false;
    const values = below.map(({ cells }) => cells[column] ?? '').filter((value) => !isBlank(value));
    const differing = values.filter((value) => kindOf(value) !== kindOf(cell));
    return values.length > 0 && differing.length >= KIND_SHARE * values.length;
  });
}

/** The kind of a value: number, date, boolean, text without digits, or a shape such as `a-9` for text with digits. */
function kindOf(value: string): string {
  const trimmed = value.trim();
  if (numberNotation(trimmed)) return 'number';
  if (datePartsOf(trimmed)) return 'date';
  if (parseCell(trimmed, 'boolean').ok) return 'boolean';
  const shape = trimmed
    .replace(/\p{Nd}+/gu, '9')
    .replace(/[\p{L}\p{M}]+/gu, 'a')
    .replace(/\s+/g, ' ');
  return shape.includes('9') ? shape : 'text';
}
