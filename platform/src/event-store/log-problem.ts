/**
 * Reports why the projector does not project until an operator decides, so that other services do not change the log meanwhile.
 */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '../postgres/postgres.ts';

/** How long an answer of the database is used: the projector needs longer to notice a problem. */
const FRESH_MS = 1_000;
const RETRY_SECONDS = 30;

export interface LogProblem {
  /** The problem in a sentence, at most a second old; undefined: there is none. */
  current(): Promise<string | undefined>;
  /** Refuses with the problem: decisions on another copy of the log would be lost or mixed up with it. */
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
    // A failure is not kept: the next caller reads again.
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
