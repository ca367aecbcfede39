/** Runs queries on the serving schemas, for current data or as of a past seq, and returns the position of the result. */
import { Refusal } from '@rdm/contracts';
import type { ApiAnswer, Client, Pool, Queryable } from '@rdm/platform';
import { waitForPosition, waitForSeq } from '../http/freshness.ts';
import { type Bookmarks, openBookmarks } from '../list/bookmarks.ts';
import type { FieldMap } from '../list/filter/compile.ts';
import { type LogReader, resolveAsOf } from './as-of.ts';
import {
  isBehindAsOf,
  MISSING_NAME_CODES,
  type PositionRow,
  requireReached,
  selectPosition,
  throwQueryError,
} from './build-progress.ts';
import type { Builds } from './builds.ts';
import { readAtPace } from './download-pace.ts';
import { REGEX_TIMEOUT_MS } from './pools.ts';
import { openRegexTurns } from './regex-turns.ts';
import { openTables, TABLES, type Tables } from './serving-tables.ts';
import { type Sql, sql } from './sql.ts';
import { codeOf, createStatementNames, runStatement, toCallerRefusal, withTimeLimit } from './statements.ts';

export type { Table, Tables } from './serving-tables.ts';

/** The parts of a request that decide how a query runs; every ApiRequest has them. */
export interface ReadRequest {
  minPosition?: bigint | undefined;
  query?: unknown;
  /** The user or API key of the request; undefined for reads without a request. */
  principal?: { userId: number } | undefined;
  /** The response, which is destroyed when the client closes the connection; undefined for reads without a request. */
  response?: { readonly destroyed: boolean } | undefined;
  /** Set only by the filter test. */
  inspect?: Inspection | undefined;
}

/** Statistics that the filter test collects while a list is read. */
export interface Inspection {
  /** The fields of the list definition. */
  fields?: FieldMap;
  /** Estimated cost of each statement, from EXPLAIN. */
  costs: number[];
  /** Milliseconds spent on EXPLAIN, which other requests do not run. */
  planning: number;
}

export class ReadResult<Row> implements ShownPosition {
  /** The rows as JSON text from PostgreSQL, which can be sent without parsing. */
  readonly json: string;
  readonly position: string;
  readonly isBehind: boolean;
  readonly shownPosition: string;
  /** Whether the query has rows today, but none as of the requested past. */
  readonly #existsToday: boolean;
  #rows: Row[] | undefined;

  constructor(json: string, { position, isBehind, shownPosition }: ShownPosition, existsToday = false) {
    this.json = json;
    this.position = position;
    this.isBehind = isBehind;
    this.shownPosition = shownPosition;
    this.#existsToday = existsToday;
  }

  get rows(): Row[] {
    this.#rows ??= JSON.parse(this.json) as Row[];
    return this.#rows;
  }

