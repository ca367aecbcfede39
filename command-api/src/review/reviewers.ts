/** What the review of many items of any kind needs to know of each kind: how its room reviews rows of one parent. */
import type { ApprovalKind, RowOutcome } from '@rdm/contracts';
import type { Execution } from '../runtime/execution.ts';

export type ReviewRows = (
  x: Execution,
  verb: 'approve' | 'reject',
  parentId: number,
  rows: readonly { id: number; revision: number }[],
  comment: string | undefined,
) => Promise<RowOutcome[]>;

export interface Reviewer {
  review: ReviewRows;
  /** The data sets that govern a parent, its source first; refuses one that is gone or hidden. */
  governanceOf: (x: Execution, parentId: number) => Promise<{ governedBy: number[] }>;
}

/** Filled where the rooms meet, in main.ts: the rooms themselves do not know each other. */
export type Reviewers = Record<ApprovalKind, Reviewer>;
