/**
 * Stores valid rows between validation and import, by bucket and in pieces. The import appends the pieces of a bucket
 * one by one.
 */
import { BUCKETS, canonicalKey, EVENT_BYTES_MAX, EVENT_ROWS_MAX, type ImportMode, rowIdIn } from '@rdm/contracts';
import type { Pool, Queryable } from '@rdm/platform';
import { ASYNC_COMMIT } from '../../runtime/async-commit.ts';
import { readBytes } from '../../runtime/read-bytes.ts';
import { cellsOf, type StagedRow, type StagedRows } from '../decider.ts';
import { DuplicateKeyDetector } from './duplicate-keys.ts';
import { GrowingText } from './growing-text.ts';
import { type RepeatedLines, repeatedLines, type StagedKeys } from './repeated-keys.ts';
import type { ImportPlan, ValidRow } from './row-validation.ts';

/** The number of pieces that are written concurrently. */
const CONCURRENT_WRITES = 4;
/** The rows of a piece are limited, because memory holds one piece per bucket. */
const PIECE_ROWS_MAX = 4 * EVENT_ROWS_MAX;
const PIECE_BYTES_MAX = (EVENT_BYTES_MAX * 2) / 3;

/**
 * The size of a bucket's first piece, as a share of a full piece. With equal sizes, the pieces of all buckets would be
 * written at the same time, because rows are spread evenly over the buckets.
 */
const firstShare = (bucket: number): number => (bucket + 1) / BUCKETS;

/** Separates the rows of an event. JSON text contains no raw line break, so rows can be split without a parser. */
const ROW_SEPARATOR = ',\n';
const EVENT_SEPARATOR = ',\n\n';
const LINE_BREAK = 10;

interface Piece {
  bucket: number;
  number: number;
  lines: number[];
  rows: GrowingText;
  /** The approximate size of the events for this piece. */
  bytes: number;
}

/** The maximum number of sequence numbers that are allocated in advance. */
const SEQUENCES_AT_ONCE = 10_000;

/** Gives rows their sequence numbers in the order of the file. Allocates numbers in advance, so that reading rarely waits. */
class RowSequences {
  readonly #pool: Pool;
  #free: number[] = [];
  #next = 0;
  #allocated = 0;
  #ahead: Promise<number[]> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  get #left(): number {
    return this.#free.length - this.#next;
  }

  /** Resolves once this many rows can be numbered. */
  async reserve(rows: number): Promise<void> {
    while (this.#left < rows) {
      const numbers = await (this.#ahead ?? this.#allocate(rows - this.#left));
      this.#ahead = undefined;
      this.#free = [...this.#free.slice(this.#next), ...numbers];
      this.#next = 0;
    }
    // Allocate at most as many numbers as until now, so that a short file leaves few of them unused.
    const next = Math.min(SEQUENCES_AT_ONCE, this.#allocated);
    if (this.#ahead === undefined && this.#left < Math.max(2 * rows, next / 2)) {
      this.#ahead = this.#allocate(next);
      // The error is thrown where the promise is awaited.
      this.#ahead.catch(() => undefined);
    }
  }

  next(): number {
    const sequence = this.#free[this.#next];
    if (sequence === undefined) throw new Error('More rows were added than were reserved');
    this.#next += 1;
    return sequence;
  }

  async #allocate(count: number): Promise<number[]> {
    this.#allocated += count;
    const { rows } = await this.#pool.query<{ numbers: number[] }>({
      name: 'take-instance-ids',
      text: `SELECT json_agg(nextval('command.instance_ids')) AS numbers FROM generate_series(1, $1::integer)`,
      values: [count],
    });
    return rows[0]?.numbers ?? [];
  }
}

/** An attempt that stages rows, and the indexes of the key's cells. */
export interface Staged extends Pick<ImportPlan, 'keyAt'> {
  jobId: number;
  attempt: number;
}

/** Stages the valid rows of an attempt. Memory holds one unfinished piece per bucket. */
export class RowStaging {
  readonly #pool: Pool;
  readonly #staged: Staged;
  readonly #isMerge: boolean;
  readonly #open = new Map<number, Piece>();
  readonly #writing = new Set<Promise<void>>();
  /** The buffers of written pieces, for later pieces. */
  readonly #spare: GrowingText[] = [];
  /** The first failed write, which ends the attempt. */
  #failure: { error: unknown } | undefined;
  readonly #duplicateKeys = new DuplicateKeyDetector();
  readonly #sequences: RowSequences;
  /** The number of pieces per bucket. */
  readonly pieces = new Map<number, number>();
  /** Buckets in which a key may occur twice. */
  readonly #bucketsToCompare = new Set<number>();

  constructor(pool: Pool, staged: Staged, mode: ImportMode) {
    this.#pool = pool;
    this.#sequences = new RowSequences(pool);
    this.#staged = staged;
    this.#isMerge = mode !== 'insert';
  }

