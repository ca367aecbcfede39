/**
 * Rows of long streams, kept in the database: a decision reads the rows that it touches there and the end of the stream,
 * not the whole stream. A cache in a schema of its own; what it holds of a stream may be dropped at any time.
 */
import type { DomainEvent } from '@rdm/contracts';
import { type Log, type Pool, type Queryable, transaction } from '@rdm/platform';
import type { Loaded } from './streams.ts';
import { WRITTEN_LATER } from './written-later.ts';

/** The rows that a decision may look up: by their ids, and by their canonical keys. */
export interface Touched {
  ids?: readonly number[];
  keys?: readonly string[];
}

/** Plain JSON. */
export interface KeptRow {
  id: number;
  key: string;
}

/** How a state is taken apart into rows, and put together from some of them. */
export interface RowsOf<State, E extends DomainEvent> {
  rows: (state: State) => ReadonlyMap<number, KeptRow>;
  /** What a state holds beside its rows, as plain JSON. */
  head: (state: State) => unknown;
  stateOf: (head: never, rows: readonly never[]) => State;
  /** The rows that an event is about. */
  idsOf: (event: E) => readonly number[];
}

/** From here on, rows of a stream are kept: its last revision, or the bytes that its state takes in memory. */
const LONG = { revision: 200, bytes: 512 * 1024 };

/** Rows that one statement writes. */
const ROWS_AT_ONCE = 2_000;

interface Found {
  revision: number;
  last_at: string;
  head: never;
  rows: never[] | null;
}

export class KeptRows {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #long: typeof LONG;

  constructor(pool: Pool, log: Log, long = LONG) {
    this.#pool = pool;
    this.#log = log;
    this.#long = long;
  }

  isLong<State>({ weigh }: { weigh: (state: State) => number }, { state, revision }: Loaded<State>): boolean {
    return revision >= this.#long.revision || weigh(state) >= this.#long.bytes;
  }

  /**
   * A state that holds the touched rows and those that share a key with one of them, at the revision that is kept;
   * undefined where nothing is kept of the stream.
   */
  async read<State, E extends DomainEvent>(
    { stateOf }: RowsOf<State, E>,
    stream: string,
    { ids = [], keys = [] }: Touched,
  ): Promise<Loaded<State> | undefined> {
    const { rows } = await this.#pool.query<Found>({
      name: 'kept-rows',
      text: `
        SELECT s.revision, s.last_at, s.head, (
          SELECT json_agg(r.row) FROM (
            SELECT unnest($2::bigint[]) AS id
            UNION SELECT k.id FROM unnest($3::text[]) AS key
                    JOIN cache.rows k ON k.stream_id = s.stream_id AND k.key_hash = hashtextextended(key, 0)
            UNION SELECT k.id FROM unnest($2::bigint[]) AS t(id)
                    JOIN cache.rows named ON named.stream_id = s.stream_id AND named.id = t.id
                    JOIN cache.rows k ON k.stream_id = s.stream_id AND k.key_hash = named.key_hash
          ) touched JOIN cache.rows r ON r.stream_id = s.stream_id AND r.id = touched.id) AS rows
          FROM cache.streams s WHERE s.stream = $1`,
      values: [stream, ids, keys],
    });
    const [found] = rows;
    if (!found) return undefined;
    const { revision, last_at: lastAt } = found;
    return { state: stateOf(found.head, found.rows ?? []), revision, lastAt, keptAt: revision, isPart: true };
  }

  /** Keeps a whole state of a stream of which nothing is kept. Answers the revision that it is kept at. */
  async fill<State, E extends DomainEvent>(
    of: RowsOf<State, E>,
    stream: string,
    { state, revision, lastAt }: Loaded<State>,
  ): Promise<number | undefined> {
    const fill = async (db: Queryable) => {
      const { rows: begun } = await db.query<{ stream_id: number }>(
        `INSERT INTO cache.streams (stream, revision, last_at, head)
         SELECT $1, $2, $3, $4::json FROM ${WRITTEN_LATER} ON CONFLICT DO NOTHING RETURNING stream_id`,
        [stream, revision, lastAt, JSON.stringify(of.head(state))],
      );
      const [kept] = begun;
      if (!kept) return undefined;
      const rows = [...of.rows(state).values()];
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        const some = JSON.stringify(rows.slice(from, from + ROWS_AT_ONCE));
        await db.query(`WITH kept AS (SELECT $1::bigint AS stream_id) ${insertRows('$2')}`, [kept.stream_id, some]);
      }
      return revision;
    };
    return this.#written(() => transaction(this.#pool, fill));
  }

  /**
   * Moves what is kept forward by the rows that events changed, from the revision that the state began with. Where another
   * process moved it, it stays: the next decision reads the end of the stream.
   */
  async advance<State, E extends DomainEvent>(
    of: RowsOf<State, E>,
    stream: string,
    { state, revision, lastAt, keptAt }: Loaded<State>,
    ids: Iterable<number>,
  ): Promise<number | undefined> {
    if (keptAt === undefined || keptAt === revision) return keptAt;
    const all = of.rows(state);
    const rows = [...new Set(ids)].map((id) => all.get(id)).filter((row) => row !== undefined);
    const advance = () =>
      this.#pool.query({
        name: 'keep-rows',
        text: `WITH kept AS (
                 UPDATE cache.streams SET revision = $2, last_at = $3, head = $4::json, used_on = current_date
                   FROM ${WRITTEN_LATER} WHERE stream = $1 AND revision = $6 RETURNING stream_id)
               ${insertRows('$5')} ON CONFLICT (stream_id, id) DO UPDATE SET row = EXCLUDED.row`,
        values: [stream, revision, lastAt, JSON.stringify(of.head(state)), JSON.stringify(rows), keptAt],
      });
    return this.#written(async () => ((await advance()).rowCount === rows.length ? revision : undefined));
  }

  /** Drops what is kept of a stream that it does not fit. */
  async forget(stream: string): Promise<void> {
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
    for (const { stream } of rows) await this.forget(stream);
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

/** Keeps these rows of the stream in `kept`, if it is there. */
const insertRows = (rows: string): string => `INSERT INTO cache.rows (stream_id, id, key_hash, row)
  SELECT kept.stream_id, (row ->> 'id')::bigint, hashtextextended(row ->> 'key', 0), row
    FROM kept, json_array_elements(${rows}::json) AS row`;
