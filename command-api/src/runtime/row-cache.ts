/**
 * Rows of long streams, kept in the database: a decision reads the rows that it touches there and the end of the stream,
 * not the whole stream. A cache in a schema of its own; what it holds of a stream may be dropped at any time.
 */
import type { DomainEvent } from '@rdm/contracts';
import { gathering, type Log, type Pool, type Queryable, transaction } from '@rdm/platform';
import { ASYNC_COMMIT } from './async-commit.ts';
import type { Loaded } from './streams.ts';

/** The rows that a decision may look up: by their ids, and by their canonical keys. */
export interface RowLookup {
  ids?: readonly number[];
  keys?: readonly string[];
}

/** Plain JSON. */
export interface CachedRow {
  id: number;
  key: string;
}

/** How a state is taken apart into rows, and put together from some of them. */
export interface RowCodec<State, E extends DomainEvent> {
  rows: (state: State) => ReadonlyMap<number, CachedRow>;
  /** What a state holds beside its rows, as plain JSON. */
  head: (state: State) => unknown;
  stateOf: (head: never, rows: readonly never[]) => State;
  /** The rows that an event is about. */
  idsOf: (event: E) => readonly number[];
}

/** From here on, rows of a stream are kept: its last revision, or the bytes that its state takes in memory. */
const LONG_STREAM = { revision: 200, bytes: 512 * 1024 };

/** Rows that one statement writes. */
const ROWS_PER_STATEMENT = 2_000;

interface CachedStream {
  revision: number;
  last_at: string;
  head: never;
  rows: never[] | null;
}

interface StreamLookup {
  stream: string;
  ids: readonly number[];
  keys: readonly string[];
}

interface CacheUpdate {
  stream: string;
  /** The revision that the rows are kept at, and the one that they are kept at from then on. */
  from: number;
  revision: number;
  lastAt: string;
  head: unknown;
  rows: CachedRow[];
}

export class RowCache {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #long: typeof LONG_STREAM;
  // A command decides on many streams at once: they are read and moved together.
  readonly #read: (asked: StreamLookup) => Promise<CachedStream | undefined>;
  readonly #move: (moved: CacheUpdate) => Promise<boolean>;

  constructor(pool: Pool, log: Log, long = LONG_STREAM) {
    this.#pool = pool;
    this.#log = log;
    this.#long = long;
    this.#read = gathering((asked) => readCachedRows(pool, asked));
    this.#move = gathering((moved) => applyUpdates(pool, moved));
  }

  isLong<State>({ weigh }: { weigh: (state: State) => number }, { state, revision }: Loaded<State>): boolean {
    return revision >= this.#long.revision || weigh(state) >= this.#long.bytes;
  }

  /**
   * A state that holds the touched rows and those that share a key with one of them, at the revision that is kept;
   * undefined where nothing is kept of the stream.
   */
  async read<State, E extends DomainEvent>(
    { stateOf }: RowCodec<State, E>,
    stream: string,
    { ids = [], keys = [] }: RowLookup,
  ): Promise<Loaded<State> | undefined> {
    const found = await this.#read({ stream, ids, keys });
    if (!found) return undefined;
    const { revision, last_at: lastAt } = found;
    return {
      state: stateOf(found.head, found.rows ?? []),
      revision,
      lastAt,
      cachedRevision: revision,
      isPartial: true,
    };
  }

