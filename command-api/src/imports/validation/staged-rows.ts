/** Valid rows between validation and import: spilled by bucket, in pieces that are appended at once. */
import { BUCKETS, EVENT_BYTES_MAX, EVENT_ROWS_MAX, type ImportMode, rowId } from '@rdm/contracts';
import type { Pool, Queryable } from '@rdm/platform';
import { ASYNC_COMMIT } from '../../runtime/async-commit.ts';
import type { StagedRow } from '../decider.ts';
import { SeenKeys } from './duplicate-keys.ts';
import { GrowingText } from './growing-text.ts';
import type { ValidRow } from './row-validation.ts';

/** Pieces on their way to the database at once. */
const IN_FLIGHT = 4;
/** A piece is two events of narrow rows; of wide ones it is smaller, for memory holds one of each bucket. */
const PIECE_ROWS_MAX = 2 * EVENT_ROWS_MAX;
const PIECE_BYTES_MAX = EVENT_BYTES_MAX / 3;

/**
 * How much of a piece the first one of a bucket takes: rows spread evenly over the buckets, whose pieces would otherwise
 * all be full at once, and reading would wait for all of them to be written.
 */
const firstShare = (bucket: number): number => (bucket + 1) / BUCKETS;

/** JSON has no bare line break: rows can be told apart without being read. */
const SEPARATOR = ',\n';

interface Piece {
  bucket: number;
  number: number;
  lines: number[];
  sequences: number[];
  keys: GrowingText;
  cells: GrowingText;
  /** What its events take, about. */
  bytes: number;
}

/** Numbers of a sequence that are taken at once, at most. */
const SEQUENCES_AT_ONCE = 10_000;

/** Numbers for rows in the order of the file: they are taken ahead of the rows, so that reading seldom waits for them. */
class RowSequences {
  readonly #pool: Pool;
  #free: number[] = [];
  #next = 0;
  #taken = 0;
  #ahead: Promise<number[]> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  get #left(): number {
    return this.#free.length - this.#next;
  }

  /** Resolves once so many rows can be numbered. */
  async reserve(rows: number): Promise<void> {
    while (this.#left < rows) {
      const numbers = await (this.#ahead ?? this.#take(rows - this.#left));
      this.#ahead = undefined;
      this.#free = [...this.#free.slice(this.#next), ...numbers];
      this.#next = 0;
    }
    // A short file takes no more numbers than twice its rows.
    if (this.#ahead === undefined && this.#left < 2 * rows) {
      this.#ahead = this.#take(Math.min(SEQUENCES_AT_ONCE, this.#taken));
      // Thrown when its turn comes, if it does.
      this.#ahead.catch(() => undefined);
    }
  }

  next(): number {
    const sequence = this.#free[this.#next];
    if (sequence === undefined) throw new Error('More rows were added than were announced');
    this.#next += 1;
    return sequence;
  }

  async #take(count: number): Promise<number[]> {
    this.#taken += count;
    const { rows } = await this.#pool.query<{ numbers: number[] }>({
      name: 'take-instance-ids',
      text: `SELECT json_agg(nextval('command.instance_ids')) AS numbers FROM generate_series(1, $1::integer)`,
      values: [count],
    });
    return rows[0]?.numbers ?? [];
  }
}

/** Collects the valid rows of one attempt; memory holds one unfinished piece a bucket. */
export class Spill {
  readonly #pool: Pool;
  readonly #jobId: number;
  readonly #attempt: number;
  readonly #changes: boolean;
  readonly #open = new Map<number, Piece>();
  readonly #writing = new Set<Promise<void>>();
  /** Pieces that were written, whose memory the next ones take. */
  readonly #spare: Piece[] = [];
  /** The first write that failed; the attempt ends with it. */
  #failure: { error: unknown } | undefined;
  readonly #seen = new SeenKeys();
  readonly #sequences: RowSequences;
  /** Pieces per bucket so far. */
  readonly pieces = new Map<number, number>();
  /** Buckets in which a key may stand twice. */
  readonly doubtful = new Set<number>();

  constructor(pool: Pool, job: { jobId: number; attempt: number; mode: ImportMode }) {
    this.#pool = pool;
    this.#sequences = new RowSequences(pool);
    this.#jobId = job.jobId;
    this.#attempt = job.attempt;
    this.#changes = job.mode !== 'insert';
  }

  /** Resolves once so many rows can be added. */
  reserve(rows: number): Promise<void> {
    return this.#sequences.reserve(rows);
  }

