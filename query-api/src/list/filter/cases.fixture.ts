/** Test cases of filters: rows of every data type in columns and jsonb cells, and needles for every operator. */
import {
  FILTER_DATA_TYPES,
  FILTER_OPERATORS,
  type FilterDataType,
  type FilterGroup,
  type FilterOperator,
} from '@rdm/contracts';
import { cellIndexes, type Queryable } from '@rdm/platform';
import { identifier, type Sql, sql } from '../../read-models/sql.ts';
import { runStatement } from '../../read-models/statements.ts';
import { type FieldMap, type FieldSql, SQL_TYPE } from './compile.ts';
import { cellField } from './fields.ts';
import { finds, type OracleField } from './oracle.fixture.ts';

/** One character shorter than the indexed part of a text: only the first character after it is indexed. */
const LONG = 'Ä'.repeat(199);
const TEXTS = [
  '',
  'a',
  'A',
  'de',
  'DE',
  'Zürich',
  'zürich',
  '100%',
  '100_',
  '100%x',
  'a\\b',
  "o'clock",
  '"',
  '007',
  '7',
  'emoji 😀',
  'ﬀ',
  'line\nbreak',
  '$1',
  '; DROP TABLE cells',
  '; DROP no cells',
  'path\\to the',
  "' OR '1'='1",
  '__proto__',
  `${LONG}x`,
  `${LONG}xy`,
  `${LONG}xz`,
  `${LONG}😀😀`,
];
const VALUES: Record<FilterDataType, unknown[]> = {
  string: TEXTS,
  number: [0, -1, 1.5, 7, 10, 100, 1e15, -0.25, 0.001],
  boolean: [true, false],
  date: ['2024-02-29', '2024-01-01', '1999-12-31', '2026-11-20', '0001-01-01', '9999-12-31', '2000-02-29'],
  datetime: [
    '2024-02-29T00:00:00.000Z',
    '2024-02-28T23:30:00.000Z',
    '2024-02-29T12:34:56.789Z',
    '1999-12-31T23:59:59.999Z',
    // Instants around the changes of daylight saving time in Berlin and New York.
    '2024-03-31T00:59:59.999Z',
    '2024-03-31T01:00:00.000Z',
    '2024-10-27T00:30:00.000Z',
    '2024-10-27T01:30:00.000Z',
    '2024-11-03T05:30:00.000Z',
    '2024-11-03T06:30:00.000Z',
  ],
  json: [1, 'a', true, {}, { a: 1 }, { a: 1, b: [1, 2] }, [1, 'a'], []],
  array: [[], [1], ['a', 'b'], [1, 2, 3], [['x']], ['a', 'a'], [{ a: 1 }, 2]],
};
/** Further needles: parts and other spellings of cells, and values between or outside the values of the cells. */
const NEEDLES: Partial<Record<FilterDataType, unknown[]>> = {
  string: [
    'E',
    'ü',
    'ZÜR',
    'drop tables CELLS',
    'op TABLE cells',
    'drop table CEL',
    '%',
    '_',
    '%_',
    '\\',
    'zz',
    '0',
    LONG,
    `${LONG}xX`,
    'Ä'.repeat(100),
    'ä'.repeat(101),
  ],
  number: ['7', 6.5],
  date: ['2024-03-01', '2024-02-28'],
  datetime: [
    '2024-02-29',
    '2024-02-29T01:30:00+01:30',
    '2024-02-29T12:34:56.789',
    '2024-02-28T23:30:00-00:00',
    // In Berlin, this hour occurs twice on 2024-10-27.
    '2024-10-27T02:30:00+02:00',
    '2024-10-27T02:30:00+01:00',
    '2024-03-31',
    '2024-03-31T03:00:00+02:00',
    '2024-11-03T01:30:00-05:00',
  ],
  array: [['b'], ['b', 'a']],
};
const ITEMS = [1, 2, 'a', 'b', ['x'], { a: 1 }];
const DAYS = ['2024-02-29', '1999-12-31'];
/** Common words, which an index search leaves out. */
const COMMON = new Set(['table', 'cells', 'the']);
const REGEXES = ['^d', 'e$', '[0-9]+', 'ü', 'a|b', '^.{2}$', '\\$'];
const TEXT_OPERATORS = new Set<FilterOperator>(['contains', 'not_contains', 'starts_with', 'ends_with', 'regex']);
const ORDERINGS = new Set<FilterOperator>([
  'greater_than',
  'less_than',
  'greater_than_or_equal',
  'less_than_or_equal',
  'between',
]);

export const applies = (operator: FilterOperator, dataType: FilterDataType): boolean => {
  if (dataType === 'boolean') return !TEXT_OPERATORS.has(operator) && !ORDERINGS.has(operator);
  if (dataType === 'json' || dataType === 'array') {
    return operator.endsWith('contains') || (!TEXT_OPERATORS.has(operator) && !ORDERINGS.has(operator));
  }
  return true;
};

export function needlesFor(operator: FilterOperator, dataType: FilterDataType): unknown[] {
  const values = [...VALUES[dataType], ...(NEEDLES[dataType] ?? [])];
  if (operator.endsWith('null')) return [undefined];
  if (operator === 'regex') return REGEXES;
  if (operator.endsWith('in')) {
    const list = dataType === 'array' ? ITEMS : values;
    return [[], list.slice(0, 1), list.slice(1, 4), list, ...(dataType === 'datetime' ? [DAYS] : [])];
  }
  if (operator === 'between')
    return values.flatMap((low, index) => [
      [low, values[(index + 2) % values.length]],
      [low, low],
    ]);
  if (dataType === 'array' && operator.endsWith('contains')) return [...ITEMS, ...values];
  return TEXT_OPERATORS.has(operator) && dataType !== 'json' ? [...values, '0', '-', 'T', '9'] : values;
}

