/** The state that the tasks of a leader share during its term, and the retries of their work. */
import {
  describeStoreProblem,
  type ErrorLog,
  type EventStore,
  errorCode,
  InvalidManifest,
  type Log,
  type Pool,
  type PurgedEvents,
  pause,
  type Queryable,
} from '@rdm/platform';
import type { Limits } from './batches.ts';
import { LeadershipLost } from './checkpoint.ts';

/** Begins a transaction that PostgreSQL ends after 10 idle seconds, for example while the projector is suspended. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'`;

/** The SQLSTATE of a statement that got no lock within its time limit. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs DDL in the transaction of `db`. Fails if a lock is not granted within 5 seconds, because waiting DDL blocks all
 * later queries of the table; the projector repeats the work. `table` names the table or the dropped schema in reports.
 */
export async function runLocking(db: Queryable, table: string, ddl: string): Promise<void> {
  await db.query(`SET LOCAL lock_timeout = '5s'; ${ddl}; SET LOCAL lock_timeout = DEFAULT`).catch((error: unknown) => {
    throw Object.assign(error as Error, { table });
  });
}

/** The state that the tasks of a leader share while it leads. */
export interface Term {
  token: number;
  writer: Pool;
  /**
   * Writes large batches of imported rows, indexes of fields and search entries. In an embedded PostgreSQL, other work has priority over
   * this pool.
   */
  bulkWriter: Pool;
  store: EventStore;
  /** The purges registered in the log, shared by all readers so that events get the same numbers everywhere. */
  purged: PurgedEvents;
  log: Log;
  errors?: Pick<ErrorLog, 'record'> | undefined;
  /** Aborted when leadership is lost or the service stops. */
  signal: AbortSignal;
  limits?: Limits | undefined;
  /** The tables whose lock was not granted in time, each with the start of the work that needs the lock. */
  lockTimeouts: Map<string, Date>;
}

/** Retries until the work succeeds; throws when leadership is lost or the term ends, and when a manifest is invalid. */
export async function retryUntilSuccess<T>(term: Term, work: () => Promise<T>): Promise<T> {
  let reported: string | undefined;
  const startedAt = new Date();
  let lockedTable: string | undefined;
  for (let failures = 0; ; failures += 1) {
    try {
      const result = await work();
      if (lockedTable !== undefined) term.lockTimeouts.delete(lockedTable);
      return result;
    } catch (error) {
      if (error instanceof LeadershipLost || error instanceof InvalidManifest) throw error;
      if (term.signal.aborted) throw new LeadershipLost('its term has ended');
      if (errorCode(error) === LOCK_NOT_AVAILABLE) {
        lockedTable ??= (error as { table?: string }).table ?? 'unknown';
        term.lockTimeouts.set(lockedTable, startedAt);
      }
      // A known problem of the event store lasts until an operator acts: log it once.
      const problem = describeStoreProblem(error);
      if (problem === undefined) term.log.warn({ err: error, failures }, 'Could not project: trying again');
      else if (problem !== reported) term.log.warn(`${problem} Trying again until it works.`);
      reported = problem;
      await pause(failures, term.signal);
    }
  }
}
