/** Who stands behind each row under review: whoever submitted it, or wrote a draft beside its approved value, hears what others do to it. */
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
  type Standing,
} from '@rdm/contracts';

/** Plain drafts have no holder: those who write a list together would be told of each other's every edit. */
export type Stage = 'CANDIDATE' | 'PENDING' | 'PENDING_DELETION' | 'APPROVED' | 'REJECTED' | 'REVOKED';

/** How a row stands, as far as somebody is to be told of it. */
export interface ReviewState {
  /** Null where nobody is: a value that serves, whoever submitted it. */
  userId: number | null;
  stage: Stage;
  /** An approved value serves beside it. */
  served: boolean;
  /** The command that submitted it. */
  batchId: string | null;
}

/** What happened to a row, by whom and with which command. */
export interface ReviewAction {
  fact: DoneFact;
  actorId: number | null;
  commandId: string;
  /** Of an undo: how the row stands from then on. */
  to?: Standing<unknown>;
}

export interface ActionResult {
  state: ReviewState | undefined;
  /** Who is told, and of what; nobody hears of what they did themselves. */
  notification: { userId: number; reason: NotificationReason; isDeletion: boolean } | undefined;
}

export const isPending = (held: ReviewState | undefined): boolean =>
  held?.stage === 'PENDING' || held?.stage === 'PENDING_DELETION';

/** Reasons by what was done to what somebody holds. */
const REASONS: Readonly<Partial<Record<DoneFact, NotificationReason>>> = {
  approved: 'APPROVED',
  rejected: 'REJECTED',
  revoked: 'REVOKED',
  recalled: 'RECALLED',
  discarded: 'DISCARDED',
  deleted: 'DELETED',
  stateAfterUndo: 'UNDONE',
};

/** A row after something was done to it, and who hears of it. */
export function applyAction(before: ReviewState | undefined, action: ReviewAction): ActionResult {
  const held = stateAfter(before, action);
  const recipient = recipientOf(before, action);
  const reason = action.fact === 'edited' ? reasonOfEdit(before) : REASONS[action.fact];
  const told = recipient !== null && recipient !== action.actorId && reason !== undefined;
  const ofDeletion = before?.stage === 'PENDING_DELETION';
  return { state: held, notification: told ? { userId: recipient, reason, isDeletion: ofDeletion } : undefined };
}

/** An edit of what was approved begins something new beside it, of which its submitter hears when it is decided upon by others. */
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

function recipientOf(before: ReviewState | undefined, { fact, actorId: by, to }: ReviewAction): number | null {
  if (fact !== 'undone' || !to) return before?.userId ?? null;
  if (before?.userId != null) return before.userId;
  // Of what was revoked and comes back, whoever brought it back is the submitter: its authors are told.
  return [to.submittedBy, ...to.authors].find((userId) => userId !== null && userId !== by) ?? null;
}

function stateAfter(before: ReviewState | undefined, doing: ReviewAction): ReviewState | undefined {
  const { fact, actorId: by, commandId, to } = doing;
  const served = before?.served ?? false;
  const servedState: ReviewState = { userId: null, stage: 'APPROVED', served: true, batchId: null };
  switch (fact) {
    case 'drafted':
    case 'deleted':
    case 'restored':
      return undefined;
    case 'edited':
      return served ? { userId: by, stage: 'CANDIDATE', served, batchId: null } : undefined;
    case 'submitted':
      return { userId: by, stage: 'PENDING', served, batchId: commandId };
    case 'deletionRequested':
      return { userId: by, stage: 'PENDING_DELETION', served: true, batchId: commandId };
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
      // A draft beside it keeps its own status; only nothing serves any more.
      if (before?.stage === 'CANDIDATE') return undefined;
      if (before?.stage === 'PENDING' || before?.stage === 'REJECTED') return { ...before, served: false };
      return before && { ...before, stage: 'REVOKED', served: false };
    case 'undone':
      return to && undone(before, doing, to);
  }
}

function undone(before: ReviewState | undefined, { commandId }: ReviewAction, to: Standing<unknown>): ReviewState | undefined {
  if (to.deleted) return undefined;
  const served = to.served !== null;
  const held = (stage: Stage, userId = to.submittedBy): ReviewState => ({
    userId,
    stage,
    served,
    // What was decided comes back to its batch; what was revoked comes back as a submission of its own.
    batchId: before?.stage === 'REVOKED' ? commandId : (before?.batchId ?? commandId),
  });
  switch (to.approvalStatus) {
    case 'PENDING':
      return held(to.deletionRequested ? 'PENDING_DELETION' : 'PENDING');
    case 'APPROVED':
      return held('APPROVED');
    case 'REJECTED':
      return held('REJECTED');
    case 'DRAFT':
      return served ? held('CANDIDATE', to.authors.at(-1) ?? null) : undefined;
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

/** What an event did to its rows; undefined for those that nobody is told of. */
export const factOf = (event: Pick<ReviewEvent, 'type'>): DoneFact | undefined => FACTS[event.type];
