/** Notifications: what of others' doing, and of one's jobs, a person is told; by whom, about which rows, read or not. */
import { z } from 'zod';
import type { Page } from '../lists/filter.ts';
import type { ApprovalKind } from '../review/approval-kinds.ts';

/**
 * Why somebody is told. REVIEW is told to whoever may review; the others to one person: about what they submitted, a
 * draft of theirs beside an approved value, or a job they started.
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
] as const;
export type NotificationReason = (typeof NOTIFICATION_REASONS)[number];

export type NotificationKind = ApprovalKind | 'job';

/** The newest that are kept for a person, and for those who review one data set. */
export const NOTIFICATIONS_KEPT = 500;
/** Rows that a notification names. */
export const NOTIFICATION_IDS_MAX = 100;
/** The newest that a person read, marked unread or dismissed one by one; what is older counts as dismissed. */
export const NOTIFICATION_MARKS_KEPT = 2_000;

/** `<seq>-<part>`: the event that it began with, and which of what that event tells. A rebuild gives it again. */
const NotificationId = z.string().regex(/^[1-9]\d{0,14}-\d{1,4}$/, 'A notification is named by seq and part');

export const notificationId = (seq: number, part: number): string => `${seq}-${part}`;

/** Takes the id apart. */
export function notificationOf(id: string): { seq: number; part: number } {
  const [seq, part] = id.split('-').map(Number);
  return { seq: seq as number, part: part as number };
}

/** Some of them, or all up to the newest that was seen. */
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

/** DELETE /api/notifications: they are not shown to this person again. */
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
export interface NotificationView {
  id: string;
  reason: NotificationReason;
  kind: NotificationKind;
  /** The crosswalk or relationship; for its header, itself; for a job, the job. */
  parentId: number;
  /** Its name, or the job's description. */
  parentName: string;
  /** How many rows it is about, and the first hundred of them. */
  count: number;
  ids: number[];
  /** What the row is called, where it is one. */
  title: string | null;
  /** Of REVIEW: how many of them still wait. */
  waiting: number;
  /** What was asked for, or decided, was the deletion. */
  ofDeletion: boolean;
  /** Who did it. */
  userId: number | null;
  comment: string | null;
  at: string;
  /** What went together: the batch that was submitted, or the decision. */
  commandId: string;
  /** Of a row that is alone, its status now; of a job, the job's. Null where it is gone. */
  status: string | null;
  read: boolean;
}

/** GET /api/notifications, newest first. */
export interface NotificationsPage extends Page<NotificationView> {
  /** Of all of them, not of the page alone. */
  unread: number;
}
