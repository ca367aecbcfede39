/**
 * Queues searches with regular expressions: each user runs one at a time, and users take turns. After repeated
 * timeouts, a user has to wait before the next search.
 */
import { Refusal } from '@rdm/contracts';
import { refuseSlowly } from '@rdm/platform';
import { isCancelled } from './statements.ts';

/** A search is refused if more than this many searches of the same user run or wait before it. */
const OWN_SEARCHES_MAX = 2;
/** Maximum number of waiting searches of all users. A search runs for at most two seconds. */
const WAITING_MAX = 8;
const RETRY_SECONDS = 2;
/** The wait of a user after the second cancelled search. Each further cancelled search multiplies the wait by four. */
const FIRST_WAIT_MS = 4_000;
const LONGEST_WAIT_MS = 64_000;
/** Cancelled searches are forgotten this long after the wait. */
const FORGOTTEN_AFTER_MS = 60_000;

/** The refusal of a search that was cancelled because it took too long. Its `retryAfter` is at least one second. */
export class SearchCancelled extends Refusal {
  constructor(secondsToWait: number) {
    const when = secondsToWait > 0 ? ` in ${secondsToWait} seconds` : '';
    super(
      'TOO_MANY_REQUESTS',
      `This takes too long: narrow the filter and try again${when}`,
      undefined,
      Math.max(1, secondsToWait),
    );
  }
}

export interface RegexTurns {
  /**
   * Runs `search` in its turn. Refuses with 429 if too many searches wait, if the user has to wait after cancelled
   * searches, or if the request was aborted.
   */
  run<Result>(userId: number, search: () => Promise<Result>, isAborted?: () => boolean): Promise<Result>;
  /** Refuses with 429 while the user has to wait after cancelled searches. Used for downloads, which are not queued. */
  requireNoWait(userId: number): Promise<void>;
  /** Counts a failed search if it was cancelled; returns the error to throw. */
  countFailure(userId: number, error: unknown): unknown;
}

interface WaitingSearch {
  userId: number;
  /** The number of searches of the same user that ran or waited when this search arrived. */
  rank: number;
  isAborted: () => boolean;
  begin: () => void;
  giveUp: () => void;
}

/** The searches of a user that were cancelled since the last search that ended in time. */
interface CancelledSearches {
  count: number;
  /** When the user may search again, in the time of `performance.now()`. */
  waitsUntil: number;
}

/** Opens a queue; `concurrency` is the maximum number of searches of all users that run at the same time. */
export function openRegexTurns(concurrency: number): RegexTurns {
  const running = new Set<number>();
  const waiting: WaitingSearch[] = [];
  const cancelled = new Map<number, CancelledSearches>();

  /**
   * Returns why a search is not queued; undefined if it is queued. `own` is the number of searches of the same user
   * that run or wait.
   */
  function refusalMessage(own: number): string | undefined {
    if (own > OWN_SEARCHES_MAX)
      return 'Your other searches with regular expressions are still running. Please wait for them and try again.';
    if (waiting.length >= WAITING_MAX) return 'Other users are searching with regular expressions. Please try again.';
    return undefined;
  }

  /** Returns the seconds for which the user has to wait after cancelled searches. */
  function secondsToWait(userId: number): number {
    const { waitsUntil } = cancelled.get(userId) ?? { waitsUntil: 0 };
    const now = performance.now();
    if (now > waitsUntil + FORGOTTEN_AFTER_MS) cancelled.delete(userId);
    return Math.max(0, Math.ceil((waitsUntil - now) / 1_000));
  }

  const refuseFor = (seconds: number): Promise<never> =>
    refuseSlowly(
      `Your last regular expressions took too long. Try again in ${seconds} seconds with a simpler one, or narrow the filter.`,
      seconds,
    );

  function countFailure(userId: number, error: unknown): unknown {
    if (!isCancelled(error)) return error;
    const count = (cancelled.get(userId)?.count ?? 0) + 1;
    const waitMs = count === 1 ? 0 : Math.min(FIRST_WAIT_MS * 4 ** (count - 2), LONGEST_WAIT_MS);
    cancelled.set(userId, { count, waitsUntil: performance.now() + waitMs });
    return new SearchCancelled(secondsToWait(userId));
  }

  function removeAborted(): void {
    for (const each of waiting.filter(({ isAborted }) => isAborted())) {
      waiting.splice(waiting.indexOf(each), 1);
      each.giveUp();
    }
  }

  function beginNext(): void {
    removeAborted();
    while (running.size < concurrency) {
      let next: WaitingSearch | undefined;
      for (const each of waiting) {
        if (!running.has(each.userId) && (next === undefined || each.rank < next.rank)) next = each;
      }
      if (next === undefined) return;
      waiting.splice(waiting.indexOf(next), 1);
      running.add(next.userId);
      next.begin();
    }
  }

  const requireNoWait = async (userId: number): Promise<void> => {
    const seconds = secondsToWait(userId);
    if (seconds > 0) await refuseFor(seconds);
  };

  return {
    requireNoWait,
    countFailure,
    async run(userId, search, isAborted = () => false) {
      await requireNoWait(userId);
      removeAborted();
      const rank = waiting.filter((each) => each.userId === userId).length + Number(running.has(userId));
      const refusal = refusalMessage(rank);
      if (refusal !== undefined) await refuseSlowly(refusal, RETRY_SECONDS);
      await new Promise<void>((begin, reject) => {
        const giveUp = () => reject(new Refusal('TOO_MANY_REQUESTS', 'The request was aborted while it waited'));
        waiting.push({ userId, rank, isAborted, begin, giveUp });
        beginNext();
      });
      // Another search of the user may have been cancelled while this search waited.
      const secondsLeft = secondsToWait(userId);
      try {
        if (secondsLeft === 0) {
          const result = await search();
          cancelled.delete(userId);
          return result;
        }
      } catch (error) {
        throw countFailure(userId, error);
      } finally {
        running.delete(userId);
        beginNext();
      }
      // The refusal is sent after a second; the searches of other users run meanwhile.
      return refuseFor(secondsLeft);
    },
  };
}
