/** Inserts, updates and deletes rows in sets. Few inserted rows are sent as JSON, many by COPY. */
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
  /** The columns in their order in the table. */
  columns: Readonly<Record<string, ColumnType>>;
  key: readonly string[];
  /** Columns with long values that PostgreSQL does not compress, because compression would slow down the projection. */
  uncompressed?: readonly string[];
  /** Keeps past versions in `<name>_history`; `<name>_as_of(seq)` reads the table and its history. */
  versioned?: boolean;
  /** The column by which the table is partitioned. */
  partitionBy?: string;
  /** The SQL after `CREATE INDEX … ON table`. */
  indexes?: readonly string[];
  /**
   * The SQL of the indexes that folds use. These indexes are created with the empty table, `indexes` when the build has
   * most of its rows.
   */
  lookups?: readonly string[];
}

/** The shape of a table with rows of the type `Row`, which has JSON values, and instants as ISO text. */
export type TableOf<Row extends object> = TableShape & {
  columns: { readonly [Column in keyof Row & string]: ColumnType };
  key: readonly (keyof Row & string)[];
};

/** The transaction of a batch, and the schema of the build that it writes. */
export interface WriteContext {
  client: Client;
  schema: string;
}

/** The values of the key columns, in the order of the columns. */
export type Key = readonly (number | string)[];

/** From this number of rows or of characters on, COPY is faster than a statement with the rows as JSON. */
const COPY_FROM_ROWS = 64;
const COPY_FROM_CHARACTERS = 32 * 1024;
const COPY_CHUNK_BYTES = 128 * 1024;
const UTF8_BYTES_PER_UNIT_MAX = 3;

const columnList = (columns: Iterable<string>): string => [...columns].map((column) => `"${column}"`).join(', ');

/** Stored in place of a character that PostgreSQL cannot store in text: such a character must not stop a projection. */
const REPLACEMENT = '\uFFFD';

/** Returns JSON in which `REPLACEMENT` replaces NUL and unpaired surrogates, which jsonb refuses. */
export function cleanJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u')) return json;
  return json.replace(/\\(\\|u0000|ud[89a-f][0-9a-f]{2})/g, (match, code) => (code === '\\' ? match : REPLACEMENT));
}

const COPY_ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': REPLACEMENT };
const NEEDS_ESCAPE = /[\\\t\n\r\0]/;
const TO_ESCAPE = /[\\\t\n\r\0]/g;

/** Escapes a text for COPY's text format. */
export const escapeCopyText = (text: string): string =>
  NEEDS_ESCAPE.test(text) ? text.replace(TO_ESCAPE, (character) => COPY_ESCAPES[character] as string) : text;

