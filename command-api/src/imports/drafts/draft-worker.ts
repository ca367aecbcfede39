/** Reads the files of drafts and runs their dry runs; each slot works on one draft at a time. */
import { type FileProfile, Refusal } from '@rdm/contracts';
import { type CheckResult, DRAFT_COLUMNS, type Log, type StoredDraft, toRefusal } from '@rdm/platform';
import { isUnavailable, LEASE_SECONDS, LostLease, Stopping } from '../../bulk/job-lease.ts';
import { type JobSlots, type SlotKind, SMALL_BYTES, startJobSlots } from '../../bulk/job-slots.ts';
import { profileFile } from '../../file-imports/sources/profile-file.ts';
import { loadTarget } from './draft-target.ts';
import { type DryRunContext, type DryRunProgress, runCheck } from './dry-run.ts';

const RENEW_INTERVAL_MS = 500;
/** The seconds from a failure to the next attempt. */
const PAUSE_SECONDS = 2;
/** The maximum number of failures of a reading or dry run. A restart or a server that is away is no failure. */
const FAILURES_MAX = 3;
/** The maximum number of attempts. It ends the work on a file that crashes the process, which records no failure. */
const ATTEMPTS_MAX = 20;

type ClaimedDraft = StoredDraft & {
  attempt: number;
  failures: number;
  /** The reason of the last failure. */
  failure: keyof typeof GIVE_UP_REFUSALS | null;
};

export interface DraftWorkerContext extends DryRunContext {
  log: Log;
}

/**
 * SQL condition: a slot of the kind may work on the draft `d` with the file `f`. A regular slot takes no draft of a
 * user while a worker holds another draft of this user.
 */
const SLOT_ACCEPTS: Record<SlotKind, string> = {
  regular: `NOT EXISTS (SELECT FROM command.import_drafts o
    WHERE o.owner_id = d.owner_id AND o.leased_by IS NOT NULL AND o.leased_until > now())`,
  small: `f.size <= ${SMALL_BYTES}`,
};

const claimStatement = (kind: SlotKind): string => `WITH next AS (
    SELECT d.id FROM command.import_drafts d JOIN command.staged_files f ON f.id = d.id
     WHERE (d.state = 'READING' OR d.check_status IN ('PENDING', 'IN_PROGRESS'))
       AND (d.leased_until IS NULL OR d.leased_until < now()) AND ${SLOT_ACCEPTS[kind]}
     ORDER BY d.changed_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
  UPDATE command.import_drafts d
     SET leased_by = $1, leased_until = now() + interval '${LEASE_SECONDS} seconds', attempt = attempt + 1,
         check_status = CASE WHEN state = 'READY' AND check_status = 'PENDING' THEN 'IN_PROGRESS' ELSE check_status END
    FROM next, command.staged_files f
   WHERE d.id = next.id AND f.id = d.id RETURNING ${DRAFT_COLUMNS}, d.attempt, d.failures, d.failure`;

export function startDraftWorker(
  context: DraftWorkerContext,
  { name, isExclusive }: { name: string; isExclusive?: () => boolean },
): JobSlots {
  return startJobSlots<ClaimedDraft, DraftRun>({
    action: 'work on drafts of imports',
    log: context.log,
    claim: async (kind) => (await context.pool.query<ClaimedDraft>(claimStatement(kind), [name])).rows[0],
    open: (draft) => new DraftRun(context, draft, name),
    run: (run) => run.work(),
    ...(isExclusive ? { isExclusive } : {}),
  });
}

/** Works on one claimed draft: renews the lease, reports progress, and stores the outcome if it still has the lease. */
class DraftRun {
  readonly #context: DraftWorkerContext;
  readonly #draft: ClaimedDraft;
  readonly #name: string;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #progress: DryRunProgress = { processed: 0, total: 0 };
  #renewing: Promise<void> | undefined;

