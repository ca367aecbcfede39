/**
 * Starts each part after its dependencies, restarts a part that ends, and stops all parts in a given order. A part that
 * is given up does not start again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isOutOfSpace } from '../event-store/storage/disk.ts';
import { type Deferred, deferred } from './deferred.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** One run of a part, from its start to its end. */
export type Run = {
  pid: number;
  /** Resolves when the part serves. Does not resolve if the run ends first. */
  ready: Promise<void>;
  exited: Promise<Exit>;
  /** Resolves with a reason for the user when the part cannot serve and a restart would not help. */
  refused?: Promise<string>;
  /** Stops the run gracefully; resolves when it has ended. */
  stop(): Promise<void>;
};

export type Part = {
  name: string;
  /** The parts that must be ready before the first start of this part. */
  needs: string[];
  /** Set if the product can serve without this part. `Supervisor.start` does not wait for an optional part. */
  isOptional?: true;
  start(): Promise<Run>;
};

export type SupervisorOptions = {
  /** Groups of part names. The groups are stopped one after the other; the parts of a group are stopped together. */
  stopOrder: string[][];
  report: (event: SupervisorEvent) => void;
  /** Returns the pause in milliseconds before the next start after this number of failures in a row. */
  backoff?: (failures: number) => number;
  /**
   * A part is given up after this many failures in a row, unless the last start failed because the disk is full. A
   * part is given up at once if its first start fails or it refuses to serve. An optional part is never given up.
   */
  maxFailures?: number;
  /** A run that served for this long (milliseconds) resets the number of failures. */
  steadyAfter?: number;
};

export type SupervisorEvent =
  | { type: 'ready'; part: string; tookMs: number; again: boolean }
  | { type: 'failed'; part: string; why: string; failures: number; retryMs: number }
  | { type: 'stopped'; part: string };

export type SupervisedPart = {
  /** The pid of the current run; undefined between two runs. */
  readonly pid: number | undefined;
  /** Number of starts. */
  readonly starts: number;
  /** Whether the current run has become ready. */
  readonly isServing: boolean;
  kill9(): void;
  /** Stops the current run gracefully. Resolves when a later run serves. */
  restart(): Promise<void>;
  /** Resolves when the part serves, in the current run or in a later run. */
  ready(): Promise<void>;
};

export type Supervisor = {
  parts: Record<string, SupervisedPart>;
  /** Resolves when all required parts serve. Rejects if a part is given up first. */
  start(): Promise<void>;
  /** Rejects when a part is given up, at any time. */
  gaveUp: Promise<never>;
  stop(): Promise<void>;
};

export class PartGivenUp extends Error {
  readonly part: string;
  /** Whether the part itself reported the reason. */
  readonly partReportedReason: boolean;
  constructor(part: string, failures: number, why: string, partReportedReason = false) {
    super(
      failures === 1 || partReportedReason
        ? `${part} could not be started: ${why}`
        : `${part} failed ${failures} times in a row: ${why}`,
    );
    this.name = 'PartGivenUp';
    this.part = part;
    this.partReportedReason = partReportedReason;
  }
}

const defaultBackoff = (failures: number) => Math.min(10_000, 250 * 2 ** (failures - 1));

export function supervise(definitions: Part[], options: SupervisorOptions): Supervisor {
  const giveUp = deferred<never>();
  giveUp.promise.catch(() => {}); // avoids an unhandled rejection; callers await it
  const missing = definitions.filter(({ name }) => !options.stopOrder.flat().includes(name));
  if (missing.length > 0) throw new Error(`Missing in the stop order: ${missing.map(({ name }) => name).join(', ')}`);
  const supervised = new Map(definitions.map((part) => [part.name, superviseOne(part, options, giveUp)]));

  return {
    parts: Object.fromEntries([...supervised].map(([name, { handle }]) => [name, handle])),
    gaveUp: giveUp.promise,
    async start() {
      const startedParts = new Map<string, Promise<void>>();
      const begin = (name: string): Promise<void> => {
        const [definition, part] = [definitions.find((candidate) => candidate.name === name), supervised.get(name)];
        if (definition === undefined || part === undefined) throw new Error(`There is no part "${name}"`);
        const ready = startedParts.get(name) ?? Promise.all(definition.needs.map(begin)).then(part.startLoop);
        startedParts.set(name, ready);
        return ready;
      };
      const required = definitions.filter(({ isOptional }) => !isOptional);
      await Promise.race([Promise.all(required.map(({ name }) => begin(name))), giveUp.promise]);
      for (const { name, isOptional } of definitions) if (isOptional) void begin(name);
    },
    async stop() {
      for (const group of options.stopOrder)
        await Promise.all(group.flatMap((name) => supervised.get(name)?.stop() ?? []));
    },
  };
}

