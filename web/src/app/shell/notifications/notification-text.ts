/** The title and the link of a notification. */

import { describe } from '@rdm/contracts/audit/describe';
import type { DescribedActivity } from '@rdm/contracts/audit/sentence-words';
import type { NotificationReason, NotificationView } from '@rdm/contracts/notifications/notifications';
import type { ApprovalKind } from '@rdm/contracts/review/approval-kinds';
import { monitorPath } from '../../../components/job-bar/path.ts';
import {
  approvalLink,
  batchLink,
  decisionLink,
  pendingLink,
  type ReviewedItem,
  rowsLink,
} from '../../../components/review/links.ts';
import { formatNumber } from '../../../lib/number-format.ts';

const KINDS: Record<ApprovalKind, readonly [one: string, many: string]> = {
  crosswalk: ['crosswalk', 'crosswalks'],
  mapping: ['mapping', 'mappings'],
  relationship: ['relationship', 'relationships'],
  'relationship-value': ['value', 'values'],
};

/** The suffix of the event type, for each reason whose title is a sentence as in the audit log. */
const EVENT_SUFFIXES: Partial<Record<NotificationReason, string>> = {
  APPROVED: 'Approved',
  REJECTED: 'Rejected',
  REVOKED: 'Revoked',
  RECALLED: 'Recalled',
  DELETED: 'Deleted',
};

/** The prefix of the event type, and the entity type in the audit log. */
const EVENTS: Record<ApprovalKind, readonly [event: string, entityType: string]> = {
  crosswalk: ['Crosswalk', 'crosswalk'],
  mapping: ['Mappings', 'mappings'],
  relationship: ['Relationship', 'relationship'],
  'relationship-value': ['RelationshipValues', 'relationshipValues'],
};

/** The last words of a title that begins with the subject, such as “3 mappings”. */
const OUTCOMES: Partial<Record<NotificationReason, string>> = {
  UNDONE: 'under review again: the decision was undone',
  CHANGED: 'changed after a rejection or revocation',
  SUPERSEDED: 'superseded by another draft',
  DISCARDED: 'discarded: the draft was deleted',
};

/** The last words of a title about a job that has ended. */
const JOB_ENDS: Partial<Record<NotificationReason, string>> = {
  JOB_DONE: 'finished',
  JOB_FAILED: 'failed',
  JOB_CANCELLED: 'was cancelled',
};

/** The titles of notifications that only administrators get. */
const ADMINISTRATOR_TITLES: Partial<Record<NotificationReason, string>> = {
  BACKUP_FAILED: 'A backup failed',
  BACKUP_DAMAGED: 'A backup is damaged',
  BACKUP_OVERDUE: 'No backup has succeeded for two intervals of the schedule',
  PURGE_REQUESTED: 'A purge was requested',
  PURGE_FAILED: 'A purge stopped before its end',
};

const isOfAdministrators = (kind: NotificationView['kind']): kind is 'backup' | 'purge' =>
  kind === 'backup' || kind === 'purge';

/** The subject of the notification, such as “DE → DEU” or “3 mappings”. */
function subjectOf({ kind, count, title, parentName }: NotificationView): string {
  if (kind === 'job' || kind === 'collection' || kind === 'group' || isOfAdministrators(kind)) return parentName;
  const [one, many] = KINDS[kind];
  if (count > 1) return `${formatNumber(count)} ${many}`;
  return title ?? (kind === 'crosswalk' || kind === 'relationship' ? parentName : `1 ${one}`);
}

const EMPTY_ACTIVITY: Omit<DescribedActivity, 'facts' | 'username' | 'rows' | 'row'> = {
  userId: null,
  apiKeyId: null,
  apiKeyName: null,
  sourceType: 'UI',
  job: null,
  names: { users: {}, groups: {}, roles: {}, dataSets: {} },
  undoes: null,
  comment: null,
};

