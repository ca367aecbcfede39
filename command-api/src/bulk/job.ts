/** Claims bulk jobs, stores the outcomes of their pieces and reports progress. */
import { type ImportCounts, noCounts, parseStream, type RowOutcome, shortened } from '@rdm/contracts';
import { type Log, type Pool, type Queryable, transaction } from '@rdm/platform';
import type { ImportedRowOutcome, JobPieces, JobRowOutcome, KeptRowOutcome } from '../runtime/job-pieces.ts';
import { shortenedProblems } from '../runtime/job-pieces.ts';
import { type StepRecord, StepWriter } from '../runtime/step-writer.ts';
import {
  Cancelled,
  CLAIM,
  HAS_LEASE,
  IS_FREE,
  LEASE_SECONDS,
  LostLease,
  REPORT_INTERVAL_MS,
  type Requester,
} from './job-lease.ts';
import type { SlotKind } from './job-slots.ts';

export interface ClaimedBulk {
  jobId: number;
  commandId: string;
  failures: number;
  /** How often the job ran out of memory without progress in between. */
  memoryFailures: number;
  total: number;
  /** The action on the rows, for the log, such as "Approve". */
  tried: string | null;
  cancellation: Requester | null;
  /** The name of this claim. Writes check that the job still has this name. */
  leasedBy: string;
}

/**
 * The jobs of a worker: `decisions` are commands over existing rows, such as approvals and undos; `files` are imports
 * of reviewed rows. Both are in the table `bulk_decisions`.
 */
export type BulkWork = 'decisions' | 'files';

const WORK_FILTER: Record<BulkWork, string> = { decisions: 'b.file_id IS NULL', files: 'b.file_id IS NOT NULL' };

/** Upper limits of a small bulk job: its rows, or the bytes of the imported file. */
const SMALL_ROWS = 20_000;
const SMALL_FILE_BYTES = 256 * 1024;

/**
 * SQL condition: a slot of the kind may run the job. A regular slot takes no job of a user who already has a running
 * job of the same `BulkWork`.
 */
const SLOT_ACCEPTS: Record<SlotKind, string> = {
  regular: `NOT EXISTS (
    SELECT FROM jobs.progress r JOIN command.bulk_decisions o ON o.job_id = r.job_id
      JOIN command.commands d ON d.command_id = o.command_id
     WHERE r.leased_until > now() AND r.leased_by IS NOT NULL AND (o.file_id IS NULL) = (b.file_id IS NULL)
       AND d.principal = c.principal)`,
  small: `CASE WHEN b.file_id IS NULL THEN p.total <= ${SMALL_ROWS} ELSE f.size <= ${SMALL_FILE_BYTES} END`,
};

/** Claims the oldest free job of `work` that a slot of the kind may run; undefined if there is none. */
export async function claimBulk(
  pool: Pool,
  leasedBy: string,
  work: BulkWork = 'decisions',
  kind: SlotKind = 'regular',
): Promise<ClaimedBulk | undefined> {
  const { rows } = await pool.query<ClaimedBulk>(
    `WITH next AS (
       SELECT p.job_id FROM jobs.progress p JOIN command.bulk_decisions b ON b.job_id = p.job_id
         LEFT JOIN command.commands c ON c.command_id = b.command_id
         LEFT JOIN command.staged_files f ON f.id = b.file_id
        WHERE ${IS_FREE} AND ${WORK_FILTER[work]} AND ${SLOT_ACCEPTS[kind]}
        ORDER BY p.job_id LIMIT 1 FOR UPDATE OF p SKIP LOCKED)
     UPDATE jobs.progress p
        SET ${CLAIM}
       FROM next JOIN command.bulk_decisions b ON b.job_id = next.job_id WHERE p.job_id = next.job_id
     RETURNING p.job_id AS "jobId", b.command_id AS "commandId", b.failures, b.memory_failures AS "memoryFailures",
       b.cancellation, b.tried, p.total,
       $1::text AS "leasedBy"`,
    [leasedBy],
  );
  return rows[0];
}

