/** What a decision that a job takes piece by piece needs of its job. */
import type { RowOutcome } from '@rdm/contracts';

export interface Pieces {
  jobId: number;
  /** Whether an earlier run decided the piece and wrote down what came of it. */
  isKept(step: string): boolean;
  /** Decides a piece and writes down what came of it; refuses when the job is to stop, but for a piece that was `begun`. */
  decide(step: string, begun: boolean, decide: () => Promise<RowOutcome[]>): Promise<RowOutcome[]>;
  /** Says what was left alone, and why; throws what stopped a piece, which stops the job. */
  untried(message: string, error: unknown): Promise<void>;
}
