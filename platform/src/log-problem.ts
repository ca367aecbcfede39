/** Why the projector projects nothing until an operator has decided, for the services that would act on the same log. */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from './postgres.ts';

/** The projector finds it within seconds of a restart of the event store; services ask no more often than this. */
const ASK_EVERY_MS = 1_000;
const RETRY_SECONDS = 30;

export interface LogProblem {
  /** The problem in a sentence, as it was at most a second ago; undefined: there is none. */
  current(): Promise<string | undefined>;
  /** Refuses with the problem, as what is decided on another log would be lost or mixed up with it. */
  require(): Promise<void>;
}

export function openLogProblem(db: Queryable, now: () => number = Date.now): LogProblem {
  let asked: { at: number; answer: Promise<string | undefined> } | undefined;

  const ask = async (): Promise<string | undefined> => {
    const { rows } = await db.query<{ problem: string | null }>('SELECT problem FROM platform.reader');
    return rows[0]?.problem ?? undefined;
  };
  const current = (): Promise<string | undefined> => {
    if (!asked || now() - asked.at >= ASK_EVERY_MS) {
      const answer = ask();
      const mine = { at: now(), answer };
      // A failure is not an answer: whoever comes next asks again.
      answer.catch(() => {
        if (asked === mine) asked = undefined;
      });
      asked = mine;
    }
    return asked.answer;
  };
  return {
    current,
    async require() {
      const problem = await current();
      if (problem !== undefined) throw new Refusal('UNAVAILABLE', problem, undefined, RETRY_SECONDS);
    },
  };
}
