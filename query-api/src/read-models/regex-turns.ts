/** Queues searches with regular expressions: only one of each user runs at a time, and users take turns. */
import { Refusal } from '@rdm/contracts';

/** Maximum number of waiting searches of one user. */
const WAITING_PER_PERSON = 2;
/** Maximum number of waiting searches of all users; each may take two seconds. */
const WAITING_IN_ALL = 8;

export interface RegexTurns {
  /** Runs `search` when it is its turn. Throws 429 if too many wait. */
  run<Result>(userId: number, search: () => Promise<Result>): Promise<Result>;
}

interface WaitingSearch {
  userId: number;
  /** The number of searches of the same user that ran or waited when this one arrived. */
  rank: number;
  begin: () => void;
}

/** Opens a queue; `concurrency` is the maximum number of searches of all users that run at the same time. */
export function openRegexTurns(concurrency: number): RegexTurns {
  const running = new Set<number>();
  const waiting: WaitingSearch[] = [];

  function requireFreeSlot(userId: number): number {
    const own = waiting.filter((each) => each.userId === userId).length + Number(running.has(userId));
    if (own > WAITING_PER_PERSON) {
      const message =
        'Your other regular expressions are still being searched for. Please wait for them and try again.';
      throw new Refusal('TOO_MANY_REQUESTS', message, undefined, 2);
    }
    if (waiting.length >= WAITING_IN_ALL) {
      const message = 'Others are looking for regular expressions. Please try again.';
      throw new Refusal('TOO_MANY_REQUESTS', message, undefined, 2);
    }
    return own;
  }

  function beginNext(): void {
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

  return {
    async run(userId, search) {
      const rank = requireFreeSlot(userId);
      await new Promise<void>((begin) => {
        waiting.push({ userId, rank, begin });
        beginNext();
      });
      try {
        return await search();
      } finally {
        running.delete(userId);
        beginNext();
      }
    },
  };
}
