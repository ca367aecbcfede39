/**
 * Notifications inform a user about actions of other users and about the end of the user's jobs, and administrators
 * also about backups and purges. They name the user who acted and the rows.
 */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { pageOf } from '../lists/filter.ts';
import { APPROVAL_KINDS } from '../review/approval-kinds.ts';

/**
 * The reason for a notification. Approvers who may review the submitted rows get REVIEW, except their submitter. All
 * administrators get the reasons about backups and purges; only PURGE_REQUESTED is not sent to its requester. The other
 * reasons are for one user. They concern a submission or a job of this user, this user's draft of a row with a served
 * value, or a new level or new group of this user.
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

/** The number of latest notifications kept for a user, for the approvers of a data set, and for the administrators. */
export const NOTIFICATIONS_KEPT = 500;
/** The maximum number of rows that a notification names. */
export const NOTIFICATION_IDS_MAX = 100;
/**
 * The maximum number of marks of a user. A mark stores whether the user has read or dismissed one notification. Beyond
 * the maximum, the marks of the oldest notifications are deleted, and these notifications and all older ones count as
 * dismissed.
 */
export const NOTIFICATION_MARKS_KEPT = 2_000;

/**
 * `<seq>-<part>`: the seq of the first event that caused the notification, and the number of the notification among
 * those of this event. A rebuild of the projection gives each notification the same id.
 */
const NotificationId = z.string().regex(/^[1-9]\d{0,14}-\d{1,4}$/, 'The id of a notification is <seq>-<part>');

export const notificationId = (seq: number, part: number): string => `${seq}-${part}`;

/** Returns the seq and the number in the id of a notification. */
export function parseNotificationId(id: string): { seq: number; part: number } {
  const [seq, part] = id.split('-').map(Number);
  return { seq: seq as number, part: part as number };
}

/** Notifications by their ids, or all notifications up to the latest one that the user saw. */
const NotificationSelection = z.union([
  z.object({ ids: z.array(NotificationId).min(1).max(NOTIFICATIONS_KEPT) }),
  z.object({ upTo: NotificationId }),
]);

/** POST /api/notifications: marks notifications as read or, only by their ids, as unread. */
export const MarkNotifications = z
  .object({ read: z.boolean() })
  .and(NotificationSelection)
  .refine((body) => body.read || 'ids' in body, {
    error: 'Only notifications in a list of ids can be marked unread',
    path: ['ids'],
  });
export type MarkNotifications = z.infer<typeof MarkNotifications>;

/** DELETE /api/notifications: hides notifications from this user. */
export const DismissNotifications = NotificationSelection;
export type DismissNotifications = z.infer<typeof DismissNotifications>;

/** Query of GET /api/notifications. */
export const NotificationsQuery = z.object({
  page: z.coerce.number().int().min(1).max(NOTIFICATIONS_KEPT).default(1).describe('The page, from 1.'),
  pageSize: z.coerce
    .number()
    .int()
    .min(1)
    .max(NOTIFICATIONS_KEPT)
    .default(50)
    .describe('The number of notifications on a page.'),
  unread: z.enum(['true', 'false']).optional().describe('`true`: only unread notifications; `false`: only read ones.'),
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
        'The id of the crosswalk or relationship of the rows; if the notification concerns a crosswalk, relationship, job, backup, purge, collection or group, its own id; 0 for BACKUP_OVERDUE.',
      ),
    parentName: z.string().describe('The name of the entity; for a job, its description; for backup and purge, empty.'),
    count: z.number().describe('The number of rows that the notification concerns; `ids` has the first hundred.'),
    ids: z.array(z.number()),
    title: z.string().nullable().describe('The text that identifies the row, if the notification concerns one row.'),
    waiting: z.number().describe('For REVIEW, how many of the rows still wait for a review.'),
    ofDeletion: z.boolean().describe('Whether the request or decision was about a deletion.'),
    userId: z.number().nullable().describe('The user who acted.'),
    comment: z.string().nullable(),
    at: z.string(),
    commandId: z.string().describe('The id of the command that caused the notification.'),
    status: z
      .string()
      .nullable()
      .describe(
        'The current status of a single row, a crosswalk, relationship, job or purge, or the level of the caller on a collection; null if there is none.',
      ),
    read: z.boolean(),
  }),
);
export type NotificationView = z.infer<typeof NotificationView>;

/** GET /api/notifications, newest first. */
export const NotificationsPage = defineView(() =>
  pageOf(NotificationView).extend({
    unread: z.number().describe('The number of unread notifications, not only on this page.'),
  }),
);
export type NotificationsPage = z.infer<typeof NotificationsPage>;