  /**
   * Returns the first row. Without a row, throws NOT_FOUND, or BEHIND if the read models are behind: the caller may
   * have just written the row.
   */
  one(): Row {
    const row = this.rows[0];
    if (row !== undefined) return row;
    if (this.isBehind)
      throw new Refusal('BEHIND', 'Your last change is not readable yet. Please try again.', undefined, 1);
    throw new Refusal('NOT_FOUND', this.#existsToday ? 'This did not exist yet at that time' : 'Not found');
  }
}

export interface ReadPosition {
  /** Commit position that all projections of the query have reached. */
  readonly position: string;
  /** Whether the request needs a later position. */
  readonly isBehind: boolean;
}

export interface ShownPosition extends ReadPosition {
  /**
   * The `position` in the body of the response. A result of the past has the seq of that past, so that repeated reads
   * return the same body; the header X-Position has the current position.
   */
  readonly shownPosition: string;
}

/** A batch of an export. */
export type StreamBatch<Row> = ReadPosition & { rows: Row[] };

/**
 * Runs a further query for a batch in the same snapshot. The query may only use tables that the query of the stream
 * uses too.
 */
export type RunQuery = <More>(build: (tables: Tables) => Sql) => Promise<More[]>;
type CompleteBatch<Row> = (rows: Row[], runQuery: RunQuery) => Promise<Row[]>;

/** A row, and whether `condition` holds in the row's snapshot. If not, the row must not be used. */
export type SingleRow<Row> = ShownPosition & { row: Row; holds: boolean };

export interface SingleOptions {
  /** SQL for the condition under which the row may be used. */
  condition?: ((tables: Tables) => Sql) | undefined;
  /** Whether the statement is prepared, because its SQL text runs often. */
  isFrequent?: boolean;
  /** Runs the statement on `searchPool`, and cancels the statement after this time. */
  timeLimitMs?: number;
}

export interface ReadModels {
  /** Runs a query on the serving tables; returns its rows and their position from one snapshot. Times are ISO texts. */
  read<Row>(
    readRequest: ReadRequest,
    build: (tables: Tables) => Sql,
    options?: Pick<SingleOptions, 'isFrequent' | 'timeLimitMs'>,
  ): Promise<ReadResult<Row>>;
  /**
   * Runs a query with one row, and returns the row as the driver parses it. The query must cast large numbers to text,
   * because JavaScript numbers cannot represent them.
   */
  single<Row>(
    readRequest: ReadRequest,
    build: (tables: Tables) => Sql,
    options?: SingleOptions,
  ): Promise<SingleRow<Row>>;
  /**
   * Yields the rows of a query in batches from one snapshot, for downloads of any size. Uses `downloadPool` for a
   * request of a principal, and `pool` for other reads. Yields at least one batch, which may be empty.
   */
  stream<Row>(
    readRequest: ReadRequest,
    build: (tables: Tables) => Sql,
    completeBatch?: CompleteBatch<Row>,
  ): AsyncGenerator<StreamBatch<Row>>;
  /**
   * Whether the read models have reached the end of the log since they last started from its beginning. Until then,
   * reads are refused.
   */
  isComplete(): boolean;
  /** Returns the names of the projections that have no serving build yet. */
  missing(): string[];
  /** Where the pages start that earlier requests have read. */
  bookmarks: Bookmarks;
}

/** Returns the parameter `asOf` of the request; undefined for current data. */
function asOfParam({ query }: ReadRequest): string | undefined {
  const past = (query as { asOf?: unknown } | undefined)?.asOf;
  return typeof past === 'string' && past !== '' ? past : undefined;
}

export const isOfPast = (readRequest: ReadRequest): boolean => asOfParam(readRequest) !== undefined;

/** The JSON of a result without rows. */
const NO_ROWS = '[]';
const STREAM_ROWS = 1_000;
/** The same limits as the connections of `regexPool`. */
const REGEX_SETTINGS = `SET LOCAL statement_timeout = ${REGEX_TIMEOUT_MS}; SET LOCAL max_parallel_workers_per_gather = 0`;
/** Maximum number of prepared search statements per connection: each has a large plan, due to many partitions. */
const SEARCH_STATEMENTS = 50;
/** The user id of reads without a principal. */
const NO_USER = 0;
const userOf = ({ principal }: ReadRequest): number => principal?.userId ?? NO_USER;

export interface ReadModelOptions {
  pool: Pool;
  /**
   * For queries with a regular expression of a caller, but not for streams or queries with `timeLimitMs`. The pool has
   * few connections and a short statement timeout.
   */
  regexPool: Pool;
  /** Only for queries with `timeLimitMs`: the time limit stays set on a connection after its query. */
  searchPool: Pool;
  /** For streams of a principal, so that slow downloads do not take connections from other reads. */
  downloadPool: Pool;
  builds: Builds;
  /** Shows whether all events up to an instant are projected. Without it, reads as of an instant skip this check. */
  log?: LogReader;
}

/** A query with the tables that it reads, and their schemas by projection. */
interface ComposedQuery {
  query: Sql;
  tables: Tables;
  schemas: ReadonlyMap<string, string>;
}

export function openReadModels({
  pool,
  regexPool,
  searchPool,
  downloadPool,
  builds,
  log,
}: ReadModelOptions): ReadModels {
  const regexTurns = openRegexTurns(regexPool.options.max);
  const statementNames = createStatementNames();
  const searchStatementNames = createStatementNames(SEARCH_STATEMENTS);
  const prepare = async (readRequest: ReadRequest, build: (tables: Tables) => Sql) => {
    const past = asOfParam(readRequest);
    const asOf = past === undefined ? undefined : await resolveAsOf(pool, past, log);
    const compose = (): ComposedQuery => {
      const { tables, schemas } = openTables(builds, asOf);
      return { query: build(tables), schemas, tables };
    };
    const first = compose();
    const minPosition = readRequest.minPosition;
    if (minPosition === undefined) return { compose, composed: first };
    await waitForPosition(builds, first.schemas.keys(), minPosition);
    return { compose, composed: compose() };
  };

  /**
   * Runs a read on the pool for its query. A query with a regular expression waits in the queue of `regexTurns`, unless
   * it has a time limit.
   */
  const withPool = <Result>(
    readRequest: ReadRequest,
    query: Sql,
    timeLimitMs: number | undefined,
    run: (db: Queryable) => Promise<Result>,
  ): Promise<Result> => {
    if (timeLimitMs !== undefined) return withTimeLimit(searchPool, timeLimitMs, run);
    return query.hasRegex
      ? regexTurns.run(
          userOf(readRequest),
          () => run(regexPool),
          () => readRequest.response?.destroyed === true,
        )
      : run(pool);
  };

  const single = async <Row>(
    readRequest: ReadRequest,
    build: (tables: Tables) => Sql,
    { condition, isFrequent = false, timeLimitMs }: SingleOptions = {},
  ): Promise<SingleRow<Row>> => {
    const withCondition = (tables: Tables) => {
      const holds = condition?.(tables) ?? sql`true`;
      return sql`SELECT (${holds}) AS holds, found.* FROM (${build(tables)}) found`;
    };
    const { compose, composed } = await prepare(readRequest, withCondition);
    const run = async ({ query, schemas }: ComposedQuery) => {
      const names = [...schemas.values()];
      const fullQuery = sql`SELECT progress.*, found.* FROM ${selectPosition(names)} progress, (${query}) found`;
      const { rows } = await withPool(readRequest, query, timeLimitMs, async (db) => {
        // EXPLAIN without ANALYZE, which would run the query.
        if (readRequest.inspect) await explain(readRequest.inspect, db, fullQuery);
        const nameOf = timeLimitMs === undefined ? statementNames : searchStatementNames;
        return runStatement(db, fullQuery, isFrequent ? nameOf : undefined);
      });
      const row = rows[0] as Row & PositionRow & { holds: boolean };
      return { row, isCurrent: row.serving === names.length };
    };
    let answered = await run(composed).catch((error: unknown) => {
      if (!MISSING_NAME_CODES.has(codeOf(error))) throw error;
      return undefined;
    });
    if (!answered?.isCurrent) {
      await builds.reload();
      const recomposed = compose();
      answered = await run(recomposed).catch((error: unknown) => throwQueryError(pool, recomposed.schemas, error));
    }
    if (isBehindAsOf(composed.tables.asOf, answered.row)) {
      await waitForSeq(builds, composed.schemas.keys(), composed.tables.asOf as number);
      answered = await run(compose());
      requireReached(composed.tables.asOf, answered.row);
    }
    const { row } = answered;
    const { position } = row;
    const { asOf } = composed.tables;
    const shownPosition = asOf === undefined ? position : `seq:${asOf}`;
    return { row, holds: row.holds, position, isBehind: isBehind(readRequest, position), shownPosition };
  };

  return {
    single,
    bookmarks: openBookmarks(),

    async read<Row>(
      readRequest: ReadRequest,
      build: (tables: Tables) => Sql,
      options?: Pick<SingleOptions, 'isFrequent' | 'timeLimitMs'>,
    ) {
      const rows = (tables: Tables) =>
        sql`SELECT coalesce(json_agg(each), '[]')::text AS json FROM (${build(tables)}) each`;
      const { row, ...position } = await single<{ json: string }>(readRequest, rows, options);
      const isEmptyPast = asOfParam(readRequest) !== undefined && row.json === NO_ROWS;
      const existsToday =
        isEmptyPast &&
        (await single<{ json: string }>({ minPosition: readRequest.minPosition }, rows)).row.json !== NO_ROWS;
      return new ReadResult<Row>(row.json, position, existsToday);
    },

    async *stream<Row>(
      readRequest: ReadRequest,
      build: (tables: Tables) => Sql,
      completeBatch: CompleteBatch<Row> = async (rows) => rows,
    ) {
      const { composed } = await prepare(readRequest, build);
      const { hasRegex } = composed.query;
      if (hasRegex) await regexTurns.requireNoWait(userOf(readRequest));
      const client = await (readRequest.principal ? downloadPool : pool).connect();
      let rollbackError: Error | undefined;
      try {
        yield* streamRows(client, readRequest, composed, completeBatch);
      } catch (error) {
        const failure = hasRegex ? regexTurns.countFailure(userOf(readRequest), error) : error;
        await throwQueryError(pool, composed.schemas, toCallerRefusal(failure));
      } finally {
        await endTransaction(client).catch((error: Error) => {
          rollbackError = error;
        });
        client.release(rollbackError);
      }
    },

    isComplete: () => builds.isComplete(),
    missing: () =>
      [...new Set(Object.values(TABLES).map((table) => table.projection))].filter((name) => !builds.serving(name)),
  };
}

/** Reads the rows of a composed query in batches, in one snapshot. */
async function* streamRows<Row>(
  client: Client,
  readRequest: ReadRequest,
  { query, schemas, tables }: ComposedQuery,
  completeBatch: CompleteBatch<Row>,
): AsyncGenerator<StreamBatch<Row>> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  if (query.hasRegex) await client.query(REGEX_SETTINGS);
  const { rows } = await runStatement(client, sql`SELECT * FROM ${selectPosition([...schemas.values()])} progress`);
  const progress = rows[0] as PositionRow;
  requireReached(tables.asOf, progress);
  const { position } = progress;
  await runStatement(
    client,
    sql`DECLARE streamed NO SCROLL CURSOR FOR SELECT row_to_json(found)::text AS json FROM (${query}) found`,
  );
  const readBatch = async () => {
    const batch = await client.query(`FETCH ${STREAM_ROWS} FROM streamed`);
    const read = JSON.parse(`[${batch.rows.map((row) => row.json as string).join(',')}]`) as Row[];
    const completed = await completeBatch(read, async <More>(more: (tables: Tables) => Sql) => {
      const result = await runStatement(client, more(tables));
      return result.rows as More[];
    });
    return { fetched: read.length, rows: completed };
  };
  for (let isLast = false; !isLast; ) {
    // Only downloads are slowed down, not the stream without a principal that fills the translation cache.
    const { fetched, rows } = await (readRequest.principal ? readAtPace(readBatch) : readBatch());
    isLast = fetched < STREAM_ROWS;
    yield { rows, position, isBehind: isBehind(readRequest, position) };
  }
}

const isBehind = ({ minPosition }: ReadRequest, position: string): boolean =>
  minPosition !== undefined && BigInt(position) < minPosition;

async function explain(inspection: Inspection, db: Queryable, query: Sql): Promise<void> {
  const started = performance.now();
  const { rows } = await runStatement(db, sql`EXPLAIN (FORMAT JSON) ${query}`);
  const [row] = rows as [{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number } }] }];
  inspection.costs.push(row['QUERY PLAN'][0].Plan['Total Cost']);
  inspection.planning += performance.now() - started;
}

const endTransaction = (client: Client) => client.query('ROLLBACK');

/** Returns a response with its position. */
export const answer = ({ position, isBehind }: ReadPosition, body: unknown): ApiAnswer => ({
  body,
  position,
  headers: headersOf(isBehind),
});

/** Returns a response with its position for a body that PostgreSQL wrote as JSON text. */
export const answerJson = ({ position, isBehind }: ReadPosition, json: string): ApiAnswer => ({
  json,
  position,
  headers: headersOf(isBehind),
});

const headersOf = (isBehind: boolean): Record<string, string> => (isBehind ? { 'X-Behind': 'true' } : {});
