/**
 * Repeats background work, with a pause before the first run and after each run. Logs the failure of a run and
 * continues.
 */
import type { Log } from '@rdm/platform';

export interface RepeatedTask {
  /** Begins no further run, and waits for the current run. */
  stop(): Promise<void>;
}

export function repeat(action: string, pauseMs: number, log: Log, work: () => Promise<unknown>): RepeatedTask {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  let currentRun: Promise<void> = Promise.resolve();
  const scheduleRun = () => {
    timer = setTimeout(() => {
      currentRun = work()
        .then(
          () => undefined,
          (error: unknown) => log.warn({ err: error }, `Could not ${action}; trying again`),
        )
        .then(() => {
          if (!isStopped) scheduleRun();
        });
    }, pauseMs);
  };
  scheduleRun();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await currentRun;
    },
  };
}
