/** Runs jobs concurrently in slots, so that one user's small job does not wait for another user's long one. */
import type { Log } from '@rdm/platform';
import { createSerialRunner } from '../runtime/mutex.ts';
import { repeat } from '../runtime/repeat.ts';
import { Stopping } from './job-lease.ts';

/** A `regular` slot takes no job of a user with a running job; a `small` slot takes the small jobs of all users. */
export type SlotKind = 'regular' | 'small';

/** The maximum file size of a small import into a data set, and of a small draft. */
export const SMALL_BYTES = 1024 * 1024;

const SLOTS: Readonly<Record<SlotKind, number>> = { regular: 3, small: 1 };

export interface JobSlots {
  /** Checks for jobs now. */
  wake(): void;
  /** Takes no more jobs, stops the running ones at their next piece, and waits for them. */
  stop(): Promise<void>;
}

const POLL_MS = 500;

/** A claimed job that a worker runs. */
interface RunningJob {
  /** Stops the job at its next piece. */
  stop(reason: Error): void;
  close(): Promise<void>;
}

export function startJobSlots<Claimed, Job extends RunningJob>({
  action,
  log,
  claim,
  open,
  run,
  isExclusive = () => false,
}: {
  /** The action, for the log: "run imports". */
  action: string;
  log: Log;
  /** Claims the oldest job that a slot of this kind may run. */
  claim: (kind: SlotKind) => Promise<Claimed | undefined>;
  open: (claimed: Claimed) => Job;
  /** Runs a job until it ends or is interrupted. */
  run: (job: Job) => Promise<void>;
  /** Whether only one job runs at a time, to find out which job caused a failure. */
  isExclusive?: () => boolean;
}): JobSlots {
  const running = { regular: 0, small: 0 };
  const jobs = new Set<Job>();
  const activeRuns = new Set<Promise<void>>();
  // Claim one at a time: each claim must see the jobs claimed before it.
  const runSerially = createSerialRunner();
  let isStopping = false;

  const hasFreeSlot = (kind: SlotKind): boolean => {
    if (isStopping) return false;
    if (isExclusive()) return running.regular + running.small === 0;
    // The small slot is free only while a regular slot is in use; at other times, a regular slot runs the small job.
    return running[kind] < SLOTS[kind] && (kind === 'regular' || running.regular > 0);
  };

  /** Claims jobs until no slot is free or no job is left. */
  const claimJobs = () =>
    runSerially(async () => {
      for (const kind of ['regular', 'small'] as const) {
        while (hasFreeSlot(kind)) {
          const claimed = await claim(kind);
          if (claimed === undefined) break;
          runInSlot(kind, claimed);
        }
      }
    });
  const claimJobsLogged = () =>
    claimJobs().catch((error: unknown) => log.warn({ err: error }, `Could not ${action}; trying again`));

  async function work(claimed: Claimed): Promise<void> {
    const job = open(claimed);
    jobs.add(job);
    if (isStopping) job.stop(new Stopping());
    try {
      await run(job);
    } finally {
      jobs.delete(job);
      await job.close();
    }
  }

  function runInSlot(kind: SlotKind, claimed: Claimed): void {
    running[kind] += 1;
    const finished = work(claimed)
      .catch((error: unknown) => log.warn({ err: error }, `Could not ${action}; trying again`))
      .finally(() => {
        running[kind] -= 1;
        activeRuns.delete(finished);
        void claimJobsLogged();
      });
    activeRuns.add(finished);
  }
  const polling = repeat(action, POLL_MS, log, claimJobs);

  return {
    wake: () => void claimJobsLogged(),
    async stop() {
      isStopping = true;
      for (const job of jobs) job.stop(new Stopping());
      await polling.stop();
      await runSerially(async () => undefined);
      await Promise.all(activeRuns);
    },
  };
}
