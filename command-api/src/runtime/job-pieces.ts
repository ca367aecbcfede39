import { type ImportCounts, type ImportProblem, type RowOutcome, shown } from '@rdm/contracts';

export interface JobPieces {
  jobId: number;
  /** Sets the number of rows, where the request did not know it. */
  setTotal(total: number): void;
  /** The counts once every row has an outcome; undefined before. */
  finalCounts(): ImportCounts | undefined;
  /**
   * Computes a value in the first run and returns the stored value in every later one, so that pieces stay the same.
   */
  once<Result>(compute: () => Promise<Result>): Promise<Result>;
  /** Whether an earlier run decided the piece and stored its outcomes. */
  isDone(step: string): boolean;
  /**
   * Decides a piece and stores its outcomes. Refuses when the job has to stop, unless an earlier run already started
   * the piece.
   */
  decide(step: string, isStarted: boolean, decide: () => Promise<RowOutcome[]>): Promise<RowOutcome[]>;
  /** Logs what was skipped, and why. Rethrows `error` when it interrupted a piece, which stops the job. */
  logSkipped(message: string, error: unknown): Promise<void>;
}

/** The outcome of one row of a file. */
export interface ImportedRowOutcome extends RowOutcome {
  line: number;
  /** Set unless the row is refused. */
  became?: 'created' | 'changed' | 'unchanged';
  /** The row's values by column name. */
  data: Record<string, string>;
  problems: ImportProblem[];
}

/** The outcome of a row that the job keeps on purpose: it is counted as skipped, and logged with the reason. */
export interface KeptRowOutcome extends RowOutcome {
  isKept: true;
}

/** The outcome of a row of a job; `became` is set for a row that is not refused, unless it was changed. */
export interface JobRowOutcome extends RowOutcome {
  became?: 'created' | 'changed' | 'unchanged';
}

/** Shortens the values of problems to their displayed length. */
export const shortenedProblems = (problems: readonly ImportProblem[]): ImportProblem[] =>
  problems.map((problem) => ({ ...problem, value: shown(problem.value) }));
