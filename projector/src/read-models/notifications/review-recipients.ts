/**
 * Recipients of review notifications: the user who submitted a row, or drafted a new value of an approved row, is
 * notified of the actions of other users.
 */
import {
  CROSSWALK_FACTS,
  type CrosswalkEvent,
  DELETION_FACTS,
  type DoneFact,
  MAPPING_FACTS,
  type MappingEvent,
  type NotificationReason,
  RELATIONSHIP_VALUE_FACTS,
  type RelationshipEvent,
  type RelationshipValueEvent,
  type RestorableState,
} from '@rdm/contracts';

/**
 * The stage of a row. CANDIDATE is a draft of a row with a served value. Other drafts have no stage and no recipient,
 * because users who draft mappings together do not need a notification of each edit.
 */
export type Stage = 'CANDIDATE' | 'PENDING' | 'PENDING_DELETION' | 'APPROVED' | 'REJECTED' | 'REVOKED';

/** The review state of a row, as far as notifications need it. */
export interface ReviewState {
  /** The user to notify; null if no user is notified, as for a served value after its draft was discarded. */
  userId: number | null;
  stage: Stage;
  /** Whether the row has a served value. */
  served: boolean;
  /** The command that submitted the row. */
  batchId: string | null;
}

/** A change of a row, with its user and its command. */
export interface ReviewAction {
  fact: DoneFact;
  actorId: number | null;
  commandId: string;
  /** For an undo: the state that it restores. */
  to?: RestorableState<unknown>;
}

export interface ActionResult {
  state: ReviewState | undefined;
  /** The recipient and the reason; users are not notified of their own actions. */
  notification: { userId: number; reason: NotificationReason; isDeletion: boolean } | undefined;
}

export const isPending = (state: ReviewState | undefined): boolean =>
  state?.stage === 'PENDING' || state?.stage === 'PENDING_DELETION';

/** The reason for a notification, by fact. */
const REASONS: Readonly<Partial<Record<DoneFact, NotificationReason>>> = {
  approved: 'APPROVED',
  rejected: 'REJECTED',
  revoked: 'REVOKED',
  recalled: 'RECALLED',
  discarded: 'DISCARDED',
  deleted: 'DELETED',
  undone: 'UNDONE',
};

/** Returns the state of a row after an action, and the user to notify. */
export function applyAction(before: ReviewState | undefined, action: ReviewAction): ActionResult {
  const state = stateAfter(before, action);
  const recipient = recipientOf(before, action);
  const reason = action.fact === 'edited' ? reasonOfEdit(before) : REASONS[action.fact];
  const isNotified = recipient !== null && recipient !== action.actorId && reason !== undefined;
  const isDeletion = before?.stage === 'PENDING_DELETION';
  return { state, notification: isNotified ? { userId: recipient, reason, isDeletion } : undefined };
}

/** Returns the reason to notify the recipient of an edit; undefined if edits in this stage cause no notification. */
function reasonOfEdit(before: ReviewState | undefined): NotificationReason | undefined {
  switch (before?.stage) {
    case 'CANDIDATE':
      return 'SUPERSEDED';
    case 'REJECTED':
    case 'REVOKED':
      return 'CHANGED';
    default:
      return undefined;
  }
}

function recipientOf(before: ReviewState | undefined, { fact, actorId, to }: ReviewAction): number | null {
  if (fact !== 'undone' || !to) return before?.userId ?? null;
  if (before?.userId != null) return before.userId;
  // The row had no recipient: notify its submitter or an author, but not the acting user, who becomes the submitter by
  // the undo of a revocation.
  return [to.submittedBy, ...to.authors].find((userId) => userId !== null && userId !== actorId) ?? null;
}

function stateAfter(before: ReviewState | undefined, action: ReviewAction): ReviewState | undefined {
  const { fact, actorId, commandId, to } = action;
  const served = before?.served ?? false;
  const servedState: ReviewState = { userId: null, stage: 'APPROVED', served: true, batchId: null };
  switch (fact) {
    case 'drafted':
    case 'deleted':
    case 'restored':
      return undefined;
    case 'edited':
      return served ? { userId: actorId, stage: 'CANDIDATE', served, batchId: null } : undefined;
    case 'submitted':
      return { userId: actorId, stage: 'PENDING', served, batchId: commandId };
    case 'deletionRequested':
      return { userId: actorId, stage: 'PENDING_DELETION', served: true, batchId: commandId };
    case 'discarded':
      return servedState;
    case 'recalled':
      if (before?.stage === 'PENDING_DELETION') return servedState;
      return served && before ? { ...before, stage: 'CANDIDATE' } : undefined;
    case 'approved':
      if (before?.stage === 'PENDING_DELETION') return undefined;
      return before && { ...before, stage: 'APPROVED', served: true };
    case 'rejected':
      if (before?.stage === 'PENDING_DELETION') return servedState;
      return before && { ...before, stage: 'REJECTED' };
    case 'revoked':
      // Only the served value is revoked: a draft, a submission or a rejection of the same row keeps its status.
      if (before?.stage === 'CANDIDATE') return undefined;
      if (before?.stage === 'PENDING' || before?.stage === 'REJECTED') return { ...before, served: false };
      return before && { ...before, stage: 'REVOKED', served: false };
    case 'undone':
      return to && stateAfterUndo(before, action, to);
  }
}

function stateAfterUndo(
  before: ReviewState | undefined,
  { commandId }: ReviewAction,
  to: RestorableState<unknown>,
): ReviewState | undefined {
  if (to.deleted) return undefined;
  const served = to.served !== null;
  const withStage = (stage: Stage, userId = to.submittedBy): ReviewState => ({
    userId,
    stage,
    served,
    // After an undone decision, the row belongs to its earlier batch again; an undone revocation is a new submission.
    batchId: before?.stage === 'REVOKED' ? commandId : (before?.batchId ?? commandId),
  });
  switch (to.approvalStatus) {
    case 'PENDING':
      return withStage(to.deletionRequested ? 'PENDING_DELETION' : 'PENDING');
    case 'APPROVED':
      return withStage('APPROVED');
    case 'REJECTED':
      return withStage('REJECTED');
    case 'DRAFT':
      return served ? withStage('CANDIDATE', to.authors.at(-1) ?? null) : undefined;
  }
}

type ReviewEvent = MappingEvent | CrosswalkEvent | RelationshipEvent | RelationshipValueEvent;

const FACTS: Readonly<Record<string, DoneFact>> = {
  ...MAPPING_FACTS,
  ...RELATIONSHIP_VALUE_FACTS,
  ...CROSSWALK_FACTS,
  ...DELETION_FACTS,
  MappingsEdited: 'edited',
  RelationshipValuesEdited: 'edited',
  CrosswalkAttributesChanged: 'edited',
  CrosswalkUnmappedChanged: 'edited',
  MappingsUndone: 'undone',
  RelationshipValuesUndone: 'undone',
  CrosswalkUndone: 'undone',
  RelationshipDeletionUndone: 'undone',
};

/** Returns the fact of an event; undefined for events that change no review state. */
export const factOf = (event: Pick<ReviewEvent, 'type'>): DoneFact | undefined => FACTS[event.type];
