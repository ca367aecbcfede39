/**
 * Batches the steps of each command: steps that arrive during a write are written together in the next write. Without
 * batches, decisions on many streams would exceed the limit of tests/bench/approve.ts.
 */
import type { DecidedStep } from './append-stamp.ts';

/** The part of a step that is stored before the append of the step. */
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

/** All steps of a command change the same row: without batches, each step would wait for a commit of its own. */
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
    const previousWrite = this.#writing.get(commandId) ?? Promise.resolve();
    const startWrite = () => {
      this.#waiting.delete(commandId);
      return this.#write(commandId, steps);
    };
    // The next write also starts if the write before it fails; only the callers of the failed write see the failure.
    const written = previousWrite.then(startWrite, startWrite);
    this.#waiting.set(commandId, { steps, written });
    this.#writing.set(commandId, written);
    const removeWhenDone = () => {
      if (this.#writing.get(commandId) === written) this.#writing.delete(commandId);
    };
    written.then(removeWhenDone, removeWhenDone);
    return written;
  }
}