/** Runs one part until the part is stopped or given up. Rejects `giveUp` when the part is given up. */
function superviseOne(part: Part, options: SupervisorOptions, giveUp: Deferred<never>) {
  const { report, backoff = defaultBackoff, maxFailures = 10, steadyAfter = 30_000 } = options;
  const stopping = new AbortController();
  let run: Run | undefined;
  let starts = 0;
  let failures = 0;
  let isRestarting = false;
  let hasFirstStartFailed = false;
  let partReportedReason = false;
  let isOutOfDisk = false;
  let served = deferred<void>();
  let loopEnd: Promise<void> | undefined;

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const why = await runOnce();
      if (stopping.signal.aborted) return;
      if (isRestarting) {
        isRestarting = false;
        continue;
      }
      failures++;
      // After the first start, the number of retries on a full disk has no limit: the user can free space.
      const isHopeless = (failures >= maxFailures && !isOutOfDisk) || hasFirstStartFailed || partReportedReason;
      if (isHopeless && !part.isOptional) {
        giveUp.reject(new PartGivenUp(part.name, failures, why, partReportedReason));
        return;
      }
      const retryMs = backoff(failures);
      report({ type: 'failed', part: part.name, why, failures, retryMs });
      await pause(retryMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  /** Runs the part once; returns why the run ended. */
  async function runOnce(): Promise<string> {
    const startedAt = performance.now();
    starts++;
    isOutOfDisk = false;
    try {
      run = await part.start();
    } catch (error) {
      // If the first start fails, retries do not help.
      hasFirstStartFailed = starts === 1;
      isOutOfDisk = isOutOfSpace(error);
      return messageOf(error);
    }
    const current = run;
    // A stop during the start found no run to stop, so the run is stopped here.
    if (stopping.signal.aborted) await current.stop();
    let steadyTimer: NodeJS.Timeout | undefined;
    const whenReady = () => {
      if (run !== current || isRestarting) return;
      report({ type: 'ready', part: part.name, tookMs: performance.now() - startedAt, again: starts > 1 });
      steadyTimer = setTimeout(() => {
        failures = 0;
      }, steadyAfter);
      served.resolve();
    };
    current.ready.then(whenReady, () => {}); // a run that ends before it is ready is reported by its exit
    let refusal: string | undefined;
    current.refused?.then((reason) => {
      if (served.isSettled()) return;
      refusal = reason;
      partReportedReason = true;
      current.stop().catch(() => {}); // a run that cannot be stopped is awaited below
    });
    try {
      const { code, signal } = await current.exited;
      if (refusal !== undefined) return refusal;
      return signal ? `killed by ${signal}` : `exit code ${code}`;
    } catch (error) {
      return messageOf(error);
    } finally {
      clearTimeout(steadyTimer);
      run = undefined;
      served = served.renewIfSettled();
    }
  }

  return {
    startLoop() {
      loopEnd ??= loop();
      return served.promise;
    },
    async stop() {
      stopping.abort();
      await run?.stop();
      await loopEnd;
      if (loopEnd !== undefined) report({ type: 'stopped', part: part.name });
    },
    handle: {
      get pid() {
        return run?.pid;
      },
      get starts() {
        return starts;
      },
      get isServing() {
        return served.isSettled();
      },
      kill9() {
        if (run === undefined) throw new Error(`${part.name} is not running`);
        served = served.renewIfSettled();
        process.kill(run.pid, 'SIGKILL');
      },
      async restart() {
        isRestarting = run !== undefined;
        served = served.renewIfSettled();
        await run?.stop();
        await served.promise;
      },
      ready: () => served.promise,
    } satisfies SupervisedPart,
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
