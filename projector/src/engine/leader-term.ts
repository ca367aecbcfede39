/**
 * The projector: waits for leadership, and leads one term after another. In a term, it prepares builds, reads the log,
 * runs rebuilds and cleans up.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPool,
  type ErrorLog,
  type EventStore,
  InvalidManifest,
  type Log,
  PurgedEvents,
  pause,
} from '@rdm/platform';
import { lowerReadMarks } from '../read-models/notifications/read-marks.ts';
import { maintainFieldIndexes, maintainSearchEntries } from '../tables/field-indexes.ts';
import type { Limits } from './batches.ts';
import { LeadershipLost, recordProblem } from './checkpoint.ts';
import { acquireLeadership, WRITER_APPLICATION } from './leadership.ts';
import type { LockTimeouts } from './lock-waits.ts';
import { acceptLogEnd, LogMismatch } from './log-match.ts';
import type { Projection } from './projection.ts';
import { LIVE_HOURS, openReader, type Progress } from './reader.ts';
import { createRebuilder, dropRetiredBuilds, prepareBuilds, type Rebuilder } from './rebuild.ts';
import { retryUntilSuccess, type Term } from './term.ts';

export interface ProjectorOptions {
  databaseUrl: string;
  /** Whether the database is the embedded PostgreSQL; false by default. */
  isDatabaseEmbedded?: boolean;
  store: EventStore;
  log: Log;
  errors?: Pick<ErrorLog, 'record'>;
  projections: readonly Projection[];
  progress: Progress;
  /** How long an old build is kept after its replacement serves. */
  graceMs: number;
  limits?: Limits;
  /** How often the indexes of fields are compared with the fields. */
  indexFieldsEveryMs?: number;
  /**
   * The end of the log that an operator has accepted although the log lacks projected events: the position of its last
   * event, 0 for an empty log.
   */
  acceptedEnd?: bigint | undefined;
  /** Called when a problem that only an operator can fix prevents projecting. */
  onProblem?: (problem: string) => void;
}

export interface Projector {
  /** STANDBY: another projector leads. */
  readonly state: 'STARTING' | 'STANDBY' | 'LEADING';
  /** The problem that prevents projecting and that only an operator can fix. */
  readonly problem: string | undefined;
  readonly lockTimeouts: LockTimeouts;
  /** Defined while this projector leads. */
  readonly rebuilder: Rebuilder | undefined;
  /** Waits for leadership and leads, repeatedly, until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** For large batches of imported rows, for indexes of fields, and for search entries. */
const BULK_CONNECTIONS = 3;

const PRUNE_EVERY_MS = 3_600_000;
/** Pause before checking again whether an operator has fixed the problem. */
const PROBLEM_CHECK_MS = 2_000;

export function createProjector(options: ProjectorOptions): Projector {
  const { databaseUrl, log } = options;
  let state: Projector['state'] = 'STARTING';
  let problem: string | undefined;
  let rebuilder: Rebuilder | undefined;
  const lockTimeouts = new Map<string, Date>();

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
    lockTimeouts,
    get rebuilder() {
      return rebuilder;
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
          await leadTerm(options, leadership, lockTimeouts, signal, (newRebuilder) => {
            state = 'LEADING';
            problem = undefined;
            rebuilder = newRebuilder;
          });
        } catch (error) {
          const operatorProblem = problemIn(error);
          if (operatorProblem !== undefined) reportProblem(operatorProblem);
          else if (!signal.aborted) log.warn({ err: error }, 'Not leading: waiting for leadership again');
        }
        state = 'STARTING';
        rebuilder = undefined;
        lockTimeouts.clear();
        if (problem !== undefined) await sleep(PROBLEM_CHECK_MS, undefined, { signal }).catch(() => undefined);
        else await pause(failures, signal);
      }
    },
  };
}

/** Returns the message about an error whose cause only an operator can remove; undefined for other errors. */
function problemIn(error: unknown): string | undefined {
  if (error instanceof LogMismatch) return error.message;
  if (!(error instanceof InvalidManifest)) return undefined;
  return `${error.message}. Without a valid manifest, the numbers of the events are not certain: restore the event log from a backup, or put back the log that this installation wrote.`;
}

