/** Merges the notifications of the server with the notices of this tab. */
import type { NotificationView } from '@rdm/contracts/notifications/notifications';
import { monitorPath } from '../../../components/job-bar/path.ts';
import type { Notice } from '../../../components/toast/index.ts';

export type Entry =
  | { key: string; at: number; isRead: boolean; notification: NotificationView }
  | { key: string; at: number; isRead: boolean; notice: Notice };

/** Returns the notices without those about jobs for which the server has a notification. */
const noticesOfTabOnly = (
  notices: readonly Notice[],
  notifications: readonly NotificationView[],
): readonly Notice[] => {
  const jobs = new Set(notifications.filter(({ kind }) => kind === 'job').map(({ parentId }) => monitorPath(parentId)));
  return notices.filter(({ href }) => href === undefined || !jobs.has(href));
};

export const countUnreadNotices = (history: readonly Notice[], notifications: readonly NotificationView[]): number =>
  noticesOfTabOnly(history, notifications).filter(({ isRead }) => !isRead).length;

/** Merges notifications and notices, newest first. */
export function mergeEntries(history: readonly Notice[], notifications: readonly NotificationView[]): Entry[] {
  return [
    ...notifications.map(
      (each): Entry => ({ key: each.id, at: Date.parse(each.at), isRead: each.read, notification: each }),
    ),
    ...noticesOfTabOnly(history, notifications).map(
      (notice): Entry => ({ key: `tab ${notice.id}`, at: notice.at.getTime(), isRead: notice.isRead, notice }),
    ),
  ].sort((a, b) => b.at - a.at);
}

export interface Day {
  /** “Today”, “Yesterday”, or the date. */
  label: string;
  entries: Entry[];
}

const DAY_MS = 86_400_000;

/** Groups the entries by local day. */
export function byDay(entries: readonly Entry[], now: number, dateText: (at: number) => string): Day[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const labelOf = (at: number): string => {
    if (at >= midnight) return 'Today';
    // Half a day before midnight is always yesterday, even if yesterday had 23 or 25 hours.
    return at >= new Date(midnight - DAY_MS / 2).setHours(0, 0, 0, 0) ? 'Yesterday' : dateText(at);
  };
  const days: Day[] = [];
  for (const entry of entries) {
    const label = labelOf(entry.at);
    const last = days.at(-1);
    if (last?.label === label) last.entries.push(entry);
    else days.push({ label, entries: [entry] });
  }
  return days;
}
