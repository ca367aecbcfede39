/** Runs jobs side by side in slots, so that nobody's small job waits for the long one of somebody else. */
import type { Log } from '@rdm/platform';
import { createSerialRunner } from '../runtime/mutex.ts';
import { repeat } from '../runtime/repeat.ts';

/** Which jobs a slot takes: any, but one of each person at a time, or small ones, whosever they are. */
export type SlotKind = 'any' | 'small';

const SLOTS: Readonly<Record<SlotKind, number>> = { any: 3, small: 1 };

export interface JobSlots {
  /** Looks for jobs at once. */
  wake(): void;
  /** Takes no more jobs, and waits for those that run. */
  stop(): Promise<void>;
}

export function startJobSlots<Job>({
  what,
  everyMs,
  log,
  claim,
  work,
  isExclusive = () => false,
}: {
  what: string;
  everyMs: number;
  log: Log;
  /** Takes the oldest job that a slot of this kind may run. */
  claim: (kind: SlotKind) => Promise<Job | undefined>;
  work: (job: Job) => Promise<void>;
  /** Whether one job runs at a time: something failed, and which of them is at fault is to be found out. */
  isExclusive?: () => boolean;
}): JobSlots {
  const running = { any: 0, small: 0 };
  const activeJobs = new Set<Promise<void>>();
  // One after the other: the second claim sees whose job the first one took.
  const inTurn = createSerialRunner();
  let stopping = false;

  const hasFree = (kind: SlotKind): boolean => {
    if (stopping) return false;
    if (isExclusive()) return running.any + running.small === 0;
    // Where no job runs, a small one has none to wait for.
    return running[kind] < SLOTS[kind] && (kind === 'any' || running.any > 0);
  };

  /** Claims jobs until the slots are taken or there are none. */
  const fill = () =>
    inTurn(async () => {
      for (const kind of ['any', 'small'] as const) {
        while (hasFree(kind)) {
          const job = await claim(kind);
          if (job === undefined) break;
          run(kind, job);
        }
      }
    });
  const fillLogged = () =>
    fill().catch((error: unknown) => log.warn({ err: error }, `Could not ${what}; trying again`));

  function run(kind: SlotKind, job: Job): void {
    running[kind] += 1;
    const worked = work(job)
      .catch((error: unknown) => log.warn({ err: error }, `Could not ${what}; trying again`))
      .finally(() => {
        running[kind] -= 1;
        activeJobs.delete(worked);
        void fillLogged();
      });
    activeJobs.add(worked);
  }
  const polling = repeat(what, everyMs, log, fill);

  return {
    wake: () => void fillLogged(),
    async stop() {
      stopping = true;
      await polling.stop();
      await inTurn(async () => undefined);
      await Promise.all(activeJobs);
    },
  };
}