/** Renews the claim while pieces are decided, stores their outcomes, and stops when the job is cancelled. */
export class BulkJob implements JobPieces {
  readonly claimed: ClaimedBulk;
  readonly counts: ImportCounts = noCounts();
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #finished = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #steps: StepWriter;
  #reporting: Promise<void> | undefined;
  #processedBefore = 0;
  #rate: number | null = null;
  #measured: { at: number; rows: number } | undefined;

  constructor(pool: Pool, log: Log, claimed: ClaimedBulk) {
    this.#pool = pool;
    this.#log = log;
    this.claimed = claimed;
    this.counts.total = claimed.total;
    if (claimed.cancellation) this.#abort.abort(new Cancelled(claimed.cancellation));
    this.#steps = new StepWriter((commandId, steps) => this.#writeSteps(commandId, steps));
    this.#timer = setInterval(() => this.#tick(), REPORT_INTERVAL_MS);
  }

  get jobId(): number {
    return this.claimed.jobId;
  }

  /** Loads the pieces that earlier runs decided. */
  async loadPieces(): Promise<void> {
    const { rows } = await this.#pool.query<{ step: string } & PieceCounts>(
      `SELECT step, created, done AS changed, unchanged, refused AS failed, skipped FROM command.bulk_pieces WHERE job_id = $1`,
      [this.jobId],
    );
    for (const { step, ...counts } of rows) this.#count(step, counts);
    this.#processedBefore = this.processed;
  }

  /** Whether this run has stored outcomes of rows. */
  get hasProgressed(): boolean {
    return this.processed > this.#processedBefore;
  }

  setTotal(total: number): void {
    this.counts.total = total;
  }

  finalCounts(): ImportCounts | undefined {
    return this.processed === this.counts.total ? this.counts : undefined;
  }

  async once<Result>(compute: () => Promise<Result>): Promise<Result> {
    const { rows } = await this.#pool.query<{ found: { of: Result } | null }>(
      'SELECT found FROM command.bulk_decisions WHERE job_id = $1',
      [this.jobId],
    );
    if (rows[0]?.found) return rows[0].found.of;
    const result = await compute();
    const { rowCount } = await this.#pool.query(
      `UPDATE command.bulk_decisions SET found = $3 WHERE job_id = $1 AND ${HAS_LEASE}`,
      [this.jobId, this.claimed.leasedBy, JSON.stringify({ of: result })],
    );
    if (rowCount !== 1) throw new LostLease();
    return result;
  }

  isDone(step: string): boolean {
    return this.#finished.has(step);
  }

  async decide(step: string, isStarted: boolean, decide: () => Promise<RowOutcome[]>): Promise<RowOutcome[]> {
    if (this.cancelledBy) {
      // A started piece may be in the log already: finish the piece, so that its rows are counted.
      if (!isStarted) return [];
    } else this.#abort.signal.throwIfAborted();
    const work = decide().then(async (outcomes) => {
      await this.#store(step, outcomes);
      return outcomes;
    });
    // If this piece fails, stop the pieces of other streams too.
    work.catch((error: unknown) => this.#abort.abort(error));
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  async logSkipped(message: string, error: unknown): Promise<void> {
    if (this.#abort.signal.aborted && !this.cancelledBy) throw error;
    await this.#pool.query(
      `INSERT INTO jobs.logs (job_id, level, message) SELECT $1, 'WARN', $2
        WHERE NOT EXISTS (SELECT FROM jobs.logs WHERE job_id = $1 AND message = $2)`,
      [this.jobId, message],
    );
  }

  /** Stores a step before its append. Throws `LostLease` if the claim is no longer held. */
  readonly remember = (commandId: string, step: string, expected: number): Promise<void> =>
    this.#steps.remember(commandId, step, { expected });

  /** The user who cancelled the job, if it was cancelled. */
  get cancelledBy(): Requester | undefined {
    const { reason } = this.#abort.signal;
    return reason instanceof Cancelled ? reason.by : undefined;
  }

  /** Stops the job at its next piece. */
  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Waits for running pieces. Does not throw: a failed piece has already stopped the job. */
  async waitForPieces(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Stops renewing and reporting; the claim remains until it is released or expires. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reporting;
  }

  #count(step: string, counts: PieceCounts): void {
    this.#finished.add(step);
    for (const name of COUNTED) this.counts[name] += counts[name];
  }

  async #store(step: string, outcomes: readonly RowOutcome[]): Promise<void> {
    const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
    const counts = countsOf(outcomes);
    const piece = [this.jobId, this.claimed.leasedBy, step, ...COUNTED.map((name) => counts[name])];
    if (refused.length === 0) await insertPiece(this.#pool, piece);
    else {
      await transaction(this.#pool, async (client) => {
        await insertPiece(client, piece);
        await logRefused(client, this.claimed, step, refused);
      });
    }
    this.#count(step, counts);
  }

  async #writeSteps(commandId: string, steps: Record<string, StepRecord>): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `UPDATE command.commands SET steps = steps || $4::jsonb WHERE command_id = $3 AND ${HAS_LEASE}`,
      [
        this.jobId,
        this.claimed.leasedBy,
        commandId,
        JSON.stringify(Object.fromEntries(Object.entries(steps).map(([name, { expected }]) => [name, expected]))),
      ],
    );
    if (rowCount !== 1) throw new LostLease();
  }

  #tick(): void {
    if (this.#reporting) return;
    this.#measure();
    this.#reporting = this.#report()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'Could not report the progress of a bulk job'))
      .finally(() => {
        this.#reporting = undefined;
      });
  }

  /** The number of rows with an outcome. */
  get processed(): number {
    return COUNTED.reduce((sum, name) => sum + this.counts[name], 0);
  }

  #measure(): void {
    const now = { at: Date.now(), rows: this.processed };
    if (this.#measured) {
      const currentRate = ((now.rows - this.#measured.rows) * 1_000) / Math.max(1, now.at - this.#measured.at);
      this.#rate = Math.round(this.#rate === null ? currentRate : this.#rate * 0.7 + currentRate * 0.3);
    }
    this.#measured = now;
  }

  /** Writes progress, renews the claim and checks for a cancellation. */
  async #report(): Promise<void> {
    const { rows } = await this.#pool.query<{ held: boolean; cancellation: Requester | null }>(
      `WITH held AS (
         UPDATE jobs.progress
            SET leased_until = now() + interval '${LEASE_SECONDS} seconds', updated_at = now(), processed = $3,
                counts = $4, rate = $5, total = $6
          WHERE job_id = $1 AND leased_by = $2 RETURNING job_id),
       notified AS (SELECT pg_notify('jobs', json_build_object('jobId', job_id)::text) FROM held)
       SELECT EXISTS (SELECT FROM held) AS held, (SELECT count(*) FROM notified) AS notified,
              (SELECT cancellation FROM command.bulk_decisions WHERE job_id = $1) AS cancellation`,
      [this.jobId, this.claimed.leasedBy, this.processed, JSON.stringify(this.counts), this.#rate, this.counts.total],
    );
    const [report] = rows;
    if (!report?.held) this.#abort.abort(new LostLease());
    else if (report.cancellation) this.#abort.abort(new Cancelled(report.cancellation));
  }
}

