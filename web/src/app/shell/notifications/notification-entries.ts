/** Merges the notifications of the server with the notices of this tab. */
import type { NotificationView } from '@rdm/contracts/notifications/notifications';
import { monitorPath } from '../../../components/deciding-job/path.ts';
import type { Notice } from '../../../components/toast/index.ts';

export type Entry =
  | { key: string; at: number; isRead: boolean; told: NotificationView }
  | { key: string; at: number; isRead: boolean; said: Notice };

/** Notices of this tab that are not also notifications of the server: the end of a job is both. */
const saidAlone = (notices: readonly Notice[], told: readonly NotificationView[]): readonly Notice[] => {
  const jobs = new Set(told.filter(({ kind }) => kind === 'job').map(({ parentId }) => monitorPath(parentId)));
  return notices.filter(({ href }) => href === undefined || !jobs.has(href));
};

export const unreadOf = (history: readonly Notice[], told: readonly NotificationView[]): number =>
  saidAlone(history, told).filter(({ isRead }) => !isRead).length;

/** Both, newest first. */
export function merged(history: readonly Notice[], told: readonly NotificationView[]): Entry[] {
  return [
    ...told.map((each): Entry => ({ key: each.id, at: Date.parse(each.at), isRead: each.read, told: each })),
    ...saidAlone(history, told).map(
      (said): Entry => ({ key: `tab ${said.id}`, at: said.at.getTime(), isRead: said.isRead, said }),
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
