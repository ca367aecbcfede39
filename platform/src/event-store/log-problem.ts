/**
 * Reads the problem of the log, if there is one: the log is not the one from which the read models were built, for
 * example after a restore of only one of them. Until an operator accepts the problem, the projector projects nothing
 * and no service may change the log.
 */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '../postgres/postgres.ts';

/** How long a result is cached. The projector needs longer to notice a problem, so the cache adds little delay. */
const FRESH_MS = 1_000;
const RETRY_SECONDS = 30;

export interface LogProblem {
  /** Returns the problem as a sentence; undefined if there is none. The answer is at most a second old. */
  current(): Promise<string | undefined>;
  /** Throws UNAVAILABLE if there is a problem, because events that are appended to the wrong log can be lost. */
  require(): Promise<void>;
}

export function openLogProblem(db: Queryable, now: () => number = Date.now): LogProblem {
  let cached: { at: number; problem: Promise<string | undefined> } | undefined;

  const read = async (): Promise<string | undefined> => {
    const { rows } = await db.query<{ problem: string | null }>('SELECT problem FROM platform.reader');
    return rows[0]?.problem ?? undefined;
  };
  const current = (): Promise<string | undefined> => {
    if (cached && now() - cached.at < FRESH_MS) return cached.problem;
    const entry = { at: now(), problem: read() };
    cached = entry;
    // Do not keep a failed read, so that the next caller reads again.
    entry.problem.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.problem;
  };
  return {
    current,
    async require() {
      const problem = await current();
      if (problem !== undefined) throw new Refusal('UNAVAILABLE', problem, undefined, RETRY_SECONDS);
    },
  };
}
