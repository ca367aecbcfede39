/**
 * Notifications inform users about actions of other users and the end of jobs, and administrators about backups and
 * purges. A notification about reviewed rows names the rows and the user who acted.
 */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { pageOf } from '../lists/filter.ts';
import { APPROVAL_KINDS } from '../review/approval-kinds.ts';

/**
 * The reason for a notification. REVIEW is for approvers, but not for the submitter. The reasons about backups and
 * purges are for administrators. The requester of a purge gets no PURGE_REQUESTED. All further reasons are for the user
 * whose submission, draft, job, level or group an event concerns.
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

/** The maximum number of notifications per recipient: a user, the approvers of a data set, or the administrators. */
export const NOTIFICATIONS_KEPT = 500;
/** The maximum number of rows that a notification names. */
export const NOTIFICATION_IDS_MAX = 100;
/**
 * The maximum number of a user's marks (read or dismissed). Beyond the maximum, the oldest marked notifications and all
 * older notifications count as dismissed.
 */
export const NOTIFICATION_MARKS_KEPT = 2_000;

/**
 * `<seq>-<part>`: the seq of the first event that caused the notification, and a number among the notifications of this
 * event. A rebuild of the projection creates the same ids.
 */
const NotificationId = z.string().regex(/^[1-9]\d{0,14}-\d{1,4}$/, 'The id of a notification is <seq>-<part>');

export const notificationId = (seq: number, part: number): string => `${seq}-${part}`;

export function parseNotificationId(id: string): { seq: number; part: number } {
  const [seq, part] = id.split('-').map(Number);
  return { seq: seq as number, part: part as number };
}

/** Notifications by id, or all notifications up to the latest one that the user saw. */
const NotificationSelection = z.union([
  z.object({ ids: z.array(NotificationId).min(1).max(NOTIFICATIONS_KEPT) }),
  z.object({ upTo: NotificationId }),
]);

/** POST /api/notifications: marks notifications as read or unread. Marking as unread needs ids. */
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
        'The id of the entity that the notification concerns; for rows, of their crosswalk or relationship; for BACKUP_OVERDUE, 0.',
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
