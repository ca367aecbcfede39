/**
 * Notifications: what other users' actions and the user's own jobs mean for a user; who acted, on which rows, read or unread.
 */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { pageOf } from '../lists/filter.ts';
import { APPROVAL_KINDS } from '../review/approval-kinds.ts';

/**
 * The reason for a notification. REVIEW goes to all users who may review. The reasons about backups and purges go to all
 * administrators, except the one who requested the purge. All others go to one user: about a submission, a draft beside an
 * approved value, a job, a new level or a new group of that user.
 */
export const NOTIFICATION_REASONS = [
  'REVIEW',
  'APPROVED',
  'REJECTED',
  'REVOKED',
  'UNDONE',
  'RECALLED',
  'CHANGED',
  'SUPERSEDED',
  'DISCARDED',
  'DELETED',
  'JOB_DONE',
  'JOB_FAILED',
  'JOB_CANCELLED',
  'BACKUP_FAILED',
  'BACKUP_DAMAGED',
  'BACKUP_OVERDUE',
  'PURGE_REQUESTED',
  'PURGE_FAILED',
  'GRANTED',
] as const;
export type NotificationReason = (typeof NOTIFICATION_REASONS)[number];

export const NotificationKind = defineView(() =>
  z.enum([...APPROVAL_KINDS, 'job', 'backup', 'purge', 'collection', 'group']),
);
export type NotificationKind = z.infer<typeof NotificationKind>;

/** The latest notifications that are kept per user, and per reviewed data set. */
export const NOTIFICATIONS_KEPT = 500;
/** Rows that a notification names. */
export const NOTIFICATION_IDS_MAX = 100;
/** The latest notifications that a user read, marked unread or dismissed one by one; older ones count as dismissed. */
export const NOTIFICATION_MARKS_KEPT = 2_000;

/** `<seq>-<part>`: the event that caused it, and which of its notifications it is. A rebuild produces the same id. */
const NotificationId = z.string().regex(/^[1-9]\d{0,14}-\d{1,4}$/, 'A notification is named by seq and part');

export const notificationId = (seq: number, part: number): string => `${seq}-${part}`;

/** Parses the id. */
export function notificationOf(id: string): { seq: number; part: number } {
  const [seq, part] = id.split('-').map(Number);
  return { seq: seq as number, part: part as number };
}

/** Some notifications, or all up to the latest one seen. */
const Which = z.union([
  z.object({ ids: z.array(NotificationId).min(1).max(NOTIFICATIONS_KEPT) }),
  z.object({ upTo: NotificationId }),
]);

/** POST /api/notifications: marks as read or, one by one, as unread. */
export const MarkNotifications = z
  .object({ read: z.boolean() })
  .and(Which)
  .refine((body) => body.read || 'ids' in body, { error: 'Only single ones are marked unread', path: ['ids'] });
export type MarkNotifications = z.infer<typeof MarkNotifications>;

/** DELETE /api/notifications: hides them from this user. */
export const DismissNotifications = Which;
export type DismissNotifications = z.infer<typeof DismissNotifications>;

/** Query of GET /api/notifications. */
export const NotificationsQuery = z.object({
  page: z.coerce.number().int().min(1).max(NOTIFICATIONS_KEPT).default(1),
  pageSize: z.coerce.number().int().min(1).max(NOTIFICATIONS_KEPT).default(50),
  unread: z.enum(['true', 'false']).optional(),
});
export type NotificationsQuery = z.infer<typeof NotificationsQuery>;

/** One row of GET /api/notifications. */
export const NotificationView = defineView(() =>
  z.object({
    id: z.string(),
    reason: z.enum(NOTIFICATION_REASONS),
    kind: NotificationKind,
    parentId: z
      .number()
      .describe(
        'The crosswalk or relationship; for its header, the entity itself; for a job, a backup, a purge, a collection or a group, itself.',
      ),
    parentName: z.string().describe("Its name, or the job's description."),
    count: z.number().describe('How many rows it concerns, and the first hundred of them.'),
    ids: z.array(z.number()),
    title: z.string().nullable().describe('The label of the row, if it is one row.'),
    waiting: z.number().describe('Of REVIEW: how many of them still wait.'),
    ofDeletion: z.boolean().describe('The request or decision was about a deletion.'),
    userId: z.number().nullable().describe('The user who acted.'),
    comment: z.string().nullable(),
    at: z.string(),
    commandId: z.string().describe('The batch that was submitted, or the decision.'),
    status: z
      .string()
      .nullable()
      .describe(
        'The current status of a single row, or of a job, or the level of the caller on a collection; null if it no longer exists.',
      ),
    read: z.boolean(),
  }),
);
export type NotificationView = z.infer<typeof NotificationView>;

/** GET /api/notifications, newest first. */
export const NotificationsPage = defineView(() =>
  pageOf(NotificationView).extend({
    unread: z.number().describe('Of all notifications, not of the page alone.'),
  }),
);
export type NotificationsPage = z.infer<typeof NotificationsPage>;
