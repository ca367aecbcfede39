/** Steps of commands on their way to the commands' rows: those that come while others of their command are written go together. */
import type { DecidedStep } from './streams.ts';

/** What is remembered of a step before its append. */
export interface StepRecord {
  /** The revision that the append expects. */
  expected: number;
  decided?: DecidedStep | undefined;
}

type Steps = Record<string, StepRecord>;

interface PendingWrite {
  steps: Steps;
  written: Promise<void>;
}

/** A command over many streams remembers a step for each of them, in one row: one after the other, each would wait for a commit. */
export class StepWriter {
  readonly #write: (commandId: string, steps: Steps) => Promise<void>;
  readonly #waiting = new Map<string, PendingWrite>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(write: (commandId: string, steps: Steps) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once the step is written. */
  remember(commandId: string, name: string, step: StepRecord): Promise<void> {
    const pending = this.#waiting.get(commandId);
    if (pending) {
      pending.steps[name] = step;
      return pending.written;
    }
    const steps = { [name]: step };
    const before = this.#writing.get(commandId) ?? Promise.resolve();
    const turn = () => {
      this.#waiting.delete(commandId);
      return this.#write(commandId, steps);
    };
    // Whoever waited for the writing before this one is told when it fails.
    const written = before.then(turn, turn);
    this.#waiting.set(commandId, { steps, written });
    this.#writing.set(commandId, written);
    const removeWhenDone = () => {
      if (this.#writing.get(commandId) === written) this.#writing.delete(commandId);
    };
    written.then(removeWhenDone, removeWhenDone);
    return written;
  }
}
