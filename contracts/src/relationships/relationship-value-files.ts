/**
 * Reads relationship values from CSV and JSON. The meaning of a column follows from the settings, its name or its
 * position.
 */
import { CELL_CHARACTERS_MAX } from '../constants.ts';
import { type ImportProblem, type RawRow, requireNotTooManyRows } from '../jobs/row-imports.ts';
import { Refusal } from '../refusal.ts';
import { type CsvRecord, detectingCsvScanner, withoutApostrophe } from '../text/csv.ts';
import { isObject, parseJson } from '../text/json-text.ts';
import { checkCell, type DataType, type ParsedCell, parseCell } from '../text/rows.ts';
import { holdsStorableText } from '../text/text.ts';
import {
  type ImportRelationshipValues,
  VALUE_FILE_CHARACTERS_MAX,
  type ValueColumns,
  type ValueFormat,
} from './relationship-value-exchange.ts';
import type { RelationshipAttribute } from './relationships.ts';

/** One row of the file: its cells by the positions of the columns. A member that a JSON object lacks is undefined. */
export interface FileRow {
  /** In CSV, the line on which the row begins; in JSON, the number of the value in the list. The first is 1. */
  line: number;
  cells: readonly unknown[];
  /** Why the row cannot be read. */
  problem?: ImportProblem;
  /** The original text of the row; only for CSV. */
  raw?: RawRow;
}

/** Splits a file into rows, without interpreting its columns. */
export interface FileReader {
  /** Takes a piece of the text and returns the rows that are now complete. `last` marks the last piece. */
  push(text: string, last: boolean): Iterable<FileRow>;
  format(): ValueFormat;
  /** The names of the columns in JSON; empty for CSV, whose first row may be a header. */
  names(): readonly string[];
  /** The delimiter of CSV; undefined for JSON. */
  delimiter(): string | undefined;
  /** The number of columns that a file of rejected rows without a header declares; 0 for other files. */
  width(): number;
}

/** The number of characters at the beginning of a file from which the format is detected. */
const HEAD_CHARACTERS = 1024;

