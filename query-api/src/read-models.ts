/** Reading the read models: the serving schemas, today's or past rows, and the position that the answer is true for. */
import { Refusal } from '@rdm/contracts';
import type { ApiAnswer, Client, Pool, Queryable } from '@rdm/platform';
import { resolveAsOf } from './as-of.ts';
import { type Bookmarks, openBookmarks } from './bookmarks.ts';
import type { Builds } from './builds.ts';
import type { FieldMap } from './filter/compile.ts';
import { waitForPosition } from './freshness.ts';
import { identifier, type Sql, sql, statement } from './sql.ts';

/** The projection that owns each table, and whether `<table>_as_of(seq)` knows its past. */
const TABLES = {
  reference_data_types: { projection: 'reference_types', versioned: true },
  reference_data_types_history: { projection: 'reference_types', versioned: false },
  reference_data_sets: { projection: 'data_sets', versioned: true },
  reference_data_sets_history: { projection: 'data_sets', versioned: false },
  instances: { projection: 'instances', versioned: true },
  instances_history: { projection: 'instances', versioned: false },
  data_set_counts: { projection: 'instances', versioned: false },
  reference_data_collections: { projection: 'collections', versioned: true },
  reference_data_collections_history: { projection: 'collections', versioned: false },
  roles: { projection: 'collections', versioned: false },
  members: { projection: 'collections', versioned: false },
  groups: { projection: 'collections', versioned: false },
  crosswalk_mappings: { projection: 'crosswalks', versioned: true },
  crosswalk_mappings_history: { projection: 'crosswalks', versioned: false },
  crosswalk_mapping_values: { projection: 'crosswalks', versioned: true },
  crosswalk_mapping_values_history: { projection: 'crosswalks', versioned: false },
  mapping_counts: { projection: 'crosswalks', versioned: false },
  approval_items: { projection: 'crosswalks', versioned: false },
  missing_mappings: { projection: 'missing_mappings', versioned: false },
  relationships: { projection: 'relationships', versioned: true },
  relationships_history: { projection: 'relationships', versioned: false },
  relationship_values: { projection: 'relationships', versioned: true },
  relationship_values_history: { projection: 'relationships', versioned: false },
  relationship_value_counts: { projection: 'relationships', versioned: false },
  relationship_approval_items: { projection: 'relationships', versioned: false },
  import_jobs: { projection: 'jobs', versioned: false },
  saved_filters: { projection: 'saved_filters', versioned: false },
  entity_filter_configurations: { projection: 'filter_configurations', versioned: false },
  audit_logs: { projection: 'audit_log', versioned: false },
  changes: { projection: 'changes', versioned: false },
} as const;
export type Table = keyof typeof TABLES;

/** Names tables in a query: `tables('instances')` is the serving table, or its rows as of the seq asked for. */
export interface Tables {
  /** Of a table without a past, when asked for the past: refused, so that nothing of today passes for it. */
  (table: Table): Sql;
  /** The table as it is today, whatever was asked for. */
  current(table: Table): Sql;
  readonly asOf: number | undefined;
}

/** What of a request decides how a read is done; every ApiRequest has it. */
export interface Asked {
  minPosition?: bigint | undefined;
  query?: unknown;
  /** Left out by all but the filter test. */
  inspect?: Inspection | undefined;
}

/** What the filter test learns of a list while it is read. */
export interface Inspection {
  /** The list as it was defined. */
  fields?: FieldMap;
  /** Of each statement, as PostgreSQL plans it before it runs. */
  costs: number[];
  /** Milliseconds that the planning took: no list spends them. */
  planning: number;
}

export class Found<Row> implements Standing {
  /** The rows as Postgres wrote them: a JSON array, to be passed on as text. */
  readonly json: string;
  readonly position: string;
  readonly behind: boolean;
  #rows: Row[] | undefined;

  constructor(json: string, position: string, behind: boolean) {
    this.json = json;
    this.position = position;
    this.behind = behind;
  }

  get rows(): Row[] {
    this.#rows ??= JSON.parse(this.json) as Row[];
    return this.#rows;
  }

  /** The one row, or 404: what may not be read does not exist for the caller. */
  one(): Row {
    const row = this.rows[0];
    if (row === undefined) throw new Refusal('NOT_FOUND', 'Not found');
    return row;
  }
}

export interface Standing {
  /** Commit position that all projections used have reached. */
  readonly position: string;
  /** The caller asked for a later position than this. */
  readonly behind: boolean;
}

/** The row, and whether what it was asked under holds in its snapshot: where it does not, the row says nothing. */
export type Single<Row> = Standing & { row: Row; holds: boolean };

