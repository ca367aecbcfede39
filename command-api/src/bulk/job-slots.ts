/** Runs jobs concurrently in slots, so that one user's small job does not wait for another user's long one. */
import type { Log } from '@rdm/platform';
import { createSerialRunner } from '../runtime/mutex.ts';
import { repeat } from '../runtime/repeat.ts';

/** `any` slots run one job per user at a time; `small` slots run small jobs of any user. */
export type SlotKind = 'any' | 'small';

const SLOTS: Readonly<Record<SlotKind, number>> = { any: 3, small: 1 };

export interface JobSlots {
  /** Checks for jobs now. */
  wake(): void;
  /** Takes no more jobs, and waits for the running ones. */
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
  /** Claims the oldest job that a slot of this kind may run. */
  claim: (kind: SlotKind) => Promise<Job | undefined>;
  work: (job: Job) => Promise<void>;
  /** Whether only one job runs at a time, to find out which one caused a failure. */
  isExclusive?: () => boolean;
}): JobSlots {
  const running = { any: 0, small: 0 };
  const activeJobs = new Set<Promise<void>>();
  // Claim one at a time: each claim must see the jobs claimed before it.
  const runSerially = createSerialRunner();
  let stopping = false;

  const hasFreeSlot = (kind: SlotKind): boolean => {
    if (stopping) return false;
    if (isExclusive()) return running.any + running.small === 0;
    // While no job runs, a small job can use a slot for any.
    return running[kind] < SLOTS[kind] && (kind === 'any' || running.any > 0);
  };

  /** Claims jobs until no slot is free or no job is left. */
  const claimJobs = () =>
    runSerially(async () => {
      for (const kind of ['any', 'small'] as const) {
        while (hasFreeSlot(kind)) {
          const job = await claim(kind);
          if (job === undefined) break;
          run(kind, job);
        }
      }
    });
  const claimJobsLogged = () =>
    claimJobs().catch((error: unknown) => log.warn({ err: error }, `Could not ${what}; trying again`));

  function run(kind: SlotKind, job: Job): void {
    running[kind] += 1;
    const finished = work(job)
      .catch((error: unknown) => log.warn({ err: error }, `Could not ${what}; trying again`))
      .finally(() => {
        running[kind] -= 1;
        activeJobs.delete(finished);
        void claimJobsLogged();
      });
    activeJobs.add(finished);
  }
  const polling = repeat(what, everyMs, log, claimJobs);

  return {
    wake: () => void claimJobsLogged(),
    async stop() {
      stopping = true;
      await polling.stop();
      await runSerially(async () => undefined);
      await Promise.all(activeJobs);
    },
  };
}