  add(row: ValidRow): void {
    let piece = this.#open.get(row.bucket);
    if (piece && isFull(piece)) {
      this.#write(piece);
      piece = undefined;
    }
    piece ??= this.#begin(row.bucket);
    if (this.#seen.add(row.key)) this.doubtful.add(row.bucket);
    const isFirst = piece.lines.length === 0;
    piece.lines.push(row.line);
    piece.sequences.push(this.#sequences.next());
    piece.keys.add(`${isFirst ? '[' : ','}${JSON.stringify(row.key)}`);
    // A new row says its id, a changed one names its fields too.
    const beside = this.#changes ? 32 + row.cells.length * 20 : 20;
    piece.bytes += piece.cells.add(`${isFirst ? '[' : SEPARATOR}${JSON.stringify(row.cells)}`) + beside;
  }

  /** Waits until few enough pieces are on their way. */
  async settle(atMost = IN_FLIGHT): Promise<void> {
    while (this.#writing.size > atMost) await Promise.race(this.#writing);
    if (this.#failure) throw this.#failure.error;
  }

  async end(): Promise<void> {
    for (const piece of this.#open.values()) {
      this.#write(piece);
      await this.settle();
    }
    this.#open.clear();
    await this.settle(0);
  }

  /** Throws when pieces were lost on their way. */
  async requireWhole(db: Queryable): Promise<void> {
    const { rows } = await db.query<{ pieces: number }>(
      'SELECT count(*) AS pieces FROM command.staged_rows WHERE job_id = $1 AND attempt = $2',
      [this.#jobId, this.#attempt],
    );
    let written = 0;
    for (const count of this.pieces.values()) written += count;
    if (rows[0]?.pieces !== written) {
      throw new Error(`${rows[0]?.pieces} of ${written} pieces of job ${this.#jobId} are staged`);
    }
  }

  #begin(bucket: number): Piece {
    const number = this.pieces.get(bucket) ?? 0;
    this.pieces.set(bucket, number + 1);
    const { keys, cells } = this.#spare.pop() ?? { keys: new GrowingText(), cells: new GrowingText() };
    const piece: Piece = { bucket, number, lines: [], sequences: [], keys, cells, bytes: 0 };
    this.#open.set(bucket, piece);
    return piece;
  }

  #write(piece: Piece): void {
    const { bucket, number, lines, sequences, keys, cells } = piece;
    keys.add(']');
    cells.add(']');
    const written = this.#pool
      .query({
        name: 'stage-rows',
        text: `INSERT INTO command.staged_rows (job_id, attempt, bucket, number, lines, keys, cells, sequences)
               SELECT $1, $2, $3, $4, $5, $6, $7, $8::bigint[] FROM ${ASYNC_COMMIT}`,
        values: [
          ...[this.#jobId, this.#attempt, bucket, number],
          ...[JSON.stringify(lines), keys.bytes, cells.bytes, `{${sequences.join(',')}}`],
        ],
      })
      .then(
        () => {
          keys.clear();
          cells.clear();
          this.#spare.push(piece);
        },
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#writing.delete(written));
    this.#writing.add(written);
  }
}

function isFull({ bucket, number, lines, bytes }: Piece): boolean {
  const share = number === 0 ? firstShare(bucket) : 1;
  return lines.length >= share * PIECE_ROWS_MAX || bytes >= share * PIECE_BYTES_MAX;
}

export interface StagedKeys {
  number: number;
  lines: number[];
  keys: string[];
}

/** The keys of a bucket, piece by piece in the file's order. */
export async function stagedKeys(pool: Pool, jobId: number, attempt: number, bucket: number): Promise<StagedKeys[]> {
  const { rows } = await pool.query<{ number: number; lines: string; keys: string }>({
    name: 'staged-keys',
    text: `SELECT number, lines, keys FROM command.staged_rows
            WHERE job_id = $1 AND attempt = $2 AND bucket = $3 ORDER BY number`,
    values: [jobId, attempt, bucket],
  });
  return rows.map(({ number, lines, keys }) => ({ number, lines: JSON.parse(lines), keys: JSON.parse(keys) }));
}

/** The rows of one piece, with the ids they were given. */
export async function stagedRows(
  pool: Pool,
  jobId: number,
  attempt: number,
  bucket: number,
  number: number,
): Promise<StagedRow[]> {
  const { rows } = await pool.query<{ lines: string; keys: string; cells: string; sequences: string }>({
    name: 'staged-rows',
    text: `SELECT lines, keys, cells, array_to_json(sequences)::text AS sequences FROM command.staged_rows
            WHERE job_id = $1 AND attempt = $2 AND bucket = $3 AND number = $4`,
    values: [jobId, attempt, bucket, number],
  });
  const piece = rows[0];
  if (!piece) throw new Error(`Piece ${number} of bucket ${bucket} of job ${jobId} is not staged`);
  const lines = JSON.parse(piece.lines) as number[];
  const keys = JSON.parse(piece.keys) as string[];
  const texts = rowTexts(piece.cells, lines.length);
  const sequences = JSON.parse(piece.sequences) as number[];
  return lines.map((line, index) => {
    const key = keys[index] as string;
    return { line, key, text: texts[index] as string, id: rowId(sequences[index] as number, key) };
  });
}

/** Pieces that an earlier version staged have no breaks. */
function rowTexts(cells: string, count: number): string[] {
  const texts = cells.slice(1, -1).split(SEPARATOR);
  return texts.length === count ? texts : (JSON.parse(cells) as unknown[]).map((row) => JSON.stringify(row));
}