export interface SingleOptions {
  /** Condition that the answer is given under. */
  provided?: ((tables: Tables) => Sql) | undefined;
  /** The same words will be asked often, with other values: they are parsed and planned once a connection. */
  often?: boolean;
}

export interface ReadModels {
  /** Rows of one query over serving tables, in one snapshot with their position. Times are ISO texts. */
  read<Row>(asked: Asked, build: (tables: Tables) => Sql): Promise<Found<Row>>;
  /** The one row that a query yields, its columns as the driver reads them (cast what JSON must not touch to text). */
  single<Row>(asked: Asked, build: (tables: Tables) => Sql, options?: SingleOptions): Promise<Single<Row>>;
  /** Rows in batches, for exports of any size, in one snapshot; at least one batch, which may be empty. */
  stream<Row>(asked: Asked, build: (tables: Tables) => Sql): AsyncGenerator<Found<Row>>;
  /** The names of the projections whose tables are missing: none once everything serves. */
  missing(): string[];
  /** Places in lists that were looked at. */
  bookmarks: Bookmarks;
}

const STREAM_ROWS = 1_000;
/** So many regular expressions wait for their turn; each may take two seconds. */
const RISKY_WAITING = 8;
/** Names in SQL that vanished: the build was replaced and its grace period is over. */
const GONE = new Set(['42P01', '3F000', '42883']);

export interface ReadModelOptions {
  pool: Pool;
  /** For queries with a caller's regular expression: few connections, a short statement timeout. */
  riskyPool: Pool;
  builds: Builds;
}

export function openReadModels({ pool, riskyPool, builds }: ReadModelOptions): ReadModels {
  const named = openStatementNames();
  const prepare = async (asked: Asked, build: (tables: Tables) => Sql) => {
    const past = (asked.query as { asOf?: unknown } | undefined)?.asOf;
    const asOf = typeof past === 'string' && past !== '' ? await resolveAsOf(pool, past) : undefined;
    const compose = () => {
      const schemas = new Map<string, string>();
      const schemaOf = (projection: string): string => {
        const serving = builds.serving(projection);
        if (!serving) throw new Refusal('UNAVAILABLE', 'This part of the system is still starting', undefined, 1);
        schemas.set(projection, serving.schema);
        return serving.schema;
      };
      const current = (table: Table) => identifier(schemaOf(TABLES[table].projection), table);
      const tables: Tables = Object.assign(
        (table: Table): Sql => {
          if (asOf === undefined) return current(table);
          if (!TABLES[table].versioned) throw new Refusal('INVALID', 'This has no past: leave asOf out');
          return sql`${identifier(schemaOf(TABLES[table].projection), `${table}_as_of`)}(${asOf}::bigint)`;
        },
        { current, asOf },
      );
      return { query: build(tables), schemas };
    };
    const first = compose();
    const needed = asked.minPosition;
    if (needed === undefined) return { compose, composed: first };
    await waitForPosition(builds, first.schemas.keys(), needed);
    return { compose, composed: compose() };
  };

  const poolFor = (query: Sql): Pool => {
    if (!query.risky) return pool;
    if (riskyPool.waitingCount >= RISKY_WAITING) {
      throw new Refusal(
        'TOO_MANY_REQUESTS',
        'Others are looking for regular expressions. Please try again.',
        undefined,
        2,
      );
    }
    return riskyPool;
  };

  const isBehind = (asked: Asked, position: string) =>
    asked.minPosition !== undefined && BigInt(position) < asked.minPosition;

  const single = async <Row>(
    asked: Asked,
    build: (tables: Tables) => Sql,
    { provided, often = false }: SingleOptions = {},
  ): Promise<Single<Row>> => {
    const both = (tables: Tables) => {
      const holds = provided?.(tables) ?? sql`true`;
      return sql`SELECT (${holds}) AS holds, found.* FROM (${build(tables)}) found`;
    };
    const { compose, composed } = await prepare(asked, both);
    const run = async ({ query, schemas }: { query: Sql; schemas: Map<string, string> }) => {
      const names = [...schemas.values()];
      const db = poolFor(query);
      const whole = sql`SELECT ${standing(names)}, found.* FROM (${query}) found`;
      // Never ANALYZE, which would run it; planned under the timeout that it runs under.
      if (asked.inspect) await plan(asked.inspect, db, whole);
      const { rows } = await ask(db, whole, often ? named : undefined);
      const row = rows[0] as Row & { position: string; serving: number; holds: boolean };
      return { row, current: row.serving === names.length };
    };
    let answered = await run(composed).catch((error: unknown) => {
      if (!GONE.has(codeOf(error))) throw error;
      return undefined;
    });
    if (!answered?.current) {
      await builds.reload();
      answered = await run(compose());
    }
    const { row } = answered;
    return { row, holds: row.holds, position: row.position, behind: isBehind(asked, row.position) };
  };

  return {
    single,
    bookmarks: openBookmarks(),

    async read<Row>(asked: Asked, build: (tables: Tables) => Sql) {
      const { row, position, behind } = await single<{ json: string }>(
        asked,
        (tables) => sql`SELECT coalesce(json_agg(each), '[]')::text AS json FROM (${build(tables)}) each`,
      );
      return new Found<Row>(row.json, position, behind);
    },

    async *stream<Row>(asked: Asked, build: (tables: Tables) => Sql) {
      const { composed } = await prepare(asked, build);
      const client = await poolFor(composed.query).connect();
      let broken: Error | undefined;
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const { rows } = await ask(client, sql`SELECT ${standing([...composed.schemas.values()])}`);
        const { position } = rows[0] as { position: string };
        await ask(
          client,
          sql`DECLARE streamed NO SCROLL CURSOR FOR SELECT row_to_json(found)::text AS json FROM (${composed.query}) found`,
        );
        for (let fetched = STREAM_ROWS; fetched === STREAM_ROWS; ) {
          const batch = await client.query(`FETCH ${STREAM_ROWS} FROM streamed`);
          fetched = batch.rows.length;
          const json = `[${batch.rows.map((row) => row.json as string).join(',')}]`;
          yield new Found<Row>(json, position, isBehind(asked, position));
        }
      } catch (error) {
        throw mended(error);
      } finally {
        await endTransaction(client).catch((error: Error) => {
          broken = error;
        });
        client.release(broken);
      }
    },

    missing: () =>
      [...new Set(Object.values(TABLES).map((table) => table.projection))].filter((name) => !builds.serving(name)),
  };
}