const textArray = (items: readonly (string | null)[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : `"${escapeArrayText(item)}"`)).join(',')}}`;

const escapeArrayText = (text: string): string =>
  /["\\\0]/.test(text) ? text.replace(/["\\]/g, '\\$&').replaceAll('\0', REPLACEMENT) : text;

/** Returns the encoder of a column type for COPY's text format. */
function copyEncoder(type: ColumnType): (value: unknown) => string {
  switch (type) {
    case 'text':
      return (value) => escapeCopyText(value as string);
    case 'jsonb':
      return (value) => escapeCopyText(cleanJson(value));
    case 'bigint[]':
      return (value) => `{${(value as number[]).join(',')}}`;
    case 'text[]':
      return (value) => escapeCopyText(textArray(value as string[]));
    case 'boolean':
      return (value) => (value === true ? 't' : 'f');
    default:
      return String;
  }
}

/** Yields the lines of rows in buffers. Joining the lines as text first would take twice as long. */
function* copyText(rows: readonly object[], columns: readonly [string, ColumnType][]): Generator<Buffer> {
  const encoders = columns.map(([column, type]) => [column, copyEncoder(type)] as const);
  let chunk = Buffer.allocUnsafe(COPY_CHUNK_BYTES);
  let length = 0;
  for (const row of rows as readonly Record<string, unknown>[]) {
    let line = '';
    for (const [column, encode] of encoders) {
      const value = row[column];
      line += `${line === '' ? '' : '\t'}${value === null || value === undefined ? '\\N' : encode(value)}`;
    }
    const lineBytesMax = (line.length + 1) * UTF8_BYTES_PER_UNIT_MAX;
    if (length + lineBytesMax > chunk.length) {
      if (length > 0) yield chunk.subarray(0, length);
      chunk = Buffer.allocUnsafe(Math.max(COPY_CHUNK_BYTES, lineBytesMax));
      length = 0;
    }
    length += chunk.write(`${line}\n`, length);
  }
  if (length > 0) yield chunk.subarray(0, length);
}

/** Inserts rows given in COPY's text format. */
async function copyRows(
  { client, schema }: WriteContext,
  table: string,
  columns: readonly string[],
  text: Iterable<Buffer>,
): Promise<void> {
  const copy = client.query(copyFrom(`COPY ${schema}.${table} (${columnList(columns)}) FROM STDIN`));
  await pipeline(Readable.from(text), copy);
}

/** Inserts rows. `columns` are passed separately because a history table has one more column. */
export async function insertRows(
  context: WriteContext,
  table: string,
  columns: Readonly<Record<string, ColumnType>>,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const json = rows.length < COPY_FROM_ROWS ? cleanJson(rows) : undefined;
  if (json === undefined || json.length >= COPY_FROM_CHARACTERS) {
    return copyRows(context, table, Object.keys(columns), copyText(rows, Object.entries(columns)));
  }
  const { client, schema } = context;
  const list = columnList(Object.keys(columns));
  await client.query({
    name: `put ${schema}.${table}`,
    text: `INSERT INTO ${schema}.${table} (${list})
           SELECT ${list} FROM jsonb_populate_recordset(NULL::${schema}.${table}, $1::jsonb)`,
    values: [json],
  });
}

type Scalar = number | string | boolean | null;

/** Returns SQL and parameters, from $1 on, for a set of rows: one array of values per column. */
export function unnestOf(columns: readonly (readonly [name: string, type: ColumnType, values: readonly Scalar[]])[]): {
  from: string;
  values: string[];
} {
  const types = columns.map(([, type], index) => `$${index + 1}::${type}[]`);
  return {
    from: `unnest(${types.join(', ')}) k(${columnList(columns.map(([name]) => name))})`,
    values: columns.map(([, type, values]) =>
      type === 'text'
        ? textArray(values as readonly (string | null)[])
        : `{${values.map((value) => value ?? 'NULL').join(',')}}`,
    ),
  };
}

const keyColumns = (shape: TableShape, keys: readonly Key[]) =>
  shape.key.map((name, part) => {
    const values: Scalar[] = keys.map((key) => key[part] as number | string);
    return [name, shape.columns[name] as ColumnType, values] as const;
  });

const keyCondition = (shape: TableShape): string =>
  shape.key.map((column) => `t."${column}" = k."${column}"`).join(' AND ');

/**
 * Deletes the rows with these keys and returns the deleted rows. Rows of a versioned table move to the history of the
 * table: `until[i]` is the seq at which the row with the key `keys[i]` stops being valid.
 */
export async function takeRows<Row extends object>(
  { client, schema }: WriteContext,
  shape: TableShape,
  keys: readonly Key[],
  until: readonly number[],
): Promise<Row[]> {
  if (keys.length === 0) return [];
  const table = `${schema}.${shape.name}`;
  const { from, values } = unnestOf([...keyColumns(shape, keys), ['valid_to', 'bigint', until]]);
  const columns = Object.keys(shape.columns);
  const columnNames = columnList(columns);
  const insertHistory = `, kept AS (INSERT INTO ${table}_history (${columnNames}, valid_to) SELECT ${columnNames}, valid_to FROM gone)`;
  // One list per column: PostgreSQL then looks up a type's JSON conversion once per column, not per row.
  const { rows } = await client.query<Record<string, string | null>>({
    name: `take ${table}`,
    text: `WITH gone AS (
             DELETE FROM ${table} t USING ${from} WHERE ${keyCondition(shape)}
             RETURNING t.*, k.valid_to)${shape.versioned ? insertHistory : ''}
           SELECT ${columns.map((column) => `json_agg("${column}")::text AS "${column}"`).join(', ')} FROM gone`,
    values,
  });
  return rowsOf(columns.map((column) => [column, JSON.parse(rows[0]?.[column] ?? '[]') as unknown[]]));
}

/**
 * Builds rows from columns. Each row starts as a copy of an empty row: V8 would store rows built key by key as slow
 * dictionaries.
 */
function rowsOf<Row extends object>(columns: readonly (readonly [name: string, values: readonly unknown[]])[]): Row[] {
  const empty = JSON.parse(JSON.stringify(Object.fromEntries(columns.map(([name]) => [name, null]))));
  const rows: Record<string, unknown>[] = (columns[0]?.[1] ?? []).map(() => ({ ...empty }));
  for (const [name, values] of columns) {
    for (let index = 0; index < rows.length; index++) (rows[index] as Record<string, unknown>)[name] = values[index];
  }
  return rows as Row[];
}

/** Deletes the rows with these keys. */
export async function removeRows(
  { client, schema }: WriteContext,
  shape: TableShape,
  keys: readonly Key[],
): Promise<void> {
  if (keys.length === 0) return;
  const { from, values } = unnestOf(keyColumns(shape, keys));
  await client.query({
    name: `drop ${schema}.${shape.name}`,
    text: `DELETE FROM ${schema}.${shape.name} t USING ${from} WHERE ${keyCondition(shape)}`,
    values,
  });
}

/** Updates scalar columns of existing rows; each patch has the key of a row and the new values of these columns. */
export async function patchRows<Row extends object>(
  { client, schema }: WriteContext,
  shape: TableOf<Row>,
  columns: readonly (keyof Row & string)[],
  patches: readonly Partial<Row>[],
): Promise<void> {
  if (patches.length === 0) return;
  const table = `${schema}.${shape.name}`;
  const { from, values } = unnestOf(
    [...shape.key, ...columns].map((name) => {
      return [name, shape.columns[name], patches.map((patch) => patch[name] as Scalar)] as const;
    }),
  );
  await client.query({
    name: `patch ${table}`,
    text: `UPDATE ${table} t SET ${columns.map((column) => `"${column}" = k."${column}"`).join(', ')}
             FROM ${from} WHERE ${keyCondition(shape)}`,
    values,
  });
}
