/**
 * Caches the rows of long streams in the database. A decision then reads only the rows that it touches and the end of
 * the stream. Any entry may be dropped at any time.
 */
import type { DomainEvent } from '@rdm/contracts';
import { batchLookups, type Log, type Pool, type Queryable, transaction } from '@rdm/platform';
import { ASYNC_COMMIT } from './async-commit.ts';
import type { LoadedStream } from './loaded-stream.ts';

/** The rows that a decision reads, by id and by canonical key. */
export interface RowLookup {
  ids?: readonly number[];
  keys?: readonly string[];
}

/** A row as plain JSON. */
export interface CachedRow {
  id: number;
  key: string;
}

/** Splits a state into rows and builds a state from some of them. */
export interface RowCodec<State, E extends DomainEvent> {
  rows: (state: State) => ReadonlyMap<number, CachedRow>;
  /** The part of a state that is not in its rows, as plain JSON. */
  head: (state: State) => unknown;
  stateOf: (head: never, rows: readonly never[]) => State;
  /** The ids of the rows that an event changes. */
  idsOf: (event: E) => readonly number[];
}

/** A stream is cached if it reaches one of these limits: its last revision, or the bytes of its state in memory. */
const LONG_STREAM = { revision: 200, bytes: 512 * 1024 };

/** Rows per statement. */
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
  /** The cached revision before the update. `revision` is the cached revision after it. */
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
  // A command decides on many streams at once: batch their lookups and updates.
  readonly #read: (lookup: StreamLookup) => Promise<CachedStream | undefined>;
  readonly #update: (update: CacheUpdate) => Promise<boolean>;

  constructor(pool: Pool, log: Log, long = LONG_STREAM) {
    this.#pool = pool;
    this.#log = log;
    this.#long = long;
    this.#read = batchLookups((lookup) => readCachedRows(pool, lookup));
    this.#update = batchLookups((update) => applyUpdates(pool, update));
  }

  isLong<State>(
    { estimateBytes }: { estimateBytes: (state: State) => number },
    { state, revision }: LoadedStream<State>,
  ): boolean {
    return revision >= this.#long.revision || estimateBytes(state) >= this.#long.bytes;
  }

  /**
   * Reads a state at the cached revision with only the touched rows and the rows that share a key with them; undefined
   * if the stream is not cached.
   */
  async read<State, E extends DomainEvent>(
    { stateOf }: RowCodec<State, E>,
    stream: string,
    { ids = [], keys = [] }: RowLookup,
  ): Promise<LoadedStream<State> | undefined> {
    const entry = await this.#read({ stream, ids, keys });
    if (!entry) return undefined;
    const { revision, last_at: lastAt } = entry;
    return {
      state: stateOf(entry.head, entry.rows ?? []),
      revision,
      lastAt,
      cachedRevision: revision,
      isPartial: true,
    };
  }

  /**
   * Caches the whole state of a stream. Returns the cached revision; undefined if the stream was cached already, or on
   * failure.
   */
  async store<State, E extends DomainEvent>(
    codec: RowCodec<State, E>,
    stream: string,
    { state, revision, lastAt }: LoadedStream<State>,
  ): Promise<number | undefined> {
    const insert = async (db: Queryable) => {
      const { rows: inserted } = await db.query<{ stream_id: number }>(
        `INSERT INTO cache.streams (stream, revision, last_at, head)
         SELECT $1, $2, $3, $4::json FROM ${ASYNC_COMMIT} ON CONFLICT DO NOTHING RETURNING stream_id`,
        [stream, revision, lastAt, JSON.stringify(codec.head(state))],
      );
      const [entry] = inserted;
      if (!entry) return undefined;
      const rows = [...codec.rows(state).values()];
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        const chunk = JSON.stringify(rows.slice(from, from + ROWS_PER_STATEMENT));
        await db.query(
          `${INSERT_ROWS} FROM (SELECT $1::bigint AS stream_id) kept, json_array_elements($2::json) AS row`,
          [entry.stream_id, chunk],
        );
      }
      return revision;
    };
    return this.#tryWrite(() => transaction(this.#pool, insert));
  }

  /**
   * Updates the cache with the rows that events changed, starting from the state's cached revision. If another process
   * has updated the cache first, nothing changes: the next decision reads the end of the stream.
   */
  async update<State, E extends DomainEvent>(
    codec: RowCodec<State, E>,
    stream: string,
    { state, revision, lastAt, cachedRevision }: LoadedStream<State>,
    ids: Iterable<number>,
  ): Promise<number | undefined> {
    if (cachedRevision === undefined || cachedRevision === revision) return cachedRevision;
    const rowsById = codec.rows(state);
    const rows = [...new Set(ids)].map((id) => rowsById.get(id)).filter((row) => row !== undefined);
    const update = { stream, from: cachedRevision, revision, lastAt, head: codec.head(state), rows };
    return this.#tryWrite(async () => ((await this.#update(update)) ? revision : undefined));
  }

  /** Drops a stream from the cache. */
  async evict(stream: string): Promise<void> {
    await this.#pool.query(
      `WITH gone AS (DELETE FROM cache.streams WHERE stream = $1 RETURNING stream_id)
       DELETE FROM cache.rows USING gone WHERE rows.stream_id = gone.stream_id`,
      [stream],
    );
  }

  /** Drops streams whose cached rows were not updated for 30 days. */
  async prune(): Promise<void> {
    const { rows } = await this.#pool.query<{ stream: string }>(
      `SELECT stream FROM cache.streams WHERE used_on < current_date - 30`,
    );
    for (const { stream } of rows) await this.evict(stream);
  }

  /**
   * Logs a failure and returns undefined. The cache may then be outdated; nothing is lost, because the event store has
   * the events.
   */
  async #tryWrite(write: () => Promise<number | undefined>): Promise<number | undefined> {
    try {
      return await write();
    } catch (error) {
      this.#log.warn({ err: error }, 'Rows of a stream could not be cached: decisions read more of its events');
      return undefined;
    }
  }
}

async function readCachedRows(pool: Pool, lookups: readonly StreamLookup[]): Promise<(CachedStream | undefined)[]> {
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
    values: [JSON.stringify(lookups)],
  });
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return lookups.map((_, index) => byPlace.get(index + 1));
}

/**
 * Applies updates and returns which of them were applied. Locks streams in the order of their names, so that processes
 * do not deadlock. In the statement, `moved` are the updates, and `kept` are the cached streams that they have updated.
 */
async function applyUpdates(pool: Pool, updates: readonly CacheUpdate[]): Promise<boolean[]> {
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
    values: [JSON.stringify(updates)],
  });
  const updated = new Set(rows.map(({ stream }) => stream));
  return updates.map(({ stream }) => updated.has(stream));
}

/** Inserts rows of cached streams. The caller adds a FROM clause with the streams as `kept` and their rows as `row`. */
const INSERT_ROWS = `INSERT INTO cache.rows (stream_id, id, key_hash, row)
  SELECT kept.stream_id, (row ->> 'id')::bigint, hashtextextended(row ->> 'key', 0), row`;
