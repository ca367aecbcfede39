/** Rows on their way to PostgreSQL: read, removed and written as sets, a few at once as JSON and many by COPY. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@rdm/platform';
import { from as copyFrom } from 'pg-copy-streams';

export type ColumnType =
  | 'bigint'
  | 'integer'
  | 'boolean'
  | 'text'
  | 'uuid'
  | 'double precision'
  | 'timestamptz'
  | 'jsonb'
  | 'bigint[]'
  | 'text[]';

/** A table of a build. */
export interface TableShape {
  name: string;
  /** In order. */
  columns: Readonly<Record<string, ColumnType>>;
  key: readonly string[];
  /** Keeps past versions in `<name>_history`; `<name>_as_of(seq)` reads both. */
  versioned?: boolean;
  /** Column by whose values the table is partitioned. */
  partitionBy?: string;
  /** What follows `CREATE INDEX … ON table`. */
  indexes?: readonly string[];
}

/** The shape of a table whose rows are these: JSON values, instants as ISO text. */
export type TableOf<Row extends object> = TableShape & {
  columns: { readonly [Column in keyof Row & string]: ColumnType };
  key: readonly (keyof Row & string)[];
};

/** The transaction of a batch, and the schema of the build that is written. */
export interface Writing {
  client: Client;
  schema: string;
}

/** Values of a key's columns, in their order. */
export type Key = readonly (number | string)[];

/** From here on COPY is faster than one statement with the rows as JSON. */
const COPY_FROM_ROWS = 64;
const COPY_CHUNK_CHARACTERS = 64 * 1024;

const names = (columns: Iterable<string>): string => [...columns].map((column) => `"${column}"`).join(', ');

/** What PostgreSQL cannot hold in text is replaced: one odd character must not stop a projection. */
const REPLACEMENT = '\uFFFD';

/** JSON without NUL and without halves of surrogate pairs, which jsonb refuses. */
export function cleanJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u')) return json;
  return json.replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found, what) => (what === '\\' ? found : REPLACEMENT));
}

const COPY_ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': REPLACEMENT };
const NEEDS_ESCAPE = /[\\\t\n\r\0]/;
const TO_ESCAPE = /[\\\t\n\r\0]/g;

/** A text as COPY's text format has it. */
export const escaped = (text: string): string =>
  NEEDS_ESCAPE.test(text) ? text.replace(TO_ESCAPE, (character) => COPY_ESCAPES[character] as string) : text;

