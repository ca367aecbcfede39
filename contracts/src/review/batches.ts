/** Batches: what one command did to rows under review, and its undo. */
import { z } from 'zod';
import { Comment } from '../text/fields.ts';
import type { ReviewRefusal } from './approval.ts';
import type { ApprovalKind } from './approval-kinds.ts';
import type { RowOutcome } from './reviewed-rows.ts';
import type { DoneFact } from './undoing.ts';

/** POST /api/batches/{commandId}/undo: undoes every row that was not changed since; the answer is per row. */
export const UndoBatch = z.object({ comment: Comment.optional() });

/** Why rows of a data set cannot be undone like this: they are not Tracked rows (undoing.ts). */
export const ROWS_UNDONE_OTHERWISE =
  'Rows of a data set are not reviewed, and not undone as a batch: delete what was added, restore what was deleted, ' +
  'change back what was changed. An import is undone as a job.';

/** The outcome of an undo, per row. */
export interface UndoneOutcome extends RowOutcome {
  kind: ApprovalKind;
  parentId: number;
}

/** A row of a batch with later work: an undo leaves it unchanged. */
export interface LaterWork {
  id: number;
  /** The last act on it. */
  type: string;
  changedBy: number | null;
  changedAt: string;
}

/** The part of a batch that concerns the rows of one parent. */
export interface BatchPart {
  kind: ApprovalKind;
  parentId: number;
  parentName: string;
  did: DoneFact;
  count: number;
  /** The first hundred of its rows. */
  ids: number[];
  /** How many of its rows have later work, and the first hundred of them. */
  laterCount: number;
  later: LaterWork[];
  /** How many of the others the viewer wrote, and therefore may not return to review. */
  ownCount: number;
  /** Why the viewer cannot undo any of it; null if they can undo the rows without later work. */
  refusal: ReviewRefusal | null;
  message: string | null;
}

/** GET /api/batches/{commandId}. */
export interface BatchView {
  commandId: string;
  userId: number | null;
  at: string;
  comment: string | null;
  count: number;
  parts: BatchPart[];
  undo: {
    possible: boolean;
    /**
     * Rows that an undo by the viewer restores, and rows that it leaves unchanged: with later work, or written by the viewer.
     */
    count: number;
    laterCount: number;
    ownCount: number;
    message: string | null;
  };
}
