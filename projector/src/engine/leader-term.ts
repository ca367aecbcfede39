/** One term of leadership, from the lock to its loss: builds prepared, the log read, rebuilds grown, leftovers cleared. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type ErrorLog, type EventStore, type Log, pause } from '@rdm/platform';
import { lowerReadMarks } from '../read-models/read-marks.ts';
import { maintainFieldIndexes } from '../tables/field-indexes.ts';
import type { Limits } from './batches.ts';
import { LeadershipLost, recordProblem } from './checkpoint.ts';
import { acquireLeadership, WRITER_APPLICATION } from './leadership.ts';
import { acceptLogEnd, LogMismatch } from './log-match.ts';
import type { Projection } from './projection.ts';
import { LIVE_HOURS, openReader, type Progress } from './reader.ts';
import { dropRetiredBuilds, createRebuilder, prepareBuilds, type Rebuilder } from './rebuild.ts';
import { type Term, retryUntilSuccess } from './term.ts';

export interface ProjectorOptions {
  databaseUrl: string;
  store: EventStore;
  log: Log;
  errors?: Pick<ErrorLog, 'record'>;
  projections: readonly Projection[];
  progress: Progress;
  /** How long an old build is kept after another serves. */
  graceMs: number;
  limits?: Limits;
  /** An operator accepts that the log ends with the event at this position. */
  acceptedEnd?: bigint | undefined;
  /** Called when something that only an operator can mend keeps it from projecting. */
  onProblem?: (problem: string) => void;
}

export interface Projector {
  /** STANDBY waits for the lead; the database answers it. */
  readonly state: 'STARTING' | 'STANDBY' | 'LEADING';
  /** What keeps it from projecting and only an operator can mend. */
  readonly problem: string | undefined;
  /** Present while it leads. */
  readonly rebuilder: Rebuilder | undefined;
  /** Waits for the lead and leads, again and again, until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const PRUNE_EVERY_MS = 3_600_000;
/** Pause before it looks whether an operator has mended what keeps it from projecting. */
const PROBLEM_CHECK_MS = 2_000;

export function createProjector(options: ProjectorOptions): Projector {
  const { databaseUrl, log } = options;
  let state: Projector['state'] = 'STARTING';
  let problem: string | undefined;
  let rebuilding: Rebuilder | undefined;

  function reportProblem(message: string): void {
    if (problem === message) return;
    problem = message;
    log.error(message);
    options.onProblem?.(message);
  }

  return {
    get state() {
      return state;
    },
    get problem() {
      return problem;
    },
    get rebuilder() {
      return rebuilding;
    },
    async run(signal) {
      for (let failures = 0; !signal.aborted; failures += 1) {
        try {
          const leadership = await acquireLeadership(databaseUrl, log, signal, () => {
            state = 'STANDBY';
          });
          if (!leadership) return;
          failures = 0;
          log.info({ term: leadership.token }, 'Leading');
          await leadTerm(options, leadership, signal, (onOpened) => {
            state = 'LEADING';
            problem = undefined;
            rebuilding = onOpened;
          });
        } catch (error) {
          if (error instanceof LogMismatch) reportProblem(error.message);
          else if (!signal.aborted) log.warn({ err: error }, 'Not leading: waiting for the lead again');
        }
        state = 'STARTING';
        rebuilding = undefined;
        if (problem !== undefined) await sleep(PROBLEM_CHECK_MS, undefined, { signal }).catch(() => undefined);
        else await pause(failures, signal);
      }
    },
  };
}

async function leadTerm(
  options: ProjectorOptions,
  lead: { token: number; lost: AbortSignal; release(): Promise<void> },
  stopping: AbortSignal,
  opened: (rebuilding: Rebuilder) => void,
): Promise<void> {
  const { databaseUrl, store, log, errors, projections, progress, graceMs, limits } = options;
  const ending = new AbortController();
  let mismatch: LogMismatch | undefined;
  const signal = AbortSignal.any([stopping, lead.lost, ending.signal]);
  // Every part of the term listens to it, and each build that grows.
  setMaxListeners(0, signal);
  const writer = createPool(databaseUrl, { max: projections.length + 4, name: WRITER_APPLICATION });
  // A connection that breaks within a transaction says so to its query too, which is where it is dealt with.
  writer.on('connect', (client) => client.on('error', () => undefined));
  const term: Term = { token: lead.token, writer, store, log, errors, signal, limits };
  try {
    await acceptLogEnd(term, options.acceptedEnd);
    await retryUntilSuccess(term, () => recordProblem(writer, null));
    const { start, serving } = await prepareBuilds(term, projections);
    const reader = openReader(term, start, serving, lowerReadMarksOnCatchUp(term, progress));
    const rebuilding = createRebuilder(term, reader, projections);
    opened(rebuilding);
    const parts = [reader.run(), rebuilding.run(), dropRetiredBuilds(term, graceMs), pruneLiveChanges(term), maintainFieldIndexes(term)];
    // The first part that fails ends the term for all; each finishes the transaction it is in.
    await Promise.all(parts.map((part) => part.catch((error: unknown) => endTerm(error, ending)))).finally(() =>
      ending.abort(),
    );
    if (mismatch) throw mismatch;
  } catch (error) {
    if (error instanceof LogMismatch) await recordProblem(writer, error.message);
    throw error;
  } finally {
    await lead.release();
    await writer.end();
  }

  function endTerm(error: unknown, end: AbortController): void {
    end.abort();
    if (error instanceof LogMismatch) mismatch = error;
    else if (error instanceof LeadershipLost) log.warn(error.message);
    else log.error({ err: error }, 'A part of the projector failed');
  }
}

/** Once a term, when everything is projected: whatever was restored, was so before anybody led. */
function lowerReadMarksOnCatchUp({ writer, log }: Term, progress: Progress): Progress {
  let hasStarted = false;
  return {
    batch: progress.batch,
    caughtUp() {
      progress.caughtUp();
      if (hasStarted) return;
      hasStarted = true;
      lowerReadMarks(writer).catch((error: unknown) => {
        hasStarted = false;
        log.warn({ err: error }, 'Could not look at what was read of notifications: trying again');
      });
    },
  };
}

/** Removes live messages that nobody will ask for any more, hourly. */
async function pruneLiveChanges(term: Term): Promise<void> {
  while (!term.signal.aborted) {
    await term.writer
      .query(`DELETE FROM platform.live_changes WHERE at < now() - interval '${LIVE_HOURS} hours'`)
      .catch((error: unknown) => term.log.warn({ err: error }, 'Could not prune live changes: in an hour again'));
    await sleep(PRUNE_EVERY_MS, undefined, { signal: term.signal }).catch(() => undefined);
  }
}
