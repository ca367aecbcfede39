/** Valid rows between validation and import: spilled by bucket, in pieces that each fit one event. */
import { EVENT_BYTES_MAX, EVENT_ROWS_MAX, rowId } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import type { StagedRow } from './decider.ts';
import type { ValidRow } from './validation.ts';

/** Pieces on their way to the database at once. */
const IN_FLIGHT = 4;
/** Left for what an event says beside its rows. */
const ENVELOPE_BYTES = 8 * 1024;

interface Piece {
  bucket: number;
  number: number;
  lines: number[];
  keys: string[];
  cells: string[];
  bytes: number;
}

/** Collects the valid rows of one attempt; memory holds one unfinished piece a bucket. */
export class Spill {
  readonly #pool: Pool;
  readonly #jobId: number;
  readonly #attempt: number;
  readonly #open = new Map<number, Piece>();
  readonly #writing = new Set<Promise<void>>();
  /** The first write that failed; the attempt ends with it. */
  #failure: { error: unknown } | undefined;
  /** Pieces per bucket so far. */
  readonly pieces = new Map<number, number>();

  constructor(pool: Pool, jobId: number, attempt: number) {
    this.#pool = pool;
    this.#jobId = jobId;
    this.#attempt = attempt;
  }

  add(row: ValidRow): void {
    const cells = JSON.stringify(row.cells);
    // The larger of its two forms: a new row says its id, a changed one names its fields too.
    const bytes = Buffer.byteLength(cells) + 32 + row.cells.length * 20;
    let piece = this.#open.get(row.bucket);
    if (piece && (piece.lines.length >= EVENT_ROWS_MAX || piece.bytes + bytes > EVENT_BYTES_MAX - ENVELOPE_BYTES)) {
      this.#write(piece);
      piece = undefined;
    }
    if (!piece) {
      const number = this.pieces.get(row.bucket) ?? 0;
      this.pieces.set(row.bucket, number + 1);
      piece = { bucket: row.bucket, number, lines: [], keys: [], cells: [], bytes: 0 };
      this.#open.set(row.bucket, piece);
    }
    piece.lines.push(row.line);
    piece.keys.push(row.key);
    piece.cells.push(cells);
    piece.bytes += bytes;
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

  #write(piece: Piece): void {
    const written = this.#pool
      .query({
        name: 'stage-rows',
        text: `INSERT INTO command.staged_rows (job_id, attempt, bucket, number, lines, keys, cells, sequences)
               SELECT $1, $2, $3, $4, $5, $6, $7, array_agg(nextval('command.instance_ids'))
                 FROM generate_series(1, $8::integer)`,
        values: [
          this.#jobId,
          this.#attempt,
          piece.bucket,
          piece.number,
          JSON.stringify(piece.lines),
          JSON.stringify(piece.keys),
          `[${piece.cells.join(',')}]`,
          piece.lines.length,
        ],
      })
      .then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#writing.delete(written));
    this.#writing.add(written);
  }
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
  const cells = JSON.parse(piece.cells) as StagedRow['cells'][];
  const sequences = JSON.parse(piece.sequences) as number[];
  return lines.map((line, index) => {
    const key = keys[index] as string;
    return { line, key, cells: cells[index] as StagedRow['cells'], id: rowId(sequences[index] as number, key) };
  });
}
