/** Repeats background work at an interval, one run at a time; logs failures and continues. */
import type { Log } from '@rdm/platform';

export interface RepeatedTask {
  /** Begins no further run, and waits for the current one. */
  stop(): Promise<void>;
}

export function repeat(what: string, everyMs: number, log: Log, work: () => Promise<unknown>): RepeatedTask {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let round: Promise<void> = Promise.resolve();
  const next = () => {
    timer = setTimeout(() => {
      round = work()
        .then(
          () => undefined,
          (error: unknown) => log.warn({ err: error }, `Could not ${what}; trying again`),
        )
        .then(() => {
          if (!stopped) next();
        });
    }, everyMs);
  };
  next();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
