/** Defines the payloads of verbs, the data of events, and the outcomes for rows under review. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { Comment, Id, Reason } from '../text/fields.ts';
import { APPROVAL_STATUSES } from './approval.ts';

/** The data of an event about many rows: their ids and a comment. */
export const Rows = z.object({ ids: z.array(Id), comment: z.string().optional() });
export const RowsWithReason = z.object({ ids: z.array(Id), comment: z.string() });

/** The state of a row that an undo restores; `value` is the schema of the row's value. */
export const restorableState = <Value extends z.ZodType>(value: Value) =>
  z.object({
    approvalStatus: z.enum(APPROVAL_STATUSES),
    value,
    served: value.nullable(),
    deletionRequested: z.boolean(),
    deleted: z.boolean(),
    submittedBy: Id.nullable(),
    authors: z.array(Id),
    approvedBy: Id.nullable(),
    approvedAt: z.string().nullable(),
  });

/** The data of an event about an undo: the new state of each row. */
export const undoneRows = <Value extends z.ZodType>(value: Value) =>
  z.object({
    undoes: z.uuid(),
    rows: z.array(z.object({ id: Id, to: restorableState(value) })),
    comment: z.string().optional(),
  });

/** The ids of the rows in an event of a reviewed stream, in the order of the event. */
export const touchedRowIds = (event: {
  data: { ids: readonly number[] } | { rows: readonly { id: number }[] };
}): number[] => ('ids' in event.data ? [...event.data.ids] : event.data.rows.map((row) => row.id));

const ReviewRow = z.object({ id: Id, revision: z.number().int().positive() });
const ReviewTarget = z.union([
  z.object({ rows: z.array(ReviewRow).min(1).max(10_000) }),
  z.object({ selectionId: z.uuid() }),
]);
/**
 * DELETE …, and POST …/submit, recall, approve, discard and restore: rows with their expected revisions, or a frozen
 * selection.
 */
export const ReviewRows = z.object({ comment: Comment.optional() }).and(ReviewTarget);
export type ReviewRows = z.infer<typeof ReviewRows>;
/** POST …/reject and …/revoke: a reason is required. */
export const ReviewRowsWithReason = z.object({ comment: Reason }).and(ReviewTarget);

/** The payload of verbs on a crosswalk or relationship, such as POST /api/crosswalks/{id}/submit. */
export const ReviewDefinition = z.object({ comment: Comment.optional() });
export const ReviewDefinitionWithReason = z.object({ comment: Reason });

/** The outcome per row of a bulk command. */
export const RowOutcome = defineView(() =>
  z.object({
    id: z.number().describe('The id of the row; for a row that was not created, its index in the request.'),
    index: z.number().exactOptional().describe('The index of the row in the request, if the command creates rows.'),
    outcome: z.enum(['done', 'refused']),
    code: z.string().exactOptional(),
    message: z.string().exactOptional(),
    key: z
      .string()
      .exactOptional()
      .describe(
        'The text that identifies a refused row: its key, its pair of values, or the name of the definition. Left out for a row that does not exist.',
      ),
    revision: z.number().exactOptional(),
    changedBy: z.number().nullable().exactOptional().describe('The user who changed the row meanwhile.'),
    changedAt: z.string().exactOptional(),
  }),
);
export type RowOutcome = z.infer<typeof RowOutcome>;
