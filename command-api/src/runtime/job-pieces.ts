/** The interface between a command and the job that runs it piece by piece, and the outcomes of the job's rows. */
import { type ImportCounts, type ImportProblem, type RowOutcome, shortened } from '@rdm/contracts';

export interface JobPieces {
  jobId: number;
  /** Sets the number of rows, if it was not known when the job was requested. */
  setTotal(total: number): void;
  /** The counts once every row has an outcome; undefined before that. */
  finalCounts(): ImportCounts | undefined;
  /**
   * Computes a value in the first run and returns the stored value in every later run, so that the pieces stay the
   * same.
   */
  once<Result>(compute: () => Promise<Result>): Promise<Result>;
  /** Whether an earlier run decided the piece and stored its outcomes. */
  isDone(step: string): boolean;
  /**
   * Decides a piece, and stores and returns its outcomes. If the job was cancelled, decides only a piece that an
   * earlier run has started, and returns no outcomes for other pieces. Throws if the job must stop for another reason.
   */
  decide(step: string, isStarted: boolean, decide: () => Promise<RowOutcome[]>): Promise<RowOutcome[]>;
  /** Logs a message about rows that the job skipped. Rethrows `error` if it means that the job must stop. */
  logSkipped(message: string, error: unknown): Promise<void>;
}

/** The outcome of one row of a file. */
export interface ImportedRowOutcome extends RowOutcome {
  line: number;
  /** Undefined if the row is refused. */
  became?: 'created' | 'changed' | 'unchanged';
  /** The row's values by column name. */
  data: Record<string, string>;
  problems: ImportProblem[];
}

/** The outcome of a row that the undo of an import keeps: the row is counted as skipped and logged with the reason. */
export interface KeptRowOutcome extends RowOutcome {
  isKept: true;
}

/** The outcome of a row of a job. A row without `became` counts as changed, unless it was refused. */
export interface JobRowOutcome extends RowOutcome {
  became?: 'created' | 'changed' | 'unchanged';
}

/** Shortens the values of problems to their displayed length. */
export const shortenedProblems = (problems: readonly ImportProblem[]): ImportProblem[] =>
  problems.map((problem) => ({ ...problem, value: shortened(problem.value) }));