  constructor(context: DraftWorkerContext, draft: ClaimedDraft, name: string) {
    [this.#context, this.#draft, this.#name] = [context, draft, name];
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew()
        .catch((error: unknown) => context.log.warn({ err: error }, 'Could not renew the lease of a draft'))
        .finally(() => {
          this.#renewing = undefined;
        });
    }, RENEW_INTERVAL_MS);
  }

  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
  }

  async work(): Promise<void> {
    try {
      const { attempt, failures, failure } = this.#draft;
      if (failure !== null && failures >= FAILURES_MAX) throw GIVE_UP_REFUSALS[failure]();
      if (attempt > ATTEMPTS_MAX) throw processEndedRefusal();
      if (this.#draft.state === 'READING') await this.#storeProfile(await this.#read());
      else await this.#storeCheck(await this.#check());
    } catch (error) {
      await this.#handleFailure(error);
    }
  }

  async #read(): Promise<FileProfile> {
    const { pool, streams } = this.#context;
    // If the target was deleted, read the file without the fields of a type.
    const { type } = await loadTarget(streams, this.#draft.settings.target).catch((error: unknown) => {
      if (error instanceof Refusal) return { type: undefined };
      throw error;
    });
    return profileFile(pool, this.#draft, this.#draft.settings.read ?? {}, type?.fields);
  }

  #check(): Promise<CheckResult> {
    const { checkJobId } = this.#draft;
    if (checkJobId === null) throw new Error(`The draft ${this.#draft.id} has no dry run`);
    return runCheck(this.#context, { ...this.#draft, checkJobId }, this.#progress, this.#abort.signal);
  }

  async #storeProfile(profile: FileProfile): Promise<void> {
    await this.#context.pool.query(
      `UPDATE command.import_drafts SET state = CASE WHEN job_id IS NULL THEN 'READY' ELSE 'STARTED' END, profile = $3, refusal = NULL, ${RELEASED}
        WHERE id = $1 AND leased_by = $2 AND state = 'READING'`,
      [this.#draft.id, this.#name, JSON.stringify(profile)],
    );
  }

  async #storeCheck(result: CheckResult): Promise<void> {
    await this.#endCheck('DONE', result);
  }

  async #endCheck(status: 'DONE' | 'FAILED', result: Partial<CheckResult>): Promise<void> {
    await this.#context.pool.query(
      `UPDATE command.import_drafts SET check_status = $4, check_result = check_result || $5::jsonb, check_ended_at = now(), ${RELEASED}
        WHERE id = $1 AND leased_by = $2 AND check_job_id = $3`,
      [this.#draft.id, this.#name, this.#draft.checkJobId, status, JSON.stringify(result)],
    );
  }

  async #renew(): Promise<void> {
    const { rowCount } = await this.#context.pool.query(
      `UPDATE command.import_drafts SET leased_until = now() + interval '${LEASE_SECONDS} seconds',
         check_result = CASE WHEN check_status = 'IN_PROGRESS' THEN check_result || $3::jsonb ELSE check_result END
        WHERE id = $1 AND leased_by = $2`,
      [this.#draft.id, this.#name, JSON.stringify(this.#progress)],
    );
    // The draft was changed, started or deleted, or another worker has claimed it.
    if (rowCount !== 1) this.#abort.abort(new LostLease());
  }

  async #handleFailure(error: unknown): Promise<void> {
    if (error instanceof LostLease) return;
    const { pool, log } = this.#context;
    const refusal = error instanceof Refusal ? error : toRefusal(error);
    if (refusal && refusal.status < 429) {
      if (this.#draft.state !== 'READING') return this.#endCheck('FAILED', { reason: refusal.message });
      await pool.query(
        `UPDATE command.import_drafts SET state = 'REFUSED', refusal = $3, ${RELEASED}
          WHERE id = $1 AND leased_by = $2 AND state = 'READING'`,
        [this.#draft.id, this.#name, refusal.message],
      );
      return;
    }
    const isStopping = error instanceof Stopping;
    const hasFailed = !isStopping && !isUnavailable(error);
    if (!isStopping) log.warn({ err: error, draft: this.#draft.id }, 'Could not process a draft; trying again');
    await pool.query(
      `UPDATE command.import_drafts SET leased_by = NULL, leased_until = now() + $3 * interval '1 second',
         failures = CASE WHEN $4 THEN failures + 1 ELSE failures END,
         failure = CASE WHEN $4 THEN 'ERROR' ELSE failure END,
         attempt = CASE WHEN $4 THEN attempt ELSE attempt - 1 END
        WHERE id = $1 AND leased_by = $2`,
      [this.#draft.id, this.#name, isStopping ? 0 : PAUSE_SECONDS, hasFailed],
    );
  }
}

const RELEASED = 'leased_by = NULL, leased_until = NULL, attempt = 0, failures = 0, failure = NULL';

/** The refusal of a draft that is given up, by the reason of its last failure. */
const GIVE_UP_REFUSALS = {
  MEMORY: () => new Refusal('TOO_LARGE', 'This file needs too much memory: import it in parts, or as CSV'),
  ERROR: () =>
    new Refusal(
      'CONFLICT',
      'Working on the file failed three times because of an error of the system: change a setting or upload the file again later. Administrators find the error in the log.',
    ),
};
const processEndedRefusal = () =>
  new Refusal(
    'CONFLICT',
    `The process that worked on the file was ended ${ATTEMPTS_MAX} times: change a setting or upload the file again. If it happens again, contact an administrator.`,
  );
