/**
 * SQL expressions for the cells of jsonb rows. query-api and the projector share them, because PostgreSQL uses an index
 * only for exactly the indexed expression. Every expression is total: no cell causes an error, and `cellValue` reads a
 * cell that does not have the type of its field as NULL. Every expression is immutable, so that it can be indexed.
 */
import type { DataType } from '@rdm/contracts';

/**
 * The number of characters of a text in a btree index. A btree refuses long entries, and a long value must not stop a
 * projection.
 */
export const INDEXED_CHARACTERS = 200;

/** Regular expression for the existing days of the years 1 to 9999. make_date throws for other days. */
const DAY = [
  '(?!0000)\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))',
  '(?!0000)(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29',
].join('|');

/** Throws if a field id is not an integer, so that nothing else gets into SQL. */
function integerId(fieldId: number): number {
  if (!Number.isSafeInteger(fieldId)) throw new Error(`${fieldId} is no field id`);
  return fieldId;
}

/** The cell of a field in the jsonb column `data`, as text, whatever its type is. */
export const cellText = (data: string, fieldId: number): string => `(${data} ->> '${integerId(fieldId)}')`;

/** The JSON type of a field's cell. */
export const cellType = (data: string, fieldId: number): string => `jsonb_typeof(${data} -> '${integerId(fieldId)}')`;

/** A field's cell as a value of its type: text, numeric, boolean or date. */
export function cellValue(data: string, fieldId: number, dataType: DataType): string {
  const text = cellText(data, fieldId);
  const type = cellType(data, fieldId);
  switch (dataType) {
    case 'string':
      return `(CASE WHEN ${type} = 'string' THEN ${text} END)`;
    case 'number':
      return `(CASE WHEN ${type} = 'number' THEN ${text}::numeric END)`;
    case 'boolean':
      return `(CASE WHEN ${type} = 'boolean' THEN ${text}::boolean END)`;
    case 'date':
      return `(CASE WHEN ${type} = 'string' AND ${text} ~ '^(?:${DAY})$'
        THEN make_date(substr(${text}, 1, 4)::int, substr(${text}, 6, 2)::int, substr(${text}, 9, 2)::int) END)`;
  }
}

/** The beginning of a text, compared by code point, for `equals`, `in` and comparisons. */
export const textStart = (text: string): string => `left(${text}, ${INDEXED_CHARACTERS}) COLLATE "C"`;

/** The beginning of a text in lower case, compared by code point, for sorting and `starts_with`. */
export const foldedStart = (text: string): string => `lower(left(${text}, ${INDEXED_CHARACTERS})) COLLATE "C"`;

/** The maximum number of characters of all texts of one key together: an index entry must fit a page of a btree. */
const KEY_CHARACTERS = 600;

/** A text that is sorted after every other text. */
const LAST_TEXT = 'chr(1114111)';

/** The properties of a field that the order of a key needs. */
export interface KeyPart {
  fieldId: number;
  dataType: DataType;
}

/** An expression by which rows are sorted, with its SQL type. */
export interface SortedExpression {
  expression: string;
  type: string;
}

/**
 * The expression that sorts one field of a key of several fields. The expression is never NULL: a cell without a value
 * of the field's type comes last. In a string field, a value of any type counts as text.
 */
function sortedCell(data: string, { fieldId, dataType }: KeyPart, characters: number): SortedExpression {
  const value = cellValue(data, fieldId, dataType);
  switch (dataType) {
    case 'string': {
      const start = `lower(left(${cellText(data, fieldId)}, ${characters}))`;
      return { expression: `(coalesce(${start}, ${LAST_TEXT}) COLLATE "C")`, type: 'text' };
    }
    case 'number':
      return { expression: `coalesce(${value}, 'NaN'::numeric)`, type: 'numeric' };
    case 'boolean':
      return { expression: `coalesce(${value}::int, 2)`, type: 'int' };
    case 'date':
      return { expression: `coalesce(${value}, 'infinity'::date)`, type: 'date' };
  }
}

/**
 * The order of a key of several fields: one expression per field. Because no expression is NULL, one row comparison
 * finds the rows after a given row.
 */
export function keyOrder(data: string, parts: readonly KeyPart[]): SortedExpression[] {
  const texts = parts.filter(({ dataType }) => dataType === 'string').length;
  const characters = Math.min(INDEXED_CHARACTERS, Math.floor(KEY_CHARACTERS / Math.max(1, texts)));
  return parts.map((part) => sortedCell(data, part, characters));
}

/** The prefix of the names of indexes over the cells of a field; `indexName` adds a hash of the expression. */
export const fieldIndexPrefix = (dataSetId: number, fieldId: number, kind: CellIndex['kind']): string =>
  `of_${dataSetId}_field_${fieldId}_${kind}_`;

/** An index over the cells of one field; `on` follows `CREATE INDEX … ON table`. */
export interface CellIndex {
  /** Distinguishes the indexes of a field. */
  kind: 'start' | 'sorted' | 'parts' | 'value';
  on: string;
}

/** The columns of an index over the rows that are not deleted. The id orders rows with equal values. */
const ordered = (expressions: readonly string[]): string =>
  `(${expressions.map((expression) => `(${expression})`).join(', ')}, id) WHERE NOT deleted`;

/** The indexes for the filters and the order of a field, in a table with the column `data`. */
export function cellIndexes(fieldId: number, dataType: DataType): CellIndex[] {
  const text = cellText('data', fieldId);
  // For `contains`, `ends_with` and `regex` on texts, for parts of numbers and dates, and for the search of the list.
  const parts: CellIndex = { kind: 'parts', on: `USING gin (${text} gin_trgm_ops) WHERE NOT deleted` };
  if (dataType === 'string') {
    return [
      { kind: 'start', on: ordered([textStart(text)]) },
      { kind: 'sorted', on: ordered([foldedStart(text)]) },
      parts,
    ];
  }
  const value: CellIndex = { kind: 'value', on: ordered([cellValue('data', fieldId, dataType)]) };
  return dataType === 'boolean' ? [value] : [value, parts];
}

/** The maximum number of columns that PostgreSQL allows in an index; the last one is the id. */
const INDEX_COLUMNS_MAX = 32;

/** The index for the order of a key of several fields. */
export const keyIndex = (parts: readonly KeyPart[]): string =>
  ordered(
    keyOrder('data', parts)
      .slice(0, INDEX_COLUMNS_MAX - 1)
      .map(({ expression }) => expression),
  );

/** Indexes over columns that every row has. */
export const rowIndexes: readonly { column: string; on: string }[] = [
  ...['created_at', 'updated_at'].map((column) => ({ column, on: ordered([column]) })),
  // For the list of deleted rows, the latest first.
  { column: 'deleted', on: '(updated_at, id) WHERE deleted' },
];