/** Position that all these builds have reached, and how many of them still serve. */
const standing = (schemas: string[]): Sql => sql`
  coalesce((SELECT min(commit_position::numeric)::text FROM platform.builds WHERE schema_name = ANY(${schemas})),
           (SELECT commit_position FROM platform.reader)) AS position,
  (SELECT count(*) FROM platform.builds WHERE serving AND schema_name = ANY(${schemas})) AS serving`;

async function plan(inspection: Inspection, db: Queryable, query: Sql): Promise<void> {
  const started = performance.now();
  const { rows } = await ask(db, sql`EXPLAIN (FORMAT JSON) ${query}`);
  const [row] = rows as [{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number } }] }];
  inspection.costs.push(row['QUERY PLAN'][0].Plan['Total Cost']);
  inspection.planning += performance.now() - started;
}

const endTransaction = (client: Client) => client.query('ROLLBACK');

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** The statement's time was over. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === '57014';

/** Texts that a connection keeps parsed: so many, as each keeps its own. */
const NAMED_STATEMENTS = 200;

/** Names statements that are asked often; undefined for one too many. */
function openStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= NAMED_STATEMENTS) return known;
    const name = `often ${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** A regular expression that unfolds into more than memory or the stack can hold. */
const TOO_COMPLEX = new Set(['XX000', '53200', '54000', '54001']);

/** Runs a query; what only the caller can have caused becomes a refusal. */
export async function ask(
  db: Queryable,
  query: Sql,
  nameOf?: (text: string) => string | undefined,
): Promise<{ rows: unknown[]; rowCount: number | null }> {
  try {
    const asked = statement(query);
    const name = nameOf?.(asked.text);
    return await db.query(name === undefined ? asked : { ...asked, name });
  } catch (error) {
    if (query.risky && TOO_COMPLEX.has(codeOf(error))) {
      throw new Refusal('INVALID', 'This regular expression is too complex: PostgreSQL cannot take it');
    }
    throw mended(error);
  }
}

function mended(error: unknown): unknown {
  switch (codeOf(error)) {
    case '2201B':
      return new Refusal('INVALID', 'This is not a regular expression that PostgreSQL understands');
    case '22021':
    case '22P05':
      return new Refusal('INVALID', 'The request holds a character that no stored text can have');
    default:
      return error;
  }
}

/** An answer with the position it is true for. */
export const answer = ({ position, behind }: Standing, body: unknown): ApiAnswer => ({
  body,
  position,
  headers: headersOf(behind),
});

/** The same, of JSON text that Postgres wrote. */
export const answerJson = ({ position, behind }: Standing, json: string): ApiAnswer => ({
  json,
  position,
  headers: headersOf(behind),
});

const headersOf = (behind: boolean): Record<string, string> => (behind ? { 'X-Behind': 'true' } : {});
