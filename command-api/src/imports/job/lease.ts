/** A worker's lease of an import. While the worker works, the lease is renewed and progress is reported to clients. */
import { type ImportCounts, type JobQuestion, noCounts } from '@rdm/contracts';
import type { Log, Pool } from '@rdm/platform';
import {
  Cancelled,
  CLAIM,
  IS_FREE,
  LEASE_SECONDS,
  LostLease,
  REPORT_INTERVAL_MS,
  type Requester,
} from '../../bulk/job-lease.ts';
import { type SlotKind, SMALL_BYTES } from '../../bulk/job-slots.ts';

/** A claimed import. */
export interface ClaimedImport {
  jobId: number;
  fileId: string;
  validationJobId: number;
  importJobId: number;
  correlationId: string;
  requestId: string;
  attempt: number;
  validatedAttempt: number | null;
  validatedCounts: ImportCounts | null;
  failures: number;
  cancellation: Requester | null;
  ending: Ending | null;
  /** The name of this claim; writes check that the claim is still held. */
  leasedBy: string;
}

export interface Ending {
  status: 'FAILED' | 'CANCELLED';
  reason: string;
  /** Whether the worker ran out of memory; then rejected rows are not read from the file again. */
  outOfMemory?: boolean;
  /** The unanswered questions about the file, without whose answers the rows cannot be read. */
  questions?: readonly JobQuestion[];
  /** The user who cancelled the import. */
  by?: Requester;
}

const RENEW_INTERVAL_MS = 1_000;

/**
 * SQL condition: a slot of the kind may run the import `i`. A regular slot takes no import of a user with a running
 * import.
 */
const SLOT_ACCEPTS: Record<SlotKind, string> = {
  regular: `NOT EXISTS (
    SELECT FROM jobs.progress r JOIN command.imports o ON o.job_id = r.job_id
      JOIN command.staged_files g ON g.id = o.file_id
     WHERE r.leased_until > now() AND r.leased_by IS NOT NULL AND g.owner_id = f.owner_id)`,
  small: `f.size <= ${SMALL_BYTES}`,
};

/** SQL condition: no worker is still reading the file of the import `i` for its draft. */
const IS_NOT_READING = `NOT EXISTS (SELECT FROM command.import_drafts d WHERE d.id = i.file_id AND d.state = 'READING')`;

/** Claims the oldest free import that a slot of the kind may run and whose file is not being read. */
export async function claimImport(
  pool: Pool,
  leasedBy: string,
  kind: SlotKind = 'regular',
): Promise<ClaimedImport | undefined> {
  const { rows } = await pool.query<ClaimedImport>(
    `WITH next AS (
       SELECT p.job_id FROM jobs.progress p JOIN command.imports i ON i.job_id = p.job_id
         LEFT JOIN command.staged_files f ON f.id = i.file_id
        WHERE ${IS_FREE} AND ${SLOT_ACCEPTS[kind]} AND ${IS_NOT_READING}
        ORDER BY p.job_id LIMIT 1 FOR UPDATE OF p SKIP LOCKED),
     leased AS (
       UPDATE jobs.progress p
          SET ${CLAIM}
         FROM next WHERE p.job_id = next.job_id RETURNING p.job_id)
     UPDATE command.imports i SET attempt = attempt + 1 FROM leased WHERE i.job_id = leased.job_id
     RETURNING i.job_id AS "jobId", file_id AS "fileId", validation_job_id AS "validationJobId",
       import_job_id AS "importJobId", correlation_id AS "correlationId", request_id AS "requestId", attempt,
       validated_attempt AS "validatedAttempt", validated_counts AS "validatedCounts", failures, ending,
       cancellation, $1::text AS "leasedBy"`,
    [leasedBy],
  );
  return rows[0];
}

/** The progress of one phase. */
export interface PhaseProgress {
  processed: number;
  total: number;
  counts: ImportCounts;
  /** Rows per second, smoothed; null before the first measurement. */
  rate: number | null;
}

const emptyProgress = (): PhaseProgress => ({ processed: 0, total: 0, counts: noCounts(), rate: null });

