/** The interface through which approvals review rows of any kind. */
import type { ApprovalKind, RowOutcome } from '@rdm/contracts';
import type { Execution } from '../runtime/execution.ts';

export type ReviewItems = (
  x: Execution,
  verb: 'approve' | 'reject',
  parentId: number,
  rows: readonly { id: number; revision: number }[],
  comment: string | undefined,
) => Promise<RowOutcome[]>;

/** Reviews the rows of one kind. */
export interface RowReviewer {
  review: ReviewItems;
  /** Returns the data sets of a parent, its source first; throws if the parent is deleted or hidden. */
  governanceOf: (x: Execution, parentId: number) => Promise<{ governedBy: number[] }>;
}

/** `routes.ts` collects the reviewers of all kinds, because modules do not import each other. */
export type Reviewers = Record<ApprovalKind, RowReviewer>;
