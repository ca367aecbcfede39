/** Columns of all reviewed entities and rows: the review status, and the users and dates of the review. */
import type {
  ApprovalStatus,
  CrosswalkEvent,
  MappingEvent,
  RelationshipEvent,
  RelationshipValueEvent,
  Tracked,
} from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { ColumnType } from './rows.ts';

export interface ReviewColumns {
  /** A deleted row stays in the table, because it can be restored. */
  deleted: boolean;
  revision: number;
  approval_status: ApprovalStatus;
  deletion_requested: boolean;
  authors: number[];
  created_by: number | null;
  created_at: string;
  submitted_by: number | null;
  submitted_at: string | null;
  approved_by: number | null;
  approved_at: string | null;
  rejected_by: number | null;
  rejected_at: string | null;
  rejection_reason: string | null;
  /** The comment of the last event. */
  comment: string | null;
  submission_comment: string | null;
  /** The command of the last submission. Rows with the same command are a batch. */
  batch_id: string | null;
  /** How often the row was submitted while it was not pending. Undoing a revocation counts as a submission. */
  submissions: number;
  updated_by: number | null;
  updated_at: string;
  last_event: string;
}

export const reviewColumnTypes = {
  deleted: 'boolean',
  revision: 'integer',
  approval_status: 'text',
  deletion_requested: 'boolean',
  authors: 'bigint[]',
  created_by: 'bigint',
  created_at: 'timestamptz',
  submitted_by: 'bigint',
  submitted_at: 'timestamptz',
  approved_by: 'bigint',
  approved_at: 'timestamptz',
  rejected_by: 'bigint',
  rejected_at: 'timestamptz',
  rejection_reason: 'text',
  comment: 'text',
  submission_comment: 'text',
  batch_id: 'text',
  submissions: 'integer',
  updated_by: 'bigint',
  updated_at: 'timestamptz',
  last_event: 'text',
} as const satisfies Record<keyof ReviewColumns, ColumnType>;

/** Events of entities and rows that can be reviewed. */
export type ReviewEvent = MappingEvent | CrosswalkEvent | RelationshipEvent | RelationshipValueEvent;

/** The part of an event type before its verb, such as `RelationshipDeletion` in `RelationshipDeletionApproved`. */
const TYPE_PREFIX = /^(?:Mappings|Crosswalk|RelationshipValues|Relationship)(?:Deletion(?!Requested))?/;

const commentOf = (data: object): string | null =>
  'comment' in data && typeof data.comment === 'string' ? data.comment : null;

/** Returns the review fields of a row's state, for the fold of the next event. */
export const reviewOf = (row: ReviewColumns) => ({
  revision: row.revision,
  approvalStatus: row.approval_status,
  deletionRequested: row.deletion_requested,
  deleted: row.deleted,
  submittedBy: row.submitted_by,
  authors: row.authors,
  approvedBy: row.approved_by,
  approvedAt: row.approved_at,
  changedBy: row.updated_by,
  changedAt: row.updated_at,
});

/** Returns the review columns of a row after an event. `row` is from before the event, `state` from after the event. */
export function reviewColumnsAfter(
  row: ReviewColumns | undefined,
  state: Tracked<unknown>,
  event: NumberedEvent<ReviewEvent>,
): ReviewColumns {
  const { occurredAt, actorId, $causationId } = event.metadata;
  const comment = commentOf(event.data);
  const verb = event.type.replace(TYPE_PREFIX, '');
  const isSubmission = verb === 'Submitted' || verb === 'DeletionRequested';
  const isNegativeDecision = verb === 'Rejected' || verb === 'Revoked';
  // An undo keeps the rejection only if it restores a rejected state.
  const clearsRejection =
    verb === 'Approved' || verb === 'Restored' || (verb === 'Undone' && state.approvalStatus !== 'REJECTED');
  // The undo of a revocation restores the approved state, but counts as a new submission: the dashboard keeps the
  // decision on the earlier submission.
  const isResubmission = verb === 'Undone' && row !== undefined && row.last_event.endsWith('Revoked');
  const isNewSubmission = isSubmission || isResubmission;
  return {
    deleted: state.deleted,
    revision: state.revision,
    approval_status: state.approvalStatus,
    deletion_requested: state.deletionRequested,
    authors: [...state.authors],
    created_by: row ? row.created_by : actorId,
    created_at: row?.created_at ?? occurredAt,
    submitted_by: state.submittedBy,
    submitted_at: isNewSubmission ? occurredAt : state.submittedBy === null ? null : (row?.submitted_at ?? occurredAt),
    approved_by: state.approvedBy,
    approved_at: state.approvedAt,
    rejected_by: isNegativeDecision ? actorId : clearsRejection ? null : (row?.rejected_by ?? null),
    rejected_at: isNegativeDecision ? occurredAt : clearsRejection ? null : (row?.rejected_at ?? null),
    rejection_reason: isNegativeDecision ? comment : clearsRejection ? null : (row?.rejection_reason ?? null),
    comment,
    submission_comment: isNewSubmission ? comment : (row?.submission_comment ?? null),
    batch_id: isNewSubmission ? $causationId : (row?.batch_id ?? null),
    submissions: (row?.submissions ?? 0) + Number(isNewSubmission && row?.approval_status !== 'PENDING'),
    updated_by: actorId,
    updated_at: occurredAt,
    last_event: event.type,
  };
}
