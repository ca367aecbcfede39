/** Runs jobs side by side in slots, so that nobody's small job waits for the long one of somebody else. */
import type { Log } from '@rdm/platform';
import { repeat } from './repeat.ts';
import { inTurns } from './row-imports.ts';

/** Which jobs a slot takes: any, but one of each person at a time, or small ones, whosever they are. */
export type SlotKind = 'any' | 'small';

const SLOTS: Readonly<Record<SlotKind, number>> = { any: 3, small: 1 };

export interface Slots {
  /** Looks for jobs at once. */
  wake(): void;
  /** Takes no more jobs, and waits for those that run. */
  stop(): Promise<void>;
}

export function startSlots<Job>({
  what,
  everyMs,
  log,
  claim,
  work,
  isAlone = () => false,
}: {
  what: string;
  everyMs: number;
  log: Log;
  /** Takes the oldest job that a slot of this kind may run. */
  claim: (kind: SlotKind) => Promise<Job | undefined>;
  work: (job: Job) => Promise<void>;
  /** Whether one job runs at a time: something failed, and which of them is at fault is to be found out. */
  isAlone?: () => boolean;
}): Slots {
  const running = { any: 0, small: 0 };
  const woken = new Set<Promise<void>>();
  // One after the other: the second sees whose job the first one took.
  const inTurn = inTurns();
  let stopping = false;

  const workOnNext = async (kind: SlotKind): Promise<boolean> => {
    const isFull = isAlone() ? running.any + running.small > 0 : running[kind] >= SLOTS[kind];
    if (stopping || isFull) return false;
    running[kind] += 1;
    try {
      const job = await inTurn(() => claim(kind));
      if (job === undefined) return false;
      await work(job);
      return true;
    } finally {
      running[kind] -= 1;
    }
  };
  const round = (kind: SlotKind) => async () => {
    while (await workOnNext(kind));
  };
  const kinds = (Object.keys(SLOTS) as SlotKind[]).flatMap((kind) => Array<SlotKind>(SLOTS[kind]).fill(kind));
  const rounds = kinds.map((kind) => repeat(what, everyMs, log, round(kind)));

  return {
    wake() {
      for (const kind of Object.keys(SLOTS) as SlotKind[]) {
        const turn = round(kind)()
          .catch((error: unknown) => log.warn({ err: error }, `Could not ${what}; trying again`))
          .finally(() => woken.delete(turn));
        woken.add(turn);
      }
    },
    async stop() {
      stopping = true;
      await Promise.all([...rounds.map((each) => each.stop()), ...woken]);
    },
  };
}