/** Reads a file in the given format. If none is given, the format is detected from the beginning of the file. */
export function valueReader(givenFormat?: ValueFormat): FileReader {
  let reader: FileReader | undefined;
  let beginning = '';
  return {
    *push(text, last) {
      if (reader) return yield* reader.push(text, last);
      beginning += text;
      if (!last && beginning.length < HEAD_CHARACTERS) return;
      const head = beginning.replace(/^\uFEFF/, '');
      beginning = '';
      reader = (givenFormat ?? (/^\s*[[{]/.test(head) ? 'json' : 'csv')) === 'json' ? jsonReader() : csvReader();
      yield* reader.push(head, last);
    },
    format: () => reader?.format() ?? 'csv',
    names: () => reader?.names() ?? [],
    delimiter: () => reader?.delimiter(),
    width: () => reader?.width() ?? 0,
  };
}

function csvReader(): FileReader {
  const scanner = detectingCsvScanner();
  const hasText = ({ fields }: CsvRecord) => fields.some((field) => field.trim() !== '');
  return {
    *push(text, last) {
      for (const record of scanner.push(text, last)) {
        if (!hasText(record)) continue;
        const { line, fields: cells, malformed } = record;
        const raw = { text: record.raw, isBroken: malformed !== null };
        if (malformed === null) yield { line, cells, raw };
        else {
          const { rule, fix } = malformed;
          yield { line, cells, raw, problem: { column: '', value: '', rule: `In this row ${rule}`, fix } };
        }
      }
    },
    format: () => 'csv',
    names: () => [],
    delimiter: () => scanner.delimiter(),
    width: () => scanner.width(),
  };
}

/** Reads JSON as a whole: a list of objects, or an object that has the list as `values`, `rows` or `items`. */
function jsonReader(): FileReader {
  const parts: string[] = [];
  const positions = new Map<string, number>();
  let characters = 0;

  function rowOf(record: unknown, index: number): FileRow {
    const line = index + 1;
    if (!isObject(record)) {
      const value = JSON.stringify(record).slice(0, 100);
      const fix = 'Write an object with sourceKey and targetKey';
      return { line, cells: [], problem: { column: '', value, rule: 'This is not a relationship value', fix } };
    }
    const { attributes, ...members } = record;
    const cells: unknown[] = [];
    const put = (name: string, value: unknown) => {
      let position = positions.get(name);
      if (position === undefined) {
        position = positions.size;
        positions.set(name, position);
      }
      cells[position] = value;
    };
    for (const [name, value] of Object.entries(members)) put(name, value);
    if (isObject(attributes)) for (const [name, value] of Object.entries(attributes)) put(`attributes.${name}`, value);
    return { line, cells };
  }

  return {
    push(text, last) {
      characters += text.length;
      if (characters > VALUE_FILE_CHARACTERS_MAX) {
        throw new Refusal(
          'TOO_LARGE',
          'The document is too large to be read as a whole: import it in parts, or as CSV',
        );
      }
      parts.push(text);
      if (!last) return [];
      const document = parseJson(parts.splice(0).join(''));
      const list = isObject(document) ? (document['values'] ?? document['rows'] ?? document['items']) : document;
      if (!Array.isArray(list)) {
        throw new Refusal('INVALID', 'The file has no list of values: write [{ "sourceKey": …, "targetKey": … }]');
      }
      requireNotTooManyRows(list.length);
      return list.map(rowOf);
    },
    format: () => 'json',
    names: () => [...positions.keys()],
    delimiter: () => undefined,
    width: () => 0,
  };
}

/** The names from which the meaning of columns is derived. */
export interface KnownNames {
  source: { name: string; field: string };
  target: { name: string; field: string };
  attributes: readonly Pick<RelationshipAttribute, 'attributeId' | 'name'>[];
}

/** The positions of the columns that have the keys and attributes of a value. */
export interface ValueLayout {
  isNamed: boolean;
  /** Names of the columns, made unique. */
  columns: string[];
  source: number;
  target: number;
  attributes: { attributeId: number; name: string; column: number }[];
}

const foldName = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

type Use = 'source' | 'target' | number;

/** Returns the meaning of a column by its name: the key of an end, or an attribute. */
function useOfName(column: string, known: KnownNames): Use | undefined {
  const word = foldName(column.replace(/^attributes\./, ''));
  const attribute = known.attributes.find(({ name }) => foldName(name) === word);
  if (attribute !== undefined) return attribute.attributeId;
  const isOf = (side: 'source' | 'target') =>
    [side, `${side} key`, known[side].name, `${known[side].name} key`, `${side} ${known[side].field}`].some(
      (name) => foldName(name) === word,
    );
  if (isOf('source')) return 'source';
  return isOf('target') ? 'target' : undefined;
}

/**
 * Derives the meaning of columns from their names. An end without a column gets the first unused column. In a file
 * without names, the attributes then get the next columns in order.
 */
function proposedUses(columns: readonly string[], isNamed: boolean, known: KnownNames): (Use | undefined)[] {
  const uses = columns.map((column) => (isNamed ? useOfName(column, known) : undefined));
  const requiredUses: Use[] = [
    'source',
    'target',
    ...(isNamed ? [] : known.attributes.map(({ attributeId }) => attributeId)),
  ];
  for (const use of requiredUses) {
    const free = uses.indexOf(undefined);
    if (!uses.includes(use) && free !== -1) uses[free] = use;
  }
  // If two columns have the same meaning, only the first is used.
  return uses.map((use, index) => (use !== undefined && uses.indexOf(use) === index ? use : undefined));
}

/** Returns unique names for columns, such as “Column 2” for an empty cell and “code (2)” for a repeated name. */
function columnNames(cells: readonly string[]): string[] {
  const times = new Map<string, number>();
  return cells.map((cell, index) => {
    const name = cell.trim() === '' ? `Column ${index + 1}` : cell.trim();
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    return nth === 1 ? name : `${name} (${nth})`;
  });
}

/** Determines the meaning of each column; `first` is the first row of the file. */
export function layoutOf(
  file: Pick<FileReader, 'format' | 'names' | 'width'>,
  first: FileRow | undefined,
  settings: Pick<ImportRelationshipValues, 'isNamed' | 'columns'>,
  known: KnownNames,
): ValueLayout {
  if (!first) throw new Refusal('INVALID', 'The file has no rows');
  const texts = Array.from({ length: Math.max(first.cells.length, file.width()) }, (_, index) =>
    withoutApostrophe(String(first.cells[index] ?? '')),
  );
  const isNamed =
    file.format() === 'json' ||
    (settings.isNamed ?? columnNames(texts).some((column) => useOfName(column, known) !== undefined));
  const columns = file.format() === 'json' ? [...file.names()] : columnNames(isNamed ? texts : texts.map(() => ''));
  if (columns.length < 2) {
    throw new Refusal('INVALID', 'A row needs at least two columns: a source key and a target key');
  }
  return settings.columns
    ? givenLayout(columns, isNamed, settings.columns, known)
    : derivedLayout(columns, isNamed, known);
}

function derivedLayout(columns: string[], isNamed: boolean, known: KnownNames): ValueLayout {
  const uses = proposedUses(columns, isNamed, known);
  const [source, target] = [uses.indexOf('source'), uses.indexOf('target')];
  if (source < 0 || target < 0) {
    const end = source < 0 ? 'source' : 'target';
    throw new Refusal('INVALID', `The file has no column with the key of the ${end}: name one “${end}Key”`);
  }
  const attributes = known.attributes.flatMap(({ attributeId, name }) => {
    const column = uses.indexOf(attributeId);
    return column < 0 ? [] : [{ attributeId, name, column }];
  });
  return { isNamed, columns, source, target, attributes };
}

function givenLayout(columns: string[], isNamed: boolean, given: ValueColumns, known: KnownNames): ValueLayout {
  const positionOf = (column: string): number => {
    const index = columns.indexOf(column);
    if (index < 0) throw new Refusal('INVALID', `The file has no column “${column}”`);
    return index;
  };
  const attributes = Object.entries(given.attributes).map(([name, column]) => {
    const attribute = known.attributes.find((each) => each.name === name);
    if (!attribute) throw new Refusal('INVALID', `This relationship has no attribute "${name}"`);
    return { attributeId: attribute.attributeId, name, column: positionOf(column) };
  });
  return { isNamed, columns, source: positionOf(given.source), target: positionOf(given.target), attributes };
}

export const usesOf = ({ columns, source, target, attributes }: ValueLayout): ValueColumns => ({
  source: columns[source] ?? '',
  target: columns[target] ?? '',
  attributes: Object.fromEntries(attributes.map(({ name, column }) => [name, columns[column] ?? ''])),
});

/** Columns of an export that an import ignores: an imported value is a draft, and its labels come from the rows. */
const IGNORED_COLUMNS = new Set(['id', 'revision', 'status', 'approvalstatus', 'sourcelabel', 'targetlabel']);

/** Remarks about how the columns are read. */
export function layoutRemarks({ isNamed, columns, source, target, attributes }: ValueLayout): string[] {
  const used = new Set([source, target, ...attributes.map(({ column }) => column)]);
  const unread = columns.filter((name, index) => !used.has(index) && !IGNORED_COLUMNS.has(foldName(name)));
  return [
    ...(isNamed ? [] : ['The first line is not a header: the columns are read by their positions']),
    ...(unread.length > 0 ? [`Columns that are not read: ${unread.join(', ')}`] : []),
  ];
}

/** A value of the file with its attributes; `problems` list why it cannot be imported. */
export interface ReadValue {
  line: number;
  sourceKey: string;
  targetKey: string;
  /** The cells by the id of the attribute, without attributes that JSON leaves out. */
  cells: Record<string, unknown>;
  problems: ImportProblem[];
}

/** Reads one row. Keys are texts, because numbers would lose leading zeros. */
export function readValue(layout: ValueLayout, format: ValueFormat, { line, cells, problem }: FileRow): ReadValue {
  const read = (['source', 'target'] as const).map((end) => keyOf(end, format, cells[layout[end]]));
  const [source, target] = read as [ReturnType<typeof keyOf>, ReturnType<typeof keyOf>];
  const attributeCells: ReadValue['cells'] = {};
  for (const { attributeId, column } of layout.attributes) {
    const cell = cells[column];
    if (format === 'csv') attributeCells[attributeId] = textOfCell(cell);
    else if (cell !== undefined) attributeCells[attributeId] = cell;
  }
  const surplus = format === 'csv' ? surplusOf(cells, layout.columns.length) : undefined;
  const problems = [problem, surplus, source.problem, target.problem].filter((each) => each !== undefined);
  return { line, sourceKey: source.key, targetKey: target.key, cells: attributeCells, problems };
}

/** Returns the problem of a row with text after its last column: usually, an unquoted delimiter has split a cell. */
function surplusOf(cells: readonly unknown[], columns: number): ImportProblem | undefined {
  const beyond = cells.slice(columns).map(String);
  if (beyond.every((cell) => cell.trim() === '')) return undefined;
  const rule = `This row has ${cells.length} fields where the file has ${columns} columns`;
  return { column: '', value: beyond.join(', ').slice(0, 100), rule, fix: 'Quote a field that holds the delimiter' };
}

/** Returns the text of a CSV cell without the apostrophes of an export; a text of blanks counts as empty. */
function textOfCell(cell: unknown): string {
  const text = withoutApostrophe(String(cell ?? ''));
  return text.trim() === '' ? '' : text;
}

function keyOf(end: 'source' | 'target', format: ValueFormat, cell: unknown): { key: string; problem?: ImportProblem } {
  const column = `${end}Key`;
  const isList = Array.isArray(cell);
  const key =
    format === 'csv' ? textOfCell(cell).trim() : isList || isObject(cell) ? JSON.stringify(cell) : String(cell ?? '');
  const storableKey = storable(key);
  const withProblem = (rule: string, fix: string) => ({
    key: storableKey,
    problem: { column, value: cut(storableKey), rule, fix },
  });
  if (key === '')
    return withProblem(`The ${end} key is missing`, `Fill in the ${end} key, or delete this line from the file`);
  if (!isList && isObject(cell)) {
    return withProblem(
      `The ${end} key is neither a text nor a list`,
      'Write the key, or the parts of a composite key as a list',
    );
  }
  if (key.length > CELL_CHARACTERS_MAX) return withProblem(`The ${end} key is too long`, 'Write the key of a row');
  if (storableKey !== key) return withProblem(`The ${end} key ${UNSTORABLE.rule}`, UNSTORABLE.fix);
  return { key };
}

const UNSTORABLE = {
  rule: 'has characters that cannot be stored',
  fix: 'Remove NUL characters and halves of surrogate pairs',
};
const SHOWN_CHARACTERS = 100;
const cut = (text: string, maximum = SHOWN_CHARACTERS): string =>
  text.length > maximum ? `${text.slice(0, maximum)}…` : text;

/** Removes NUL characters and replaces halves of surrogate pairs, because the log cannot store them. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The displayed text of a cell. */
export const displayedCell = (cell: unknown): string =>
  storable(typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell ?? ''));

/** Reads an attribute cell. A CSV text is parsed by the data type of the attribute; a JSON value is not converted. */
export function readCell(
  cell: unknown,
  { name: column, dataType }: { name: string; dataType: DataType },
  format: ValueFormat,
): Extract<ParsedCell, { ok: true }> | { ok: false; problem: ImportProblem } {
  const parsed = format === 'csv' ? parseCell(String(cell ?? ''), dataType) : checkCell(cell, dataType);
  const withProblem = (rule: string, fix: string) =>
    ({ ok: false, problem: { column, value: cut(displayedCell(cell)), rule, fix } }) as const;
  if (!parsed.ok) return withProblem(cut(storable(parsed.reason), 4 * SHOWN_CHARACTERS), FIXES[dataType]);
  if (typeof parsed.value !== 'string') return parsed;
  if (parsed.value.length > CELL_CHARACTERS_MAX) {
    return withProblem(`It is longer than ${CELL_CHARACTERS_MAX.toLocaleString('en')} characters`, 'Shorten it');
  }
  return holdsStorableText(parsed.value) ? parsed : withProblem(`It ${UNSTORABLE.rule}`, UNSTORABLE.fix);
}

const FIXES: Record<DataType, string> = {
  string: 'Write a string',
  number: 'Write a number such as 12.5',
  boolean: 'Write true or false',
  date: 'Write a day such as 2024-01-31',
};