const COUNTED = ['created', 'changed', 'unchanged', 'failed', 'skipped'] as const;
type PieceCounts = Pick<ImportCounts, (typeof COUNTED)[number]>;

/**
 * Counts outcomes. A row that the undo of an import keeps counts as skipped; a row that is not refused and has no
 * `became` counts as changed.
 */
function countsOf(outcomes: readonly (RowOutcome | JobRowOutcome | KeptRowOutcome)[]): PieceCounts {
  const counts = { created: 0, changed: 0, unchanged: 0, failed: 0, skipped: 0 };
  for (const outcome of outcomes) {
    if ('isKept' in outcome) counts.skipped += 1;
    else if (outcome.outcome === 'refused') counts.failed += 1;
    else counts[('became' in outcome && outcome.became) || 'changed'] += 1;
  }
  return counts;
}

/** Stores a piece. Throws `LostLease` if the claim is no longer held. */
async function insertPiece(db: Queryable, piece: readonly unknown[]): Promise<void> {
  const { rowCount } = await db.query(
    `INSERT INTO command.bulk_pieces (job_id, step, created, done, unchanged, refused, skipped)
     SELECT $1, $3, $4, $5, $6, $7, $8 WHERE ${HAS_LEASE}`,
    [...piece],
  );
  if (rowCount !== 1) throw new LostLease();
}