/** Returns the title if it names the actor, as in “Ada Approver approved 3 mappings of Countries”; else undefined. */
export function sentenceOf(notification: NotificationView, actor: string): string | undefined {
  const { kind, reason, parentId, parentName, count, title, ofDeletion } = notification;
  const suffix = EVENT_SUFFIXES[reason];
  if (kind === 'collection') return `${actor} gave you access to ${parentName}: you have ${notification.status}`;
  if (kind === 'group') return `${actor} added you to the group ${parentName}`;
  if (kind === 'job' || isOfAdministrators(kind) || suffix === undefined) return undefined;
  const [event, entityType] = EVENTS[kind];
  const isOfRows = kind === 'mapping' || kind === 'relationship-value';
  const fact = {
    action: `${event}${suffix}`,
    entityType,
    entityId: parentId,
    entityName: parentName,
    rows: isOfRows ? count : 0,
    data: { ofDeletion },
  };
  const row = isOfRows && title !== null ? { key: title, changes: [] } : null;
  return describe({ ...EMPTY_ACTIVITY, username: actor, rows: fact.rows, facts: [fact], row });
}

/** The title of a notification; `actor` names the user who acted. */
export function titleOf(notification: NotificationView, actor: string): string {
  const { reason, count, waiting, ofDeletion } = notification;
  const sentence = sentenceOf(notification, actor);
  if (sentence !== undefined) return sentence;
  if (reason === 'PURGE_REQUESTED' && notification.status === 'REQUESTED') return 'A purge waits for your confirmation';
  const administratorTitle = ADMINISTRATOR_TITLES[reason];
  if (administratorTitle !== undefined) return administratorTitle;
  const subject = subjectOf(notification);
  const jobEnd = JOB_ENDS[reason];
  if (jobEnd !== undefined) return `${subject} ${jobEnd}`;
  const change = ofDeletion ? `Deletion of ${subject}` : subject;
  if (reason !== 'REVIEW') return `${change} ${OUTCOMES[reason]}`;
  if (waiting === 0) return `${change} ${count > 1 ? 'were' : 'was'} reviewed`;
  if (waiting < count) return `${formatNumber(waiting)} of ${change} still wait for your review`;
  return `${change} ${count > 1 && !ofDeletion ? 'wait' : 'waits'} for your review`;
}

/** The tab to which a link leads if the notification is about several rows or has no status. */
const TABS: Partial<Record<NotificationReason, string>> = {
  REVIEW: 'pending',
  APPROVED: 'approved',
  REJECTED: 'rejected',
  REVOKED: 'rejected',
  UNDONE: 'pending',
  RECALLED: 'draft',
  CHANGED: 'draft',
  SUPERSEDED: 'draft',
  DISCARDED: 'approved',
  DELETED: 'deleted',
};

/** Returns the link of a notification. Without `mayOpenApprovals`, notifications about reviews link to the rows. */
export function linkOf(notification: NotificationView, mayOpenApprovals: boolean): string {
  const { kind, parentId, reason, count, ids, commandId, waiting, status } = notification;
  if (kind === 'job') return monitorPath(parentId);
  // The page of a collection needs ADMIN.
  if (kind === 'collection') return status === 'ADMIN' ? `/collections/${parentId}` : '/reference-data';
  if (kind === 'group') return '/reference-data';
  if (kind === 'backup') return '/admin/database-backup';
  if (kind === 'purge') return '/admin/purge-data?tab=waiting';
  const [id = parentId] = ids;
  const isOne = count === 1;
  const item: ReviewedItem = { kind, parentId, id };
  const tab = (isOne && status !== null ? status.toLowerCase() : TABS[reason]) ?? 'draft';
  const rows = rowsLink(item, tab, count <= ids.length ? ids : undefined);
  if (!mayOpenApprovals) return rows;
  switch (reason) {
    case 'REVIEW':
      if (waiting > 0) return pendingLink(commandId, isOne ? item : undefined);
      return isOne ? approvalLink('decided', item) : batchLink('decided', commandId);
    case 'APPROVED':
    case 'REJECTED':
      return isOne ? approvalLink('submitted', item) : decisionLink('submitted', item, commandId);
    case 'UNDONE':
    case 'RECALLED':
      return isOne ? approvalLink('submitted', item) : rows;
    default:
      return rows;
  }
}
