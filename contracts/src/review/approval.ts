/**
 * The rules of the approval lifecycle of definitions, mappings and relationship values, as pure functions. Deciders,
 * the projector and the web application share these rules.
 */
import { z } from 'zod';
import { ActingKey } from '../access/acting-key.ts';
import { hasLevel, type Level } from '../access/permissions.ts';
import { defineView } from '../define-view.ts';

export const APPROVAL_STATUSES = ['DRAFT', 'PENDING', 'APPROVED', 'REJECTED'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** A reviewed row with a value of any type. */
export interface Reviewable<Value> {
  /** The version of the row, incremented by each of its events. */
  revision: number;
  /** The status of the working value. */
  approvalStatus: ApprovalStatus;
  /** The working value. */
  value: Value;
  /** The approved value that is served; null if there is none. */
  served: Value | null;
  /** Whether the review is about a deletion, not about a new value. */
  deletionRequested: boolean;
  deleted: boolean;
  submittedBy: number | null;
  /**
   * The users who edited, imported, submitted or restored the row, or requested its deletion, since its status was last
   * APPROVED. Authors may not approve or reject the row.
   */
  authors: readonly number[];
}

/** A user and a time. */
export interface Act {
  by: number | null;
  at: string;
}

/** The part of an event from which folds read the user and the time. */
export type ActMetadata = Parameters<typeof actOf>[0];

/** Returns the user and the time of an event. `by` is null if the system acted or there is no metadata. */
export const actOf = ({ metadata }: { metadata?: { actorId: number | null; occurredAt: string } }): Act => ({
  by: metadata?.actorId ?? null,
  at: metadata?.occurredAt ?? '',
});

/** A reviewed row, with the user who approved it and the user who changed it last. */
export interface Tracked<Value> extends Reviewable<Value> {
  approvedBy: number | null;
  approvedAt: string | null;
  changedBy: number | null;
  changedAt: string;
}

export const REVIEW_VERBS = [
  'edit',
  'submit',
  'recall',
  'approve',
  'reject',
  'revoke',
  'discard',
  'delete',
  'restore',
] as const;
export type ReviewVerb = (typeof REVIEW_VERBS)[number];

/** The level on the governing data set that each verb on a mapping or relationship value needs. */
export const VERB_LEVEL: Readonly<Record<ReviewVerb, Level>> = {
  edit: 'WRITE',
  submit: 'WRITE',
  recall: 'WRITE',
  approve: 'APPROVER',
  reject: 'APPROVER',
  revoke: 'APPROVER',
  discard: 'WRITE',
  delete: 'WRITE',
  restore: 'WRITE',
};

/** The level on the source data set that each verb on a crosswalk or relationship needs. */
export const DEFINITION_LEVEL: Readonly<Record<ReviewVerb, Level>> = {
  ...VERB_LEVEL,
  delete: 'ADMIN',
  restore: 'ADMIN',
};

export interface Reviewer {
  userId: number;
  level: Level | null;
  /** The level that the verb needs in this case; by default the level in VERB_LEVEL. */
  needed?: Level;
}

/** The reasons why a verb cannot be applied to a row, with their messages. */
export const REVIEW_REFUSALS = {
  NOT_FOUND: 'This row does not exist',
  STALE: 'Another user changed this row meanwhile',
  LEVEL: "You don't have the level that this action needs on the source data set",
  DELETED: 'This row was deleted',
  NOT_DELETED: 'This row is not deleted',
  PENDING: 'This row is under review: recall it first',
  NOT_DRAFT: 'Only drafts can be submitted',
  UNCHANGED: 'This row was rejected: change it before submitting it again, or ask its reviewer to undo the rejection',
  NOT_PENDING: 'This row is not under review',
  FOUR_EYES: 'Submitted changes must be reviewed by a different user',
  NOT_SUBMITTER: 'Only the submitter or a collection administrator can recall this row',
  NOT_EDITOR: 'Only its editor or a collection administrator can discard this draft',
  NOT_SERVED: 'This row has no approved value',
  NO_CANDIDATE: 'This row has no draft in addition to its approved value',
  CANDIDATE: 'Discard the draft of this row first',
  DUPLICATE: 'This pair exists already',
  DISMISSED: 'This suggestion was dismissed',
  NOT_DISMISSED: 'This suggestion is not dismissed any more',
  LATER: 'This row was changed later',
  NOT_DOER: 'Only the user who did this or a collection administrator can undo it',
  SUPERSEDED: 'A newer draft has replaced the revoked value',
  UNDO: 'An undo cannot be undone: repeat the original action',
  FINAL: 'This deletion was approved: undo the approval to return the deletion to review',
  LOCKED: 'The attributes can no longer be changed, because there are values: submit the change for approval instead',
} as const;
export type ReviewRefusal = keyof typeof REVIEW_REFUSALS;

/** Returns why this reviewer may not apply the verb to the row; null if the reviewer may. */
export function refusal(verb: ReviewVerb, row: Reviewable<unknown>, reviewer: Reviewer): ReviewRefusal | null {
  if (!hasLevel(reviewer.level, reviewer.needed ?? VERB_LEVEL[verb])) return 'LEVEL';
  if (verb === 'restore') return row.deleted ? null : 'NOT_DELETED';
  if (row.deleted) return 'DELETED';
  const isPending = row.approvalStatus === 'PENDING';
  const isAdmin = hasLevel(reviewer.level, 'ADMIN');
  switch (verb) {
    case 'edit':
      return isPending ? 'PENDING' : null;
    case 'submit':
      if (row.approvalStatus === 'REJECTED') return 'UNCHANGED';
      return row.approvalStatus === 'DRAFT' ? null : 'NOT_DRAFT';
    case 'recall':
      if (!isPending) return 'NOT_PENDING';
      return row.submittedBy === reviewer.userId || isAdmin ? null : 'NOT_SUBMITTER';
    case 'approve':
    case 'reject':
      if (!isPending) return 'NOT_PENDING';
      return row.authors.includes(reviewer.userId) ? 'FOUR_EYES' : null;
    case 'revoke':
      return row.served === null ? 'NOT_SERVED' : null;
    case 'discard':
      if (isPending) return 'PENDING';
      if (row.served === null || row.approvalStatus === 'APPROVED') return 'NO_CANDIDATE';
      return row.authors.includes(reviewer.userId) || isAdmin ? null : 'NOT_EDITOR';
    case 'delete':
      if (isPending) return 'PENDING';
      return row.served !== null && row.approvalStatus !== 'APPROVED' ? 'CANDIDATE' : null;
  }
}

/** Creates a row with its first draft. */
export function newDraft<Value>(value: Value, { by, at }: Act): Tracked<Value> {
  return {
    revision: 1,
    approvalStatus: 'DRAFT',
    value,
    served: null,
    deletionRequested: false,
    deleted: false,
    submittedBy: null,
    authors: by === null ? [] : [by],
    approvedBy: null,
    approvedAt: null,
    changedBy: by,
    changedAt: at,
  };
}

/** The part of a row's state that an undo restores. */
export type RestorableState<Value> = Omit<Tracked<Value>, 'revision' | 'changedBy' | 'changedAt'>;

/** A change of a reviewed row. The events of all reviewed streams are mapped to these facts. */
export type ReviewFact<Value> =
  | { fact: 'edited'; value: Value }
  | { fact: 'submitted' }
  | { fact: 'recalled' }
  | { fact: 'approved' }
  | { fact: 'rejected' }
  | { fact: 'revoked' }
  | { fact: 'discarded' }
  | { fact: 'deletionRequested' }
  | { fact: 'deleted' }
  | { fact: 'restored' }
  | { fact: 'undone'; to: RestorableState<Value> };

/** Facts whose events contain neither a value nor a state, only row ids and a comment. */
export type PlainFact = Exclude<ReviewFact<never>['fact'], 'edited' | 'undone'>;

export const withAuthor = (authors: readonly number[], actor: number | null): readonly number[] =>
  actor === null || authors.includes(actor) ? authors : [...authors, actor];

/** Folds one fact into a row, without checks: recorded facts stay valid even if the rules change. */
export function review<Value>(row: Tracked<Value>, fact: ReviewFact<Value>, { by, at }: Act): Tracked<Value> {
  const next: Tracked<Value> = { ...row, revision: row.revision + 1, changedBy: by, changedAt: at };
  switch (fact.fact) {
    case 'edited':
      return { ...next, value: fact.value, approvalStatus: 'DRAFT', authors: withAuthor(row.authors, by) };
    case 'submitted':
      return { ...next, approvalStatus: 'PENDING', submittedBy: by, authors: withAuthor(row.authors, by) };
    case 'deletionRequested':
      return {
        ...next,
        approvalStatus: 'PENDING',
        deletionRequested: true,
        submittedBy: by,
        authors: withAuthor(row.authors, by),
      };
    case 'recalled':
      return row.deletionRequested ? asServed(next) : { ...next, approvalStatus: 'DRAFT' };
    case 'approved': {
      const approved = { ...next, approvalStatus: 'APPROVED', authors: [], approvedBy: by, approvedAt: at } as const;
      return row.deletionRequested
        ? { ...approved, served: null, deleted: true, deletionRequested: false }
        : { ...approved, served: row.value };
    }
    case 'rejected':
      return row.deletionRequested ? asServed(next) : { ...next, approvalStatus: 'REJECTED' };
    case 'revoked':
      // A value that is newer than the served value keeps its status. A row without a newer value becomes REJECTED.
      return row.approvalStatus === 'APPROVED' || row.deletionRequested
        ? { ...next, approvalStatus: 'REJECTED', served: null, deletionRequested: false }
        : { ...next, served: null };
    case 'discarded':
      return asServed(next);
    case 'deleted':
      return { ...next, deleted: true, served: null };
    case 'restored':
      return {
        ...next,
        deleted: false,
        approvalStatus: 'DRAFT',
        served: null,
        submittedBy: null,
        authors: withAuthor(row.authors, by),
      };
    case 'undone':
      return { ...next, ...fact.to };
  }
}

/** Returns the row with its served value, without a draft and without authors. */
function asServed<Value>(row: Tracked<Value>): Tracked<Value> {
  return {
    ...row,
    value: row.served ?? row.value,
    approvalStatus: 'APPROVED',
    deletionRequested: false,
    submittedBy: null,
    authors: [],
  };
}

/** Returns the type of change of an event, such as DELETION_REQUESTED for `MappingsDeletionRequested`. */
export const changeTypeOf = (event: string): string =>
  event
    .replace(/^(Mappings|RelationshipValues)/, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase();

/** The status of a version, or DELETED. */
export const VersionStatus = defineView(() => z.union([z.enum(APPROVAL_STATUSES), z.literal('DELETED')]));
export type VersionStatus = z.infer<typeof VersionStatus>;

/** One entry of a row's `changeHistory` (specification §3). */
export const ChangeHistoryEntry = defineView(() =>
  z.object({
    timestamp: z.string(),
    prevStatus: VersionStatus.nullable(),
    newStatus: VersionStatus,
    userId: z.number().nullable(),
    comment: z.string().nullable().exactOptional(),
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).exactOptional(),
  }),
);
export type ChangeHistoryEntry = z.infer<typeof ChangeHistoryEntry>;

/** The place of a version in the log and in the history of the row, and the id of the submission. */
export const VersionMetadata = defineView(() =>
  z.object({
    seq: z.number(),
    revision: z.number(),
    batchId: z
      .string()
      .nullable()
      .describe('The id of the submission to which the version belongs; null before the first submission.'),
  }),
);
export type VersionMetadata = z.infer<typeof VersionMetadata>;

/** One version of a reviewed row, as in …/history. */
export const VersionView = defineView(() =>
  ChangeHistoryEntry.extend({
    ...ActingKey.shape,
    seq: z.number(),
    revision: z.number(),
    type: z.string().describe('The type of the event that created the version.'),
    ofDeletion: z.literal(true).exactOptional().describe('Set if the submission or decision was about a deletion.'),
  }),
);
export type VersionView = z.infer<typeof VersionView>;