/** The data types that a field of a data set can have, each with the id of its field in the jsonb cells. */
const CELLS = { string: 1, number: 2, boolean: 3, date: 4 } as const;
export type CellType = keyof typeof CELLS;
export const CELL_TYPES = Object.keys(CELLS) as CellType[];

export const cellName = (dataType: CellType): string => `${dataType} cell`;

/** The fields of the test rows: one column of each filter type, and one jsonb cell of each cell type. */
export const oracleFields: OracleField[] = [
  ...FILTER_DATA_TYPES.map((dataType) => ({ name: dataType, dataType })),
  ...CELL_TYPES.map((dataType) => ({ name: cellName(dataType), dataType })),
];

export const compiledFields: FieldMap = new Map<string, FieldSql>([
  ...FILTER_DATA_TYPES.map((type) => [type, { dataType: type, sql: identifier('cells', type) }] as [string, FieldSql]),
  ...CELL_TYPES.map(
    (type) => [cellName(type), cellField('data', CELLS[type], type, () => COMMON)] as [string, FieldSql],
  ),
]);

/** Cell values that are invalid for the type of their field: filters treat them as no value. */
const WRONG: Record<CellType, unknown[]> = {
  string: [7, true, ['a'], { a: 1 }],
  number: ['7', '', false, [7]],
  boolean: ['true', 1, 0],
  date: ['2024-02-30', '0000-01-01', '2023-02-29', '1900-02-29', '2024-2-1', 'today', '2024-01-01T00:00:00Z', 20240101],
};

/** Returns rows with all values, then rows with invalid cells. Each column also has a row without a value. */
export function specRows(): Record<string, unknown>[] {
  const length = Math.max(...Object.values(VALUES).map((values) => values.length)) + 1;
  const rows = Array.from({ length }, (_, index) => {
    const cells = FILTER_DATA_TYPES.map(
      (type, shift) => [type, VALUES[type][(index + shift) % length] ?? null] as const,
    );
    return Object.fromEntries([...cells, ...cells.map(([type, value]) => [cellName(type as CellType), value])]);
  });
  const wrongRows = Math.max(...Object.values(WRONG).map((values) => values.length));
  // To the oracle, a row with wrong cells has no values.
  for (let index = 0; index < wrongRows; index++) rows.push({ wrong: index });
  return rows;
}

/** Creates the table `cells` with the indexes of a large data set, and fills it with the rows. */
export async function fillCells(client: Queryable, rows: readonly Record<string, unknown>[]): Promise<void> {
  await client.query(
    `CREATE TABLE cells (id int, data jsonb, deleted boolean DEFAULT false, ${FILTER_DATA_TYPES.map((type) => `"${type}" ${SQL_TYPE[type]}`).join(', ')})`,
  );
  for (const type of CELL_TYPES) {
    for (const { on } of cellIndexes(CELLS[type], type)) await client.query(`CREATE INDEX ON cells ${on}`);
  }
  for (const [index, row] of rows.entries()) {
    const wrong = row['wrong'] as number | undefined;
    // A missing value is SQL NULL or, in every other row of the column `json`, JSON null.
    const asJson = (value: unknown) => (value === null && index % 2 === 0 ? null : JSON.stringify(value));
    const columns = FILTER_DATA_TYPES.map((type) => {
      const value = row[type] ?? null;
      if (type === 'json') return asJson(value);
      return type === 'array' && value !== null ? JSON.stringify(value) : value;
    });
    const cells = CELL_TYPES.map((type) => [
      CELLS[type],
      wrong === undefined ? row[cellName(type)] : WRONG[type][wrong],
    ]);
    await client.query(
      `INSERT INTO cells (id, data, ${FILTER_DATA_TYPES.map((type) => `"${type}"`).join(', ')})
       VALUES ($1, $2, ${columns.map((_, at) => `$${at + 3}`).join(', ')})`,
      [index, JSON.stringify(Object.fromEntries(cells)), ...columns],
    );
  }
}

export const oneCondition = (field: string, operator: FilterOperator, value?: unknown): FilterGroup => ({
  logic: 'AND',
  conditions: [{ field, operator, value }],
});

/** Returns a filter for each combination of an operator, a field to which it applies, and a needle. */
export const everyFilter = (): FilterGroup[] =>
  oracleFields.flatMap(({ name, dataType }) =>
    FILTER_OPERATORS.filter((operator) => applies(operator, dataType)).flatMap((operator) =>
      needlesFor(operator, dataType).map((needle) => oneCondition(name, operator, needle)),
    ),
  );

export const expectedIds = (filter: FilterGroup, rows: readonly Record<string, unknown>[]): number[] =>
  rows.flatMap((row, index) => (finds(filter, row, oracleFields) ? [index] : []));

const ids = (condition: Sql): Sql => sql`ARRAY(SELECT id FROM cells WHERE NOT deleted AND ${condition} ORDER BY id)`;

/** Returns the ids of the rows that each condition matches; runs 100 conditions per statement. */
export async function foundIds(client: Queryable, conditions: readonly Sql[]): Promise<number[][]> {
  const found: number[][] = [];
  for (let from = 0; from < conditions.length; from += 100) {
    const parts = conditions.slice(from, from + 100).map((condition) => sql`(to_jsonb(${ids(condition)}))`);
    const listed = parts.reduce((joined, part) => sql`${joined}, ${part}`);
    const { rows } = await runStatement(client, sql`SELECT jsonb_build_array(${listed}) AS found`);
    found.push(...(rows[0] as { found: number[][] }).found);
  }
  return found;
}
