/** Runs a command over many rows against read models whose position the spec sets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pace, PacedCommand } from '../pace.ts';

/** Creates read models whose position the spec sets, and a run that appends each piece at the next position. */
export function openPacedRun(projected?: () => Promise<bigint>, rowsAhead?: number) {
  let projectedPosition = 0n;
  let queries = 0;
  const pace = new Pace(async () => {
    queries += 1;
    return projected ? projected() : projectedPosition;
  });
  const run = new PacedCommand(pace, rowsAhead);
  let end: bigint | undefined;
  const append = (rows: number, isRefused = false) =>
    run.appendPaced(
      rows,
      async () => {
        if (!isRefused) end = (end ?? 0n) + 1n;
      },
      () => end,
    );
  return {
    append,
    end: () => end,
    queries: () => queries,
    projectedUpTo: (position: bigint) => {
      projectedPosition = position;
    },
    /** Runs a command of one row by another user. */
    async runOtherCommand() {
      const otherRun = new PacedCommand(pace);
      await otherRun.appendPaced(
        1,
        async () => undefined,
        () => undefined,
      );
      pace.recordCommandEnd(otherRun, 2);
    },
    recordEnd: () => pace.recordCommandEnd(run, 1),
    pace,
  };
}

/** Returns whether the work ends within 100 ms. */
export const settles = (work: Promise<unknown>) => Promise.race([work.then(() => true), sleep(100, false)]);