const textArray = (items: readonly string[]): string =>
  `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/** How a column's value reads in COPY's text format. */
function copyEncoder(type: ColumnType): (value: unknown) => string {
  switch (type) {
    case 'text':
      return (value) => escaped(value as string);
    case 'jsonb':
      return (value) => escaped(cleanJson(value));
    case 'bigint[]':
      return (value) => `{${(value as number[]).join(',')}}`;
    case 'text[]':
      return (value) => escaped(textArray(value as string[]));
    case 'boolean':
      return (value) => (value === true ? 't' : 'f');
    default:
      return String;
  }
}

function* copyText(rows: readonly object[], columns: readonly [string, ColumnType][]): Generator<string> {
  const encoders = columns.map(([column, type]) => [column, copyEncoder(type)] as const);
  let chunk = '';
  for (const row of rows as readonly Record<string, unknown>[]) {
    let line = '';
    for (const [column, encode] of encoders) {
      const value = row[column];
      line += `${line === '' ? '' : '\t'}${value === null || value === undefined ? '\\N' : encode(value)}`;
    }
    chunk += `${line}\n`;
    if (chunk.length >= COPY_CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

/** Writes new rows given as COPY's text. */
export async function copyRows(
  { client, schema }: Writing,
  table: string,
  columns: readonly string[],
  text: Iterable<string>,
): Promise<void> {
  const copy = client.query(copyFrom(`COPY ${schema}.${table} (${names(columns)}) FROM STDIN`));
  await pipeline(Readable.from(text), copy);
}

/** Writes new rows. `columns` names them where the table is not its own shape's (a history has one column more). */
export async function insertRows(
  writing: Writing,
  table: string,
  columns: Readonly<Record<string, ColumnType>>,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  if (rows.length >= COPY_FROM_ROWS) {
    return copyRows(writing, table, Object.keys(columns), copyText(rows, Object.entries(columns)));
  }
  const { client, schema } = writing;
  const list = names(Object.keys(columns));
  await client.query({
    name: `put ${schema}.${table}`,
    text: `INSERT INTO ${schema}.${table} (${list})
           SELECT ${list} FROM jsonb_populate_recordset(NULL::${schema}.${table}, $1::jsonb)`,
    values: [cleanJson(rows)],
  });
}

/** One parameter per column of the key, each with the values of all keys. */
function keyArrays(shape: TableShape, keys: readonly Key[]): { unnest: string; columns: string; values: string[] } {
  const types = shape.key.map((column) => shape.columns[column] as ColumnType);
  return {
    unnest: types.map((type, index) => `$${index + 1}::${type}[]`).join(', '),
    columns: names(shape.key),
    values: types.map((type, index) => {
      const parts = keys.map((key) => key[index] as number | string);
      return type === 'text' ? textArray(parts as string[]) : `{${parts.join(',')}}`;
    }),
  };
}

const matches = (shape: TableShape): string => shape.key.map((column) => `t."${column}" = k."${column}"`).join(' AND ');

/**
 * Takes the rows with these keys out of the table and answers them; those of a versioned table go to its history, each
 * as valid until the seq given with its key. One statement: whoever touches a row ends its version.
 */
export async function takeRows<Row extends object>(
  { client, schema }: Writing,
  shape: TableShape,
  keys: readonly Key[],
  until: readonly number[],
): Promise<Row[]> {
  if (keys.length === 0) return [];
  const table = `${schema}.${shape.name}`;
  const { unnest, columns, values } = keyArrays(shape, keys);
  const own = names(Object.keys(shape.columns));
  const history = `, kept AS (INSERT INTO ${table}_history (${own}, valid_to) SELECT ${own}, valid_to FROM gone)`;
  const { rows } = await client.query<{ rows: string | null }>({
    name: `take ${table}`,
    text: `WITH gone AS (
             DELETE FROM ${table} t
              USING unnest(${unnest}, $${values.length + 1}::bigint[]) k(${columns}, valid_to) WHERE ${matches(shape)}
             RETURNING t.*, k.valid_to)${shape.versioned ? history : ''}
           SELECT json_agg(gone)::text AS rows FROM gone`,
    values: [...values, `{${until.join(',')}}`],
  });
  return JSON.parse(rows[0]?.rows ?? '[]') as Row[];
}

/** Takes the rows with these keys away. */
export async function removeRows({ client, schema }: Writing, shape: TableShape, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return;
  const { unnest, columns, values } = keyArrays(shape, keys);
  await client.query({
    name: `drop ${schema}.${shape.name}`,
    text: `DELETE FROM ${schema}.${shape.name} t USING unnest(${unnest}) k(${columns}) WHERE ${matches(shape)}`,
    values,
  });
}

/** Changes some columns of rows that are there; each patch has the key and those columns. */
export async function patchRows(
  { client, schema }: Writing,
  shape: TableShape,
  columns: readonly string[],
  patches: readonly object[],
): Promise<void> {
  if (patches.length === 0) return;
  const table = `${schema}.${shape.name}`;
  const typed = [...shape.key, ...columns].map((column) => `"${column}" ${shape.columns[column]}`).join(', ');
  await client.query({
    name: `patch ${table}`,
    text: `UPDATE ${table} t SET ${columns.map((column) => `"${column}" = k."${column}"`).join(', ')}
             FROM jsonb_to_recordset($1::jsonb) k(${typed}) WHERE ${matches(shape)}`,
    values: [cleanJson(patches)],
  });
}