async function leadTerm(
  options: ProjectorOptions,
  leadership: { token: number; lost: AbortSignal; release(): Promise<void> },
  lockTimeouts: Map<string, Date>,
  stopping: AbortSignal,
  onOpened: (rebuilder: Rebuilder) => void,
): Promise<void> {
  const { databaseUrl, store, log, errors, projections, progress, graceMs, limits } = options;
  const ending = new AbortController();
  let operatorError: unknown;
  const signal = AbortSignal.any([stopping, leadership.lost, ending.signal]);
  // No limit of listeners: every task of the term and each build that is being filled adds one.
  setMaxListeners(0, signal);
  const writer = createPool(databaseUrl, { max: projections.length + 3, name: WRITER_APPLICATION });
  const bulkWriter = createPool(databaseUrl, {
    max: BULK_CONNECTIONS,
    name: WRITER_APPLICATION,
    isLowPriority: options.isDatabaseEmbedded ?? false,
  });
  const { token } = leadership;
  const purged = new PurgedEvents(store);
  const term: Term = { token, writer, bulkWriter, store, purged, log, errors, signal, limits, lockTimeouts };
  try {
    await retryUntilSuccess(term, () => purged.load());
    await acceptLogEnd(term, options.acceptedEnd);
    await retryUntilSuccess(term, () => recordProblem(writer, null));
    const { start, serving } = await prepareBuilds(term, projections);
    const reader = openReader(term, start, serving, lowerReadMarksOnCatchUp(term, progress));
    const rebuilder = createRebuilder(term, reader, projections);
    onOpened(rebuilder);
    const tasks = [
      reader.run(),
      rebuilder.run(),
      dropRetiredBuilds(term, graceMs),
      pruneLiveChanges(term),
      maintainFieldIndexes(term, options.indexFieldsEveryMs),
      maintainSearchEntries(term),
    ];
    // The first task that fails ends the term; the others finish their transactions.
    await Promise.all(tasks.map((task) => task.catch((error: unknown) => endTerm(error, ending)))).finally(() =>
      ending.abort(),
    );
    if (operatorError !== undefined) throw operatorError;
  } catch (error) {
    const problem = problemIn(error);
    if (problem !== undefined) await recordProblem(writer, problem);
    throw error;
  } finally {
    await leadership.release();
    await Promise.all([writer.end(), bulkWriter.end()]);
  }

  function endTerm(error: unknown, end: AbortController): void {
    end.abort();
    if (problemIn(error) !== undefined) operatorError = error;
    else if (error instanceof LeadershipLost) log.warn(error.message);
    else log.error({ err: error }, 'A task of the projector failed');
  }
}

/**
 * Lowers the read marks beyond the end of the log, once per term, when the reader has caught up. Once is enough: such
 * marks exist only if the log has lost events, and a loss of events begins a new term.
 */
function lowerReadMarksOnCatchUp({ writer, log }: Term, progress: Progress): Progress {
  let hasStarted = false;
  return {
    onBatch: progress.onBatch,
    onCaughtUp() {
      progress.onCaughtUp();
      if (hasStarted) return;
      hasStarted = true;
      lowerReadMarks(writer).catch((error: unknown) => {
        hasStarted = false;
        log.warn({ err: error }, 'Could not lower read marks of notifications: trying again');
      });
    },
  };
}

/** Deletes live changes after `LIVE_HOURS`. A client that lacks deleted changes reads its lists again. */
async function pruneLiveChanges(term: Term): Promise<void> {
  while (!term.signal.aborted) {
    await term.writer
      .query(`DELETE FROM platform.live_changes WHERE at < now() - interval '${LIVE_HOURS} hours'`)
      .catch((error: unknown) =>
        term.log.warn({ err: error }, 'Could not prune live changes: trying again in an hour'),
      );
    await sleep(PRUNE_EVERY_MS, undefined, { signal: term.signal }).catch(() => undefined);
  }
}
