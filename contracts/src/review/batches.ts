/** Batches: the changes of one command to rows under review, and their undo. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { Comment } from '../text/fields.ts';
import { REVIEW_REFUSALS, type ReviewRefusal } from './approval.ts';
import { APPROVAL_KINDS } from './approval-kinds.ts';
import { RowOutcome } from './reviewed-rows.ts';
import { DONE_FACTS } from './undoing.ts';

/**
 * POST /api/batches/{commandId}/undo: undoes the changes of the rows that were not changed later. The response has an
 * outcome per row or, for a large batch, a job.
 */
export const UndoBatch = z.object({ comment: Comment.optional() });

/** The message for a batch of rows of a data set, which have no review. */
export const DATA_SET_ROWS_NOT_IN_BATCH =
  'Rows of a data set are not reviewed and cannot be undone as a batch: delete added rows, restore deleted rows, ' +
  'and change cells back. Undo an import by its job.';

/** The outcome of an undo for one row. */
export const UndoneOutcome = defineView(() =>
  RowOutcome.extend({
    kind: z.enum(APPROVAL_KINDS),
    parentId: z.number(),
  }),
);
export type UndoneOutcome = z.infer<typeof UndoneOutcome>;

/** A row of a batch that was changed later: an undo leaves it unchanged. */
export const LaterWork = defineView(() =>
  z.object({
    id: z.number(),
    type: z.string().describe('The last action on the row.'),
    changedBy: z.number().nullable(),
    changedAt: z.string(),
  }),
);
export type LaterWork = z.infer<typeof LaterWork>;

/** The part of a batch with one kind of change (`did`) to the rows of one parent. */
export const BatchPart = defineView(() =>
  z.object({
    kind: z.enum(APPROVAL_KINDS),
    parentId: z.number(),
    parentName: z.string(),
    did: z.enum(DONE_FACTS),
    count: z.number(),
    ids: z.array(z.number()).describe('The ids of the first hundred rows.'),
    laterCount: z.number().describe('The number of rows that were changed later; `later` has the first hundred.'),
    later: z.array(LaterWork),
    ownCount: z
      .number()
      .describe(
        'The number of further rows whose decision the viewer may not undo, because the viewer is one of their authors.',
      ),
    refusal: z
      .enum(Object.keys(REVIEW_REFUSALS) as ReviewRefusal[])
      .nullable()
      .describe(
        'Why the viewer cannot undo any row; null if only the rows of `laterCount` and `ownCount` cannot be undone.',
      ),
    message: z.string().nullable(),
  }),
);
export type BatchPart = z.infer<typeof BatchPart>;

/** GET /api/batches/{commandId}. */
export const BatchView = defineView(() =>
  z.object({
    commandId: z.string(),
    userId: z.number().nullable(),
    at: z.string(),
    comment: z.string().nullable(),
    count: z.number(),
    parts: z.array(BatchPart),
    undo: z.object({
      possible: z.boolean(),
      count: z.number().describe('The number of rows that an undo by the viewer restores.'),
      laterCount: z
        .number()
        .describe('The number of rows that an undo leaves unchanged, because they were changed later.'),
      ownCount: z
        .number()
        .describe(
          'The number of further rows that an undo leaves unchanged, because the viewer is one of their authors.',
        ),
      message: z.string().nullable(),
    }),
  }),
);
export type BatchView = z.infer<typeof BatchView>;