  /** Resolves once this many rows can be added. */
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
    if (this.#duplicateKeys.add(row.key)) this.#bucketsToCompare.add(row.bucket);
    const count = piece.lines.push(row.line) - 1;
    const separator = count === 0 ? '' : count % EVENT_ROWS_MAX === 0 ? EVENT_SEPARATOR : ROW_SEPARATOR;
    const id = rowIdIn(row.bucket, this.#sequences.next());
    piece.bytes += piece.rows.add(`${separator}[${id},${JSON.stringify(row.cells).slice(1)}`);
    // The event of a changed row also has the ids of the fields.
    if (this.#isMerge) piece.bytes += 16 + row.cells.length * 20;
  }

  /** Waits until at most `atMost` writes are running. */
  async settle(atMost = CONCURRENT_WRITES): Promise<void> {
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

  /** Returns the lines of a bucket to leave out, because another line has the same key. */
  async repeatedLines(bucket: number, keep: 'first' | 'last' = 'first'): Promise<RepeatedLines> {
    if (!this.#bucketsToCompare.has(bucket)) return new Map();
    return repeatedLines(await stagedKeys(this.#pool, this.#staged, bucket), keep);
  }

  /** Throws if a crash of the database lost pieces: their commits do not wait for the disk. */
  async requireWhole(db: Queryable): Promise<void> {
    const { rows } = await db.query<{ pieces: number }>(
      'SELECT count(*) AS pieces FROM command.staged_rows WHERE job_id = $1 AND attempt = $2',
      [this.#staged.jobId, this.#staged.attempt],
    );
    let written = 0;
    for (const count of this.pieces.values()) written += count;
    if (rows[0]?.pieces !== written) {
      throw new Error(`${rows[0]?.pieces} of ${written} pieces of job ${this.#staged.jobId} are staged`);
    }
  }

  #begin(bucket: number): Piece {
    const number = this.pieces.get(bucket) ?? 0;
    this.pieces.set(bucket, number + 1);
    const rows = this.#spare.pop() ?? new GrowingText();
    const piece: Piece = { bucket, number, lines: [], rows, bytes: 0 };
    this.#open.set(bucket, piece);
    return piece;
  }

  #write({ bucket, number, lines, rows }: Piece): void {
    const { jobId, attempt } = this.#staged;
    const write = this.#pool
      .query({
        name: 'stage-rows',
        text: `INSERT INTO command.staged_rows (job_id, attempt, bucket, number, lines, rows)
               SELECT $1, $2, $3, $4, $5, $6 FROM ${ASYNC_COMMIT}`,
        values: [jobId, attempt, bucket, number, JSON.stringify(lines), rows.bytes],
      })
      .then(
        () => {
          rows.clear();
          this.#spare.push(rows);
        },
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#writing.delete(write));
    this.#writing.add(write);
  }
}

function isFull({ bucket, number, lines, bytes }: Piece): boolean {
  const share = number === 0 ? firstShare(bucket) : 1;
  return lines.length >= share * PIECE_ROWS_MAX || bytes >= share * PIECE_BYTES_MAX;
}

/** The keys of a bucket, piece by piece in the order of the file. */
export async function stagedKeys(pool: Pool, staged: Staged, bucket: number): Promise<StagedKeys[]> {
  const { rows } = await pool.query<{ number: number }>(
    'SELECT number FROM command.staged_rows WHERE job_id = $1 AND attempt = $2 AND bucket = $3 ORDER BY number',
    [staged.jobId, staged.attempt, bucket],
  );
  const pieces: StagedKeys[] = [];
  for (const { number } of rows) {
    const piece: StagedKeys = { number, lines: [], keys: [] };
    for (const { line, key } of await stagedRows(pool, staged, bucket, number)) {
      piece.lines.push(line);
      piece.keys.push(key);
    }
    pieces.push(piece);
  }
  return pieces;
}

/** The rows of a piece, with their ids and keys. */
export async function stagedRows(
  pool: Pool,
  { jobId, attempt, keyAt }: Staged,
  bucket: number,
  number: number,
): Promise<StagedRows> {
  const columns = await readBytes(
    pool,
    'SELECT lines, rows FROM command.staged_rows WHERE job_id = $1 AND attempt = $2 AND bucket = $3 AND number = $4',
    [jobId, attempt, bucket, number],
  );
  const [lineBytes, rows] = columns ?? [];
  if (!lineBytes || !rows) throw new Error(`Piece ${number} of bucket ${bucket} of job ${jobId} is not staged`);
  const lines = JSON.parse(lineBytes.toString()) as number[];
  return {
    length: lines.length,
    get eventRows() {
      return [...eventRows(rows)];
    },
    *[Symbol.iterator](): Generator<StagedRow> {
      for (const [index, text] of rows.toString().split(/,\n+/).entries()) {
        const cells = cellsOf({ text });
        const key = canonicalKey(keyAt.map((at) => cells[at] ?? null));
        // A comma follows the id, because a row has at least the cell of its key.
        yield { line: lines[index] as number, key, text, id: Number(text.slice(1, text.indexOf(','))) };
      }
    },
  };
}

/** Yields a JSON array of the rows of each event, without the line breaks between the rows. */
function* eventRows(rows: Buffer): Generator<Buffer> {
  for (let from = 0; from < rows.length; ) {
    const separator = rows.indexOf(EVENT_SEPARATOR, from);
    const to = separator < 0 ? rows.length : separator;
    const array = Buffer.allocUnsafe(to - from + 2);
    let length = array.write('[');
    for (let at = from; at < to; at++) {
      const byte = rows[at] as number;
      if (byte !== LINE_BREAK) array[length++] = byte;
    }
    length += array.write(']', length);
    yield array.subarray(0, length);
    from = to + EVENT_SEPARATOR.length;
  }
}