  /** Keeps a whole state of a stream of which nothing is kept. Answers the revision that it is kept at. */
  async store<State, E extends DomainEvent>(
    of: RowCodec<State, E>,
    stream: string,
    { state, revision, lastAt }: Loaded<State>,
  ): Promise<number | undefined> {
    const fill = async (db: Queryable) => {
      const { rows: begun } = await db.query<{ stream_id: number }>(
        `INSERT INTO cache.streams (stream, revision, last_at, head)
         SELECT $1, $2, $3, $4::json FROM ${ASYNC_COMMIT} ON CONFLICT DO NOTHING RETURNING stream_id`,
        [stream, revision, lastAt, JSON.stringify(of.head(state))],
      );
      const [kept] = begun;
      if (!kept) return undefined;
      const rows = [...of.rows(state).values()];
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        const some = JSON.stringify(rows.slice(from, from + ROWS_PER_STATEMENT));
        await db.query(
          `${INSERT_ROWS} FROM (SELECT $1::bigint AS stream_id) kept, json_array_elements($2::json) AS row`,
          [kept.stream_id, some],
        );
      }
      return revision;
    };
    return this.#written(() => transaction(this.#pool, fill));
  }

  /**
   * Moves what is kept forward by the rows that events changed, from the revision that the state began with. Where another
   * process moved it, it stays: the next decision reads the end of the stream.
   */
  async update<State, E extends DomainEvent>(
    of: RowCodec<State, E>,
    stream: string,
    { state, revision, lastAt, cachedRevision: keptAt }: Loaded<State>,
    ids: Iterable<number>,
  ): Promise<number | undefined> {
    if (keptAt === undefined || keptAt === revision) return keptAt;
    const all = of.rows(state);
    const rows = [...new Set(ids)].map((id) => all.get(id)).filter((row) => row !== undefined);
    const moved = { stream, from: keptAt, revision, lastAt, head: of.head(state), rows };
    return this.#written(async () => ((await this.#move(moved)) ? revision : undefined));
  }

  /** Drops what is kept of a stream that it does not fit. */
  async evict(stream: string): Promise<void> {
    await this.#pool.query(
      `WITH gone AS (DELETE FROM cache.streams WHERE stream = $1 RETURNING stream_id)
       DELETE FROM cache.rows USING gone WHERE rows.stream_id = gone.stream_id`,
      [stream],
    );
  }

  /** Drops what no decision used for a month. */
  async prune(): Promise<void> {
    const { rows } = await this.#pool.query<{ stream: string }>(
      `SELECT stream FROM cache.streams WHERE used_on < current_date - 30`,
    );
    for (const { stream } of rows) await this.evict(stream);
  }

  /** A failure leaves the cache where it was, or what cannot be told: the events are in the log. */
  async #written(write: () => Promise<number | undefined>): Promise<number | undefined> {
    try {
      return await write();
    } catch (error) {
      this.#log.warn({ err: error }, 'Rows of a stream could not be kept: decisions read more of its events');
      return undefined;
    }
  }
}

async function readCachedRows(pool: Pool, asked: readonly StreamLookup[]): Promise<(CachedStream | undefined)[]> {
  const { rows } = await pool.query<CachedStream & { place: number }>({
    name: 'kept-rows',
    text: `
      SELECT a.place, s.revision, s.last_at, s.head, (
        SELECT json_agg(r.row) FROM (
          SELECT unnest(a.ids) AS id
          UNION SELECT k.id FROM unnest(a.keys) AS key
                  JOIN cache.rows k ON k.stream_id = s.stream_id AND k.key_hash = hashtextextended(key, 0)
          UNION SELECT k.id FROM unnest(a.ids) AS t(id)
                  JOIN cache.rows named ON named.stream_id = s.stream_id AND named.id = t.id
                  JOIN cache.rows k ON k.stream_id = s.stream_id AND k.key_hash = named.key_hash
        ) touched JOIN cache.rows r ON r.stream_id = s.stream_id AND r.id = touched.id) AS rows
        FROM ROWS FROM (json_to_recordset($1) AS (stream text, ids bigint[], keys text[]))
             WITH ORDINALITY AS a(stream, ids, keys, place)
        JOIN cache.streams s ON s.stream = a.stream`,
    values: [JSON.stringify(asked)],
  });
  const found = new Map(rows.map((row) => [row.place, row]));
  return asked.map((_, index) => found.get(index + 1));
}

/** Answers which of them were moved. Locks them in one order, whichever process moves which. */
async function applyUpdates(pool: Pool, moved: readonly CacheUpdate[]): Promise<boolean[]> {
  const { rows } = await pool.query<{ stream: string }>({
    name: 'move-rows',
    text: `
      WITH moved AS MATERIALIZED (
        SELECT * FROM json_to_recordset($1)
            AS m(stream text, "from" integer, revision integer, "lastAt" text, head json, rows json)),
      locked AS MATERIALIZED (
        SELECT s.stream_id, m.* FROM cache.streams s JOIN moved m ON s.stream = m.stream AND s.revision = m."from"
         ORDER BY s.stream FOR UPDATE OF s),
      kept AS (
        UPDATE cache.streams s SET revision = l.revision, last_at = l."lastAt", head = l.head, used_on = current_date
          FROM locked l, ${ASYNC_COMMIT} WHERE s.stream_id = l.stream_id RETURNING s.stream_id, s.stream),
      written AS (
        ${INSERT_ROWS} FROM kept JOIN moved USING (stream), json_array_elements(moved.rows) AS row
        ON CONFLICT (stream_id, id) DO UPDATE SET row = EXCLUDED.row)
      SELECT stream FROM kept`,
    values: [JSON.stringify(moved)],
  });
  const done = new Set(rows.map(({ stream }) => stream));
  return moved.map(({ stream }) => done.has(stream));
}

const INSERT_ROWS = `INSERT INTO cache.rows (stream_id, id, key_hash, row)
  SELECT kept.stream_id, (row ->> 'id')::bigint, hashtextextended(row ->> 'key', 0), row`;
