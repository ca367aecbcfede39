/** Background work of a service: again and again, never twice at once, failures told and tried again. */
import type { Log } from '@rdm/platform';

export interface Repeating {
  /** Waits for the round under way. */
  stop(): Promise<void>;
}

export function repeat(what: string, everyMs: number, log: Log, work: () => Promise<unknown>): Repeating {
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
