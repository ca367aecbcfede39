/**
 * Read model of notifications: one row per command, parent, reason and recipient. A recipient is a user, all approvers
 * of a data set, or all administrators; the query of notifications checks whether the viewer is one of them. Read marks
 * are stored in the identity tables, not here, so that a rebuild does not change them.
 */
import {
  type AccessEvent,
  type ApprovalKind,
  BACKUPS_STREAM,
  type BackupEvent,
  type BulkDecisionEvent,
  type CrosswalkEvent,
  type DoneFact,
  type FirstAct,
  type ImportJobEvent,
  isMappingEvent,
  isRelationshipValueEvent,
  type MappingEvent,
  NOTIFICATION_IDS_MAX,
  type NotificationReason,
  type PurgeEvent,
  type RelationshipEvent,
  type RelationshipValueEvent,
  type RestorableState,
  touchedRowIds,
} from '@rdm/contracts';
import type { NumberedEvent } from '../../engine/numbered-event.ts';
import type { Projection } from '../../engine/projection.ts';
import { insertRows, type WriteContext } from '../../tables/rows.ts';
import { FirstActs, firstActs } from './first-acts.ts';
import { accessRecipients, currentGrants, currentMembers } from './grant-recipients.ts';
import {
  deleteOldest,
  type JobStarter,
  jobStarters,
  keyText,
  type NotificationKey,
  type NotificationRow,
  notificationRows,
  readStarters,
  updateWaiting,
  upsertNotifications,
} from './notification-tables.ts';
import { type ActionResult, applyAction, factOf, isPending, type ReviewState } from './review-recipients.ts';
import { type ReviewStates, readReviewStates, submittedRows } from './review-states.ts';

type ReviewEvent = MappingEvent | CrosswalkEvent | RelationshipEvent | RelationshipValueEvent;
type JobEvent = ImportJobEvent | BulkDecisionEvent;

const KINDS: Readonly<Record<string, ApprovalKind>> = {
  crosswalk: 'crosswalk',
  mappings: 'mapping',
  relationship: 'relationship',
  relationshipValues: 'relationship-value',
};

const isRowEvent = (event: ReviewEvent): event is MappingEvent | RelationshipValueEvent =>
  isMappingEvent(event) || isRelationshipValueEvent(event);

/** Returns the reason to notify administrators of an event; undefined if no notification is needed. */
function adminReason({ type, data }: BackupEvent | PurgeEvent): NotificationReason | undefined {
  if (type === 'PurgeRequested') return 'PURGE_REQUESTED';
  if (type === 'PurgeFailed') return 'PURGE_FAILED';
  if (type === 'BackupFailed') return 'BACKUP_FAILED';
  if (type === 'BackupOverdue') return 'BACKUP_OVERDUE';
  return type === 'BackupVerified' && data.result === 'DAMAGED' ? 'BACKUP_DAMAGED' : undefined;
}

/**
 * Returns the rows of an event or, for an event about a definition, the definition. `to` is the state that an undo
 * restores.
 */
function subjectsOf(event: NumberedEvent<ReviewEvent>): { id: number; to?: RestorableState<unknown> }[] {
  if (isRowEvent(event)) {
    return 'rows' in event.data ? event.data.rows : touchedRowIds(event).map((id) => ({ id }));
  }
  return 'to' in event.data ? [{ id: event.entityId, to: event.data.to }] : [{ id: event.entityId }];
}

const JOB_ENDS: Readonly<Partial<Record<JobEvent['type'], NotificationReason>>> = {
  ImportCompleted: 'JOB_DONE',
  ImportFailed: 'JOB_FAILED',
  ImportCancelled: 'JOB_CANCELLED',
  BulkDecisionCompleted: 'JOB_DONE',
  BulkDecisionFailed: 'JOB_FAILED',
  BulkDecisionCancelled: 'JOB_CANCELLED',
};

/** Collects the notifications of a batch of log events, and the changes to the numbers of pending rows. */
class NotificationBatch {
  readonly #added = new Map<string, NotificationRow>();
  readonly #waitingChanges = new Map<string, NotificationKey & { waiting: number; valid_from: number }>();

  add(row: NotificationRow): void {
    const added = this.#added.get(keyText(row));
    if (!added) {
      this.#added.set(keyText(row), row);
      return;
    }
    added.ids = [...added.ids, ...row.ids].slice(0, NOTIFICATION_IDS_MAX);
    added.count += row.count;
    added.waiting += row.waiting;
    added.valid_from = row.valid_from;
  }

  /** Adds `waiting`, which may be negative, to the number of pending rows of a review. */
  changeWaiting(key: NotificationKey, waiting: number, valid_from: number): void {
    const added = this.#added.get(keyText(key));
    if (added) Object.assign(added, { waiting: added.waiting + waiting, valid_from });
    else {
      const previous = this.#waitingChanges.get(keyText(key));
      this.#waitingChanges.set(keyText(key), { ...key, waiting: waiting + (previous?.waiting ?? 0), valid_from });
    }
  }