/** Renews a claim and reports progress; `signal` is aborted with the reason to stop. */
export class Lease {
  readonly claimed: ClaimedImport;
  readonly signal: AbortSignal;
  readonly validation = emptyProgress();
  readonly import = emptyProgress();
  phase: 'VALIDATION' | 'IMPORT' = 'VALIDATION';
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #reporting: Promise<void> | undefined;
  #reported = '';
  #reportedAt = 0;
  #measured = { at: 0, rows: 0 };

  constructor(pool: Pool, log: Log, claimed: ClaimedImport) {
    this.#pool = pool;
    this.#log = log;
    this.claimed = claimed;
    this.signal = this.#abort.signal;
    if (claimed.cancellation) this.#abort.abort(new Cancelled(claimed.cancellation));
    this.#timer = setInterval(() => this.#tick(), REPORT_INTERVAL_MS);
  }

  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Stops renewing and reporting; the lease remains until it is released or expires. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reporting;
  }

  #tick(): void {
    this.#measure();
    const progress = JSON.stringify([this.phase, this.validation, this.import]);
    const isReportDue = progress !== this.#reported || Date.now() - this.#reportedAt >= RENEW_INTERVAL_MS;
    if (!isReportDue || this.#reporting) return;
    this.#reporting = this.#report()
      .then(() => {
        this.#reported = progress;
        this.#reportedAt = Date.now();
      })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'Could not report the progress of an import'))
      .finally(() => {
        this.#reporting = undefined;
      });
  }

  #measure(): void {
    const now = Date.now();
    const phase = this.phase === 'VALIDATION' ? this.validation : this.import;
    const seconds = (now - this.#measured.at) / 1_000;
    const rows = phase.processed - this.#measured.rows;
    if (this.#measured.at > 0 && rows >= 0) {
      const currentRate = rows / seconds;
      phase.rate = Math.round(phase.rate === null ? currentRate : phase.rate * 0.7 + currentRate * 0.3);
    }
    this.#measured = { at: now, rows: phase.processed };
  }

  /**
   * Writes progress, renews the lease and checks for a cancellation. A report may arrive after the end of its phase, so
   * the counts of an ended phase are not overwritten.
   */
  async #report(): Promise<void> {
    const { jobId, leasedBy, validationJobId, importJobId } = this.claimed;
    const { validation, import: importing, phase } = this;
    const current = phase === 'VALIDATION' ? validation : importing;
    const { rows } = await this.#pool.query<{ held: boolean; cancellation: Requester | null }>(
      `WITH held AS (
         UPDATE jobs.progress
            SET leased_until = now() + interval '${LEASE_SECONDS} seconds', updated_at = now(), phase = $3,
                processed = $4, total = $5, counts = $6, rate = $7
          WHERE job_id = $1 AND leased_by = $2 RETURNING job_id),
       children AS (
         UPDATE jobs.progress p
            SET processed = c.processed, total = c.total, counts = c.counts, rate = c.rate, updated_at = now()
           FROM jsonb_to_recordset($8::jsonb)
             AS c(job_id bigint, processed bigint, total bigint, counts jsonb, rate double precision)
          WHERE p.job_id = c.job_id AND p.status <> 'DONE' AND EXISTS (SELECT FROM held)),
       notified AS (SELECT pg_notify('jobs', json_build_object('jobId', job_id)::text) FROM held)
       SELECT EXISTS (SELECT FROM held) AS held, (SELECT count(*) FROM notified) AS notified, cancellation
         FROM command.imports WHERE job_id = $1`,
      [
        jobId,
        leasedBy,
        phase,
        validation.processed + importing.processed,
        validation.total + (importing.total || validation.total),
        JSON.stringify(phase === 'VALIDATION' ? validation.counts : importing.counts),
        current.rate,
        JSON.stringify([
          { job_id: validationJobId, ...validation },
          { job_id: importJobId, ...importing },
        ]),
      ],
    );
    const report = rows[0];
    if (!report?.held) this.#abort.abort(new LostLease());
    else if (report.cancellation) this.#abort.abort(new Cancelled(report.cancellation));
  }
}
