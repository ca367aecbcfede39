/** Keeps a set of parts running: starts each when what it needs is ready, again when it ends, and stops all in a given order. */
import { setTimeout as pause } from 'node:timers/promises';
import { isOutOfSpace } from '../event-store/storage/disk.ts';
import { deferred } from './deferred.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** One run of a part, from its start to its end. */
export type Run = {
  pid: number;
  /** Settles when it serves; never, when it ends before that. */
  ready: Promise<void>;
  exited: Promise<Exit>;
  /** Settles with the reason, in words for people, when it says that it cannot serve and that starting it again is useless. */
  refused?: Promise<string>;
  /** Ends it in good order; settles when it is gone. */
  stop(): Promise<void>;
};

export type Part = {
  name: string;
  /** The parts that must have been ready once before this one is started for the first time. */
  needs: string[];
  start(): Promise<Run>;
};

export type SupervisorOptions = {
  /** Groups of names: those of a group are stopped together, the groups one after the other. */
  stopOrder: string[][];
  report: (event: SupervisorEvent) => void;
  /** Pause before start number n after n failures in a row, in milliseconds. */
  backoff?: (failures: number) => number;
  /** A part that failed so often in a row is given up, and with it everything. */
  maxFailures?: number;
  /** A run that served for so long (milliseconds) was no failure of starting. */
  steadyAfter?: number;
};

export type SupervisorEvent =
  | { type: 'ready'; part: string; tookMs: number; again: boolean }
  | { type: 'failed'; part: string; why: string; failures: number; retryMs: number }
  | { type: 'stopped'; part: string };

export type SupervisedPart = {
  /** The pid of the present run; undefined between two runs. */
  readonly pid: number | undefined;
  /** How often it was started. */
  readonly starts: number;
  /** Whether the present run was ready. */
  readonly isServing: boolean;
  kill9(): void;
  /** Stops the present run in good order and starts the next; settles when that serves. */
  restart(): Promise<void>;
  /** Settles when the present run serves, or else the next one that does. */
  ready(): Promise<void>;
};

export type Supervisor = {
  parts: Record<string, SupervisedPart>;
  /** Settles when all parts serve; rejects when a part is given up meanwhile. */
  start(): Promise<void>;
  /** Rejects when a part is given up, whenever that is. */
  gaveUp: Promise<never>;
  stop(): Promise<void>;
};

export class PartGivenUp extends Error {
  readonly part: string;
  /** Whether the part itself has said why. */
  readonly hasRefused: boolean;
  constructor(part: string, failures: number, why: string, hasRefused = false) {
    super(
      failures === 1 || hasRefused
        ? `${part} could not be started: ${why}`
        : `${part} failed ${failures} times in a row: ${why}`,
    );
    this.name = 'PartGivenUp';
    this.part = part;
    this.hasRefused = hasRefused;
  }
}

const defaultBackoff = (failures: number) => Math.min(10_000, 250 * 2 ** (failures - 1));

export function supervise(definitions: Part[], options: SupervisorOptions): Supervisor {
  const { report, backoff = defaultBackoff, maxFailures = 10, steadyAfter = 30_000 } = options;
  const giveUp = deferred<never>();
  giveUp.promise.catch(() => {}); // whoever cares awaits it
  const orphaned = definitions.filter(({ name }) => !options.stopOrder.flat().includes(name));
  if (orphaned.length > 0)
    throw new Error(`No place in the stop order: ${orphaned.map(({ name }) => name).join(', ')}`);
  const supervised = new Map(definitions.map((part) => [part.name, superviseOne(part)]));
  function superviseOne(part: Part) {
    const stopping = new AbortController();
    let run: Run | undefined;
    let starts = 0;
    let failures = 0;
    let isRestarting = false;
    let isFirstStartFailed = false;
    let hasRefused = false;
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
        // Space may be freed at any time: until then the other parts go on.
        if ((failures >= maxFailures && !isOutOfDisk) || isFirstStartFailed || hasRefused) {
          giveUp.reject(new PartGivenUp(part.name, failures, why, hasRefused));
          return;
        }
        const retryMs = backoff(failures);
        report({ type: 'failed', part: part.name, why, failures, retryMs });
        await pause(retryMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }

    /** One run; answers why it is over. */
    async function runOnce(): Promise<string> {
      const startedAt = performance.now();
      starts++;
      isOutOfDisk = false;
      try {
        run = await part.start();
      } catch (error) {
        // What cannot be started even once will not be cured by patience.
        isFirstStartFailed = starts === 1;
        isOutOfDisk = isOutOfSpace(error);
        return messageOf(error);
      }
      const current = run;
      // A stop that came while it was starting found no run to end.
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
      current.ready.then(whenReady, () => {}); // one that ends before it is ready says so by its exit
      let refusal: string | undefined;
      current.refused?.then((reason) => {
        if (served.isSettled()) return;
        refusal = reason;
        hasRefused = true;
        current.stop().catch(() => {}); // one that cannot be stopped is waited for below
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
      await Promise.race([Promise.all(definitions.map(({ name }) => begin(name))), giveUp.promise]);
    },
    async stop() {
      for (const group of options.stopOrder)
        await Promise.all(group.flatMap((name) => supervised.get(name)?.stop() ?? []));
    },
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
