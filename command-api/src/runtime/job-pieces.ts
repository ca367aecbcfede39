import { type ImportProblem, type RowOutcome, shown } from '@rdm/contracts';

export interface JobPieces {
  jobId: number;
  /** Says how many rows there are, where the request did not know. */
  setTotal(total: number): void;
  /** What the first run looked up, for every run after it: what pieces are made of must not change between them. */
  once<Result>(compute: () => Promise<Result>): Promise<Result>;
  /** Whether an earlier run decided the piece and wrote down what came of it. */
  isDone(step: string): boolean;
  /** Decides a piece and writes down what came of it; refuses when the job is to stop, but for a piece that was `begun`. */
  decide(step: string, begun: boolean, decide: () => Promise<RowOutcome[]>): Promise<RowOutcome[]>;
  /** Says what was left alone, and why; throws what stopped a piece, which stops the job. */
  logSkipped(message: string, error: unknown): Promise<void>;
}

/** What became of one row of a file. */
export interface ImportedRowOutcome extends RowOutcome {
  line: number;
  /** Of a row that is not refused. */
  became?: 'created' | 'changed' | 'unchanged';
  /** What the row says, by the names of its columns. */
  data: Record<string, string>;
  problems: ImportProblem[];
}

/** What is wrong with a row, its values cut to what is shown of them. */
export const shortenedProblems = (problems: readonly ImportProblem[]): ImportProblem[] =>
  problems.map((problem) => ({ ...problem, value: shown(problem.value) }));
