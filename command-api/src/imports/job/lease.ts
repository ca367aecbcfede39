/** Which import a worker has to itself, until when, and how far it is: renewed while it works, told to whoever watches. */
import { type ImportCounts, noCounts } from '@rdm/contracts';
import type { Log, Pool } from '@rdm/platform';
import type { SlotKind } from '../../bulk/job-slots.ts';

/** An import as it was claimed. */
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
  cancellation: Asker | null;
  ending: Ending | null;
  /** Names this claim; a write that must not come late asks whether it still holds. */
  leasedBy: string;
}

/** Who asked for something, and in which request. */
export interface Asker {
  actorId: number | null;
  apiKeyId?: number;
  requestId: string;
}

export interface Ending {
  status: 'FAILED' | 'CANCELLED';
  reason: string;
  /** Its file is not read again: that took more memory than there is. */
  outOfMemory?: boolean;
  /** Whoever cancelled it. */
  by?: Asker;
}

/** Another worker has the import now: whatever this one still does must not count. */
export class LostLease extends Error {
  constructor() {
    super('The lease of the import ran out');
    this.name = 'LostLease';
  }
}

/** Somebody asked for it to stop. */
export class Cancelled extends Error {
  readonly by: Asker;
  constructor(by: Asker) {
    super('The import was cancelled');
    this.name = 'Cancelled';
    this.by = by;
  }
}

const LEASE_SECONDS = 15;
const REPORT_MS = 250;
const RENEW_MS = 1_000;

/** Bytes of a file that is imported in a moment. */
const SMALL_BYTES = 1024 * 1024;

/** SQL that is true of an import `i` that a slot of the kind may run; nobody has two in slots for any. */
const MAY_RUN: Record<SlotKind, string> = {
  any: `NOT EXISTS (
    SELECT FROM jobs.progress r JOIN command.imports o ON o.job_id = r.job_id
      JOIN command.staged_files g ON g.id = o.file_id
     WHERE r.leased_until > now() AND r.leased_by IS NOT NULL AND g.owner_id = f.owner_id)`,
  small: `f.size <= ${SMALL_BYTES}`,
};

/** Takes the oldest import that nobody works on and that a slot of the kind may run. */
export async function claimImport(
  pool: Pool,
  leasedBy: string,
  kind: SlotKind = 'any',
): Promise<ClaimedImport | undefined> {
  const { rows } = await pool.query<ClaimedImport>(
    `WITH next AS (
       SELECT p.job_id FROM jobs.progress p JOIN command.imports i ON i.job_id = p.job_id
         LEFT JOIN command.staged_files f ON f.id = i.file_id
        WHERE p.status IN ('PENDING', 'IN_PROGRESS') AND (p.leased_until IS NULL OR p.leased_until < now())
          AND ${MAY_RUN[kind]}
        ORDER BY p.job_id LIMIT 1 FOR UPDATE OF p SKIP LOCKED),
     leased AS (
       UPDATE jobs.progress p
          SET leased_by = $1, leased_until = now() + interval '${LEASE_SECONDS} seconds', status = 'IN_PROGRESS',
              started_at = coalesce(started_at, now())
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

/** SQL that is true while a claim holds; `$1` is its job and `$2` its name. */
export const HOLDS_LEASE = `EXISTS (
  SELECT FROM jobs.progress WHERE job_id = $1 AND leased_by = $2 AND leased_until > now())`;

/** Lets others have it, at once or after a pause. */
export async function releaseImport(pool: Pool, claimed: ClaimedImport, seconds = 0): Promise<void> {
  await pool.query(
    `UPDATE jobs.progress SET leased_by = NULL, leased_until = now() + $3 * interval '1 second'
      WHERE job_id = $1 AND leased_by = $2`,
    [claimed.jobId, claimed.leasedBy, seconds],
  );
}

/** How far one phase is. */
export interface PhaseProgress {
  processed: number;
  total: number;
  counts: ImportCounts;
  /** Rows per second of late. */
  rate: number | null;
}

const fresh = (): PhaseProgress => ({ processed: 0, total: 0, counts: noCounts(), rate: null });

/** Keeps a claim alive and tells how far it is; `signal` says when to stop, and why. */
export class Lease {
  readonly claimed: ClaimedImport;
  readonly signal: AbortSignal;
  readonly validation = fresh();
  readonly import = fresh();
  phase: 'VALIDATION' | 'IMPORT' = 'VALIDATION';
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #reporting: Promise<void> | undefined;
  #told = '';
  #toldAt = 0;
  #measured = { at: 0, rows: 0 };

  constructor(pool: Pool, log: Log, claimed: ClaimedImport) {
    this.#pool = pool;
    this.#log = log;
    this.claimed = claimed;
    this.signal = this.#abort.signal;
    if (claimed.cancellation) this.#abort.abort(new Cancelled(claimed.cancellation));
    this.#timer = setInterval(() => this.#tick(), REPORT_MS);
  }

  /** Stops the work for a reason of the worker's own. */
  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Ends renewing and reporting; the lease itself stands until it is released or ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reporting;
  }

  #tick(): void {
    this.#measure();
    const telling = JSON.stringify([this.phase, this.validation, this.import]);
    const quiet = telling === this.#told && Date.now() - this.#toldAt < RENEW_MS;
    if (quiet || this.#reporting) return;
    this.#reporting = this.#report()
      .then(() => {
        this.#told = telling;
        this.#toldAt = Date.now();
      })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'Could not tell how far an import is'))
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
      const lately = rows / seconds;
      phase.rate = Math.round(phase.rate === null ? lately : phase.rate * 0.7 + lately * 0.3);
    }
    this.#measured = { at: now, rows: phase.processed };
  }

  /**
   * Writes progress, renews the lease and reads whether to stop. A report may reach the database after the end of a phase:
   * the counts of a phase that is done stay.
   */
  async #report(): Promise<void> {
    const { jobId, leasedBy, validationJobId, importJobId } = this.claimed;
    const { validation, import: importing, phase } = this;
    const current = phase === 'VALIDATION' ? validation : importing;
    const { rows } = await this.#pool.query<{ held: boolean; cancellation: Asker | null }>(
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
       told AS (SELECT pg_notify('jobs', json_build_object('jobId', job_id)::text) FROM held)
       SELECT EXISTS (SELECT FROM held) AS held, (SELECT count(*) FROM told) AS told, cancellation
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
    const heard = rows[0];
    if (!heard?.held) this.#abort.abort(new LostLease());
    else if (heard.cancellation) this.#abort.abort(new Cancelled(heard.cancellation));
  }
}