/**
 * Logs refused rows, and rows that an undo keeps. The log has the line, values and problems of a row from a file, and
 * the id of an existing row.
 */
async function logRefused(
  db: Queryable,
  claimed: ClaimedBulk,
  step: string,
  refused: readonly RowOutcome[],
): Promise<void> {
  const fileRows = refused.filter((row): row is ImportedRowOutcome => 'line' in row);
  const reviewedRows = refused.filter((row) => !('line' in row));
  if (fileRows.length > 0) await logLines(db, claimed, fileRows);
  if (reviewedRows.length > 0) await logIds(db, claimed, step, reviewedRows);
}

async function logLines(
  db: Queryable,
  { jobId, tried }: ClaimedBulk,
  refused: readonly ImportedRowOutcome[],
): Promise<void> {
  await db.query(
    `INSERT INTO jobs.logs
       (job_id, level, message, record_index, record_key, tried, record_data, status, error_type, error_message,
        error_details)
     SELECT $1, 'ERROR', r.message, r.line, r.key, $3, r.data, 'ERROR', r.code, r.message, r.problems
       FROM jsonb_to_recordset($2::jsonb)
         AS r(line bigint, key text, code text, message text, data jsonb, problems jsonb)
     ON CONFLICT DO NOTHING`,
    [
      jobId,
      JSON.stringify(
        refused.map(({ key, problems, ...row }) => ({
          ...row,
          key: key === undefined ? key : shortened(key),
          problems: shortenedProblems(problems),
        })),
      ),
      tried,
    ],
  );
}

/**
 * Writes one log line per row. Rows of different kinds may have the same id: a second line with the same id and code
 * has no `record_index`, only the id in its data.
 */
async function logIds(
  db: Queryable,
  { jobId, tried }: ClaimedBulk,
  step: string,
  refused: readonly RowOutcome[],
): Promise<void> {
  const { category, id: parentId } = parseStream(step);
  const parent = { of: category, parentId: String(parentId) };
  await db.query(
    `INSERT INTO jobs.logs (job_id, level, message, record_data, status, error_type, error_message, record_key, tried,
                            record_index)
     SELECT $1, CASE WHEN r.kept THEN 'WARN' ELSE 'ERROR' END, r.message, r.data,
            CASE WHEN r.kept THEN 'SKIPPED' ELSE 'ERROR' END, r.code, r.message, r.key, $3,
            CASE WHEN NOT EXISTS (SELECT FROM jobs.logs l
                                   WHERE l.job_id = $1 AND l.record_index = r.id AND l.error_type = r.code) THEN r.id END
       FROM jsonb_to_recordset($2::jsonb) AS r(id bigint, code text, message text, key text, data jsonb, kept boolean)`,
    [
      jobId,
      JSON.stringify(
        refused.map(({ id, code, message, key, changedBy, ...row }) => ({
          ...{ id, code, message, key, kept: 'isKept' in row },
          // The log has only the id of the user: the name must not remain after an erasure.
          data: {
            id: String(id),
            ...parent,
            ...('isKept' in row && changedBy ? { changedBy: String(changedBy) } : {}),
          },
        })),
      ),
      tried,
    ],
  );
}