  async write(context: WriteContext): Promise<void> {
    await upsertNotifications(context, [...this.#added.values()]);
    await updateWaiting(context, [...this.#waitingChanges.values()]);
    await deleteOldest(context, [...this.#added.values()]);
  }
}

interface BatchChanges {
  batch: NotificationBatch;
  acts: FirstActs;
}

/** The step of the guided start that the actor of an event did, by the fact of the event. */
const ACTS: Readonly<Partial<Record<DoneFact, FirstAct>>> = {
  submitted: 'submit',
  approved: 'decide',
  rejected: 'decide',
};

/** Adds the notifications and first acts that one event of a review causes. */
function notifyOfReview(
  { batch, acts }: BatchChanges,
  reviewStates: ReviewStates,
  event: NumberedEvent<ReviewEvent>,
): void {
  const fact = factOf(event);
  const kind = KINDS[event.category];
  if (fact === undefined || kind === undefined) return;
  const act = ACTS[fact];
  if (act !== undefined) acts.add(event.metadata.actorId, act, event);
  const { actorId, $causationId: commandId, dataSetIds, occurredAt } = event.metadata;
  const base: Omit<NotificationRow, 'user_id' | 'reason' | 'part' | 'ids' | 'count' | 'of_deletion'> = {
    review_of: 0,
    command_id: commandId,
    kind,
    parent_id: event.entityId,
    seq: event.seq,
    waiting: 0,
    actor_id: actorId,
    comment: 'comment' in event.data ? (event.data.comment ?? null) : null,
    at: occurredAt,
    data_set_ids: [...dataSetIds],
    valid_from: event.seq,
  };
  const created = new Map<string, NotificationRow>();
  const notify = (row: Pick<NotificationRow, 'user_id' | 'reason' | 'of_deletion'>, id: number, more = {}) => {
    const name = `${row.reason} ${row.user_id}`;
    const existing = created.get(name);
    if (!existing) created.set(name, { ...base, ...row, ...more, part: created.size, ids: [id], count: 1 });
    else {
      if (existing.ids.length < NOTIFICATION_IDS_MAX) existing.ids.push(id);
      existing.count += 1;
    }
    return created.get(name) as NotificationRow;
  };
  /** Changes to the numbers of pending rows of earlier submissions, by the batch id of the submission. */
  const waiting = new Map<string, number>();
  const countWaiting = (state: ReviewState | undefined, change: number) => {
    if (state?.batchId != null) waiting.set(state.batchId, (waiting.get(state.batchId) ?? 0) + change);
  };
  /** Results by the state before the event. Not read for an undo, because each row has its own state to restore. */
  const results = new Map<ReviewState | undefined, ActionResult>();
  const moves = subjectsOf(event).map(({ id, ...undo }) => {
    const before = reviewStates.get(event.stream, id);
    const sharedResult = undo.to ? undefined : results.get(before);
    const result = sharedResult ?? applyAction(before, { fact, actorId, commandId, ...undo });
    if (!sharedResult) results.set(before, result);
    const { state, notification } = result;
    if (notification) {
      // The submitter does the act `approve` when another user decides.
      if (act === 'decide') acts.add(notification.userId, 'approve', event);
      notify({ user_id: notification.userId, reason: notification.reason, of_deletion: notification.isDeletion }, id);
    }
    const staysPending = isPending(before) && isPending(state) && before?.batchId === state?.batchId;
    if (isPending(before) && !staysPending) countWaiting(before, -1);
    if (isPending(state) && !staysPending) {
      if (state?.batchId !== commandId) countWaiting(state, 1);
      else {
        const review = { user_id: 0, reason: 'REVIEW', of_deletion: state.stage === 'PENDING_DELETION' } as const;
        notify(review, id, { review_of: dataSetIds[0] ?? 0 }).waiting += 1;
      }
    }
    return { id, state };
  });
  reviewStates.move(event.stream, event.seq, moves);
  for (const row of created.values()) batch.add(row);
  for (const [batchId, change] of waiting) {
    const review = { command_id: batchId, reason: 'REVIEW', kind, parent_id: event.entityId, user_id: 0 } as const;
    if (change !== 0) batch.changeWaiting(review, change, event.seq);
  }
}

/**
 * Stores the user who started each job, and notifies this user when the job ends. A completed import is also the first
 * act `import` of the user.
 */
async function notifyOfJobs(
  { batch, acts }: BatchChanges,
  context: WriteContext,
  events: readonly NumberedEvent<JobEvent>[],
): Promise<void> {
  const starters: JobStarter[] = events.flatMap((event) => {
    if (event.type !== 'ImportRequested' && event.type !== 'BulkDecisionRequested') return [];
    const { actorId, dataSetIds } = event.metadata;
    return actorId === null ? [] : [{ job_id: event.entityId, user_id: actorId, data_set_ids: [...dataSetIds] }];
  });
  await insertRows(context, jobStarters.name, jobStarters.columns, starters);
  const ends = events.filter(({ type }) => JOB_ENDS[type] !== undefined);
  if (ends.length === 0) return;
  const startersByJob = await readStarters(
    context,
    ends.map(({ entityId }) => entityId),
  );
  for (const event of ends) {
    const starter = startersByJob.get(event.entityId);
    const reason = JOB_ENDS[event.type];
    if (!starter || reason === undefined) continue;
    if (event.type === 'ImportCompleted') acts.add(starter.user_id, 'import', event);
    batch.add({
      ...columnsOfEvent(event),
      user_id: starter.user_id,
      reason,
      kind: 'job',
      parent_id: event.entityId,
      comment: 'reason' in event.data ? event.data.reason : null,
      data_set_ids: starter.data_set_ids,
    });
  }
}

/** The common columns of a notification about exactly one event. */
const columnsOfEvent = ({ seq, metadata }: NumberedEvent) => ({
  review_of: 0,
  command_id: metadata.$causationId,
  ...{ seq, part: 0, valid_from: seq },
  ...{ ids: [], count: 1, waiting: 0, of_deletion: false },
  actor_id: metadata.actorId,
  at: metadata.occurredAt,
});

/** Notifies administrators of backup problems, and of requested and failed purges. */
function notifyAdministrators(
  { batch }: BatchChanges,
  events: readonly NumberedEvent<BackupEvent | PurgeEvent>[],
): void {
  for (const event of events) {
    const reason = adminReason(event as BackupEvent | PurgeEvent);
    if (reason === undefined) continue;
    const { data } = event;
    const id = 'purgeId' in data ? data.purgeId : 'backupId' in data ? data.backupId : null;
    batch.add({
      ...columnsOfEvent(event),
      user_id: 0,
      reason,
      kind: event.category === 'purge' ? 'purge' : 'backup',
      parent_id: id ?? 0,
      comment: 'problem' in data ? data.problem : 'reason' in data ? data.reason : null,
      data_set_ids: [],
    });
  }
}

/** Notifies users of their new or higher levels and of their new memberships. */
async function notifyOfAccess(
  { batch }: BatchChanges,
  context: WriteContext,
  events: readonly NumberedEvent<AccessEvent>[],
): Promise<void> {
  for (const { subject, event, userIds } of await accessRecipients(context, events)) {
    userIds.forEach((user_id, part) => {
      batch.add({
        ...columnsOfEvent(event),
        ...{ user_id, part, reason: 'GRANTED', kind: subject.kind },
        ...{ parent_id: subject.id, comment: null, data_set_ids: [] },
      });
    });
  }
}

const isOfAdministration = ({ stream, category }: NumberedEvent): boolean =>
  stream === BACKUPS_STREAM || category === 'purge';

const isJobEvent = ({ category }: NumberedEvent): boolean => category === 'importJob' || category === 'bulkDecision';

/** Returns the ids of the rows and definitions whose review states must be read, by stream. */
function touchedIds(events: readonly NumberedEvent<ReviewEvent>[]): Map<string, number[]> {
  const idsByStream = new Map<string, number[]>();
  for (const event of events) {
    const ids = subjectsOf(event).map(({ id }) => id);
    const idsOfStream = idsByStream.get(event.stream);
    if (idsOfStream) idsOfStream.push(...ids);
    else idsByStream.set(event.stream, ids);
  }
  return idsByStream;
}

export const notifications: Projection = {
  name: 'notifications',
  version: 5,
  categories: [
    'crosswalk',
    'mappings',
    'relationship',
    'relationshipValues',
    'importJob',
    'bulkDecision',
    'system',
    'purge',
    'access',
  ],
  tables: [notificationRows, submittedRows, jobStarters, firstActs, currentGrants, currentMembers],
  async apply(context, events) {
    const batch = new NotificationBatch();
    const acts = new FirstActs();
    const changes = { batch, acts };
    for (const event of events) if (event.type === 'MappingsDrafted') acts.add(event.metadata.actorId, 'map', event);
    const eventsWithFact = events.filter((event) => factOf(event as NumberedEvent<ReviewEvent>) !== undefined);
    if (eventsWithFact.length > 0) {
      const reviewEvents = eventsWithFact as NumberedEvent<ReviewEvent>[];
      const reviewStates = await readReviewStates(context, touchedIds(reviewEvents));
      for (const event of reviewEvents) notifyOfReview(changes, reviewStates, event);
      await reviewStates.write();
    }
    const jobEvents = events.filter(isJobEvent) as NumberedEvent<JobEvent>[];
    if (jobEvents.length > 0) await notifyOfJobs(changes, context, jobEvents);
    notifyAdministrators(changes, events.filter(isOfAdministration) as NumberedEvent<BackupEvent | PurgeEvent>[]);
    const accessEvents = events.filter(({ category }) => category === 'access') as NumberedEvent<AccessEvent>[];
    if (accessEvents.length > 0) await notifyOfAccess(changes, context, accessEvents);
    await batch.write(context);
    await acts.write(context);
    return new Map();
  },
};
