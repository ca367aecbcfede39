/** The state that the tasks of a term of leadership share, and their retries. */
import {
  describeStoreProblem,
  type ErrorLog,
  type EventStore,
  InvalidManifest,
  type Log,
  type Pool,
  type PurgedEvents,
  pause,
} from '@rdm/platform';
import type { Limits } from './batches.ts';
import { LeadershipLost } from './checkpoint.ts';

/** Begins a transaction that PostgreSQL ends if its leader is suspended. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'`;

/** The state that the tasks of a leader share while it leads. */
export interface Term {
  token: number;
  writer: Pool;
  store: EventStore;
  /** The purges registered in the log. All readers share them, so that they give the events the same numbers. */
  purged: PurgedEvents;
  log: Log;
  errors?: Pick<ErrorLog, 'record'> | undefined;
  /** Aborted when leadership is lost or the service stops. */
  signal: AbortSignal;
  limits?: Limits | undefined;
}

/** Retries until the work succeeds; throws when leadership is lost or the term ends, and when a manifest is invalid. */
export async function retryUntilSuccess<T>(term: Term, work: () => Promise<T>): Promise<T> {
  let reported: string | undefined;
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LeadershipLost || error instanceof InvalidManifest) throw error;
      if (term.signal.aborted) throw new LeadershipLost('its term has ended');
      // A known problem of the event store lasts until an operator acts: log it once.
      const problem = describeStoreProblem(error);
      if (problem === undefined) term.log.warn({ err: error, failures }, 'Could not project: trying again');
      else if (problem !== reported) term.log.warn(`${problem} Trying again until it works.`);
      reported = problem;
      await pause(failures, term.signal);
    }
  }
}
