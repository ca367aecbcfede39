/** The notification panel: lists the notifications of the server by day, then the notices of this tab. */

import { mayOpen } from '@rdm/contracts/access/permissions';
import type { NotificationReason } from '@rdm/contracts/notifications/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { format } from 'date-fns';
import {
  Bell,
  Check,
  CircleAlert,
  Clock,
  EyeOff,
  KeyRound,
  type LucideIcon,
  Mail,
  MailOpen,
  PencilLine,
  Undo2,
  X,
} from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { clearHistory, markHistoryRead, NoticeIcon, notify, useNotices } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { singleKeysEnabled } from '../../../lib/shortcuts/index.ts';
import {
  dismiss,
  dismissAll,
  FIRST_NOTIFICATIONS,
  markAllRead,
  nextPageSize,
  notificationsQuery,
  setRead,
} from './api.ts';
import { byDay, type Entry, mergeEntries } from './notification-entries.ts';
import { linkOf, sentenceOf, titleOf } from './notification-text.ts';

const ICONS: Partial<Record<NotificationReason, LucideIcon>> = {
  REVIEW: Clock,
  APPROVED: Check,
  REJECTED: X,
  REVOKED: X,
  UNDONE: Undo2,
  RECALLED: Undo2,
  JOB_DONE: Check,
  JOB_FAILED: CircleAlert,
  BACKUP_FAILED: CircleAlert,
  BACKUP_DAMAGED: CircleAlert,
  BACKUP_OVERDUE: CircleAlert,
  PURGE_FAILED: CircleAlert,
  JOB_CANCELLED: X,
  GRANTED: KeyRound,
};
const FAILURE_REASONS: ReadonlySet<NotificationReason> = new Set([
  'REJECTED',
  'REVOKED',
  'JOB_FAILED',
  'BACKUP_FAILED',
  'BACKUP_DAMAGED',
  'BACKUP_OVERDUE',
  'PURGE_FAILED',
]);

export default function Notifications({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [pageSize, setPageSize] = useState(FIRST_NOTIFICATIONS);
  const result = useQuery(notificationsQuery(pageSize));
  const notifications = result.data?.items ?? [];
  const { history } = useNotices();
  // The panel marks all notices of this tab as read. Notices that were unread stay highlighted until the panel closes.
  const [unreadAtOpen] = useState(() => new Set(history.filter(({ isRead }) => !isRead).map(({ id }) => id)));
  useEffect(markHistoryRead, []);
  const entries = mergeEntries(history, notifications).map((entry) =>
    'notice' in entry && unreadAtOpen.has(entry.notice.id) ? { ...entry, isRead: false } : entry,
  );
  const [onlyUnread, setOnlyUnread] = useState(false);
  const displayedEntries = onlyUnread ? entries.filter(({ isRead }) => !isRead) : entries;
  const ofServer = displayedEntries.filter((entry) => 'notification' in entry);
  const ofTab = displayedEntries.filter((entry) => 'notice' in entry);
  const sections = [
    ...byDay(ofServer, Date.now(), (at) => format(at, 'EEEE, d MMMM yyyy')),
    ...(ofTab.length > 0 ? [{ label: 'Messages of this browser tab', entries: ofTab }] : []),
  ];
  const list = useRef<HTMLDivElement>(null);
  const newest = notifications[0]?.id;
  const total = result.data?.total;
  const hasOlder = typeof total === 'number' && total > notifications.length;

  const reportFailure = (work: Promise<void>) =>
    void work.catch((error: unknown) => notify.error(messageOf(error), { title: 'Notifications were not changed' }));

  /** Moves the focus between the entries. U, E and Delete act on the focused notification. */
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])];
    const index = items.findIndex((item) => item.contains(document.activeElement));
    const letter = singleKeysEnabled() ? event.key.toLowerCase() : '';
    const step = event.key === 'ArrowDown' || letter === 'j' ? 1 : event.key === 'ArrowUp' || letter === 'k' ? -1 : 0;
    const focus = (item: HTMLElement | undefined) => item?.querySelector<HTMLElement>('[data-main]')?.focus();
    if (step !== 0) {
      focus(items[Math.max(0, Math.min(items.length - 1, index + step))]);
      event.preventDefault();
      return;
    }
    const entry = entries.find(({ key }) => key === items[index]?.dataset['entry']);
    if (entry === undefined || !('notification' in entry)) return;
    if (letter === 'u') reportFailure(setRead(queries, entry.notification.id, !entry.notification.read));
    else if (letter === 'e' || event.key === 'Delete') {
      focus(items[index + 1] ?? items[index - 1]);
      reportFailure(dismiss(queries, entry.notification.id));
    } else return;
    event.preventDefault();
  }

  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title="Notifications"
      description="Changes to your work, pending reviews, and your jobs"
      className="max-w-[440px]"
      {...(entries.length > 0 && { footer: footer() })}
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Button size="sm" aria-pressed={onlyUnread} onClick={() => setOnlyUnread(!onlyUnread)}>
          {onlyUnread ? 'Show all' : 'Unread only'}
        </Button>
        <Button
          variant="ghost"
          size="sm"
          disabled={(result.data?.unread ?? 0) === 0}
          onClick={() => newest !== undefined && reportFailure(markAllRead(queries, newest))}
        >
          Mark all as read
        </Button>
      </div>
      {result.error !== null && result.data === undefined && (
        <ErrorState error={result.error} onRetry={() => void result.refetch()} />
      )}
      {result.isPending && (
        <div className="flex flex-col gap-3">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      )}
      {displayedEntries.length === 0 && result.data !== undefined && (
        <EmptyState
          icon={Bell}
          title={onlyUnread && entries.length > 0 ? 'You have read everything' : 'No notifications yet'}
          description="Decisions on your submissions, and submissions that you can review, appear here."
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move the focus between links, and each link can be used alone. */}
      <div ref={list} onKeyDown={onKeyDown}>
        {sections.map(({ label, entries: ofDay }) => (
          <section key={label} aria-label={label} className="mb-4">
            <h3 className="border-hairline border-b pb-1 font-medium text-muted text-xs">{label}</h3>
            <ul className="divide-y divide-hairline">
              {ofDay.map((entry) => (
                <Item
                  key={entry.key}
                  entry={entry}
                  onOpen={() => {
                    if ('notification' in entry && !entry.notification.read)
                      reportFailure(setRead(queries, entry.notification.id, true));
                    onClose();
                  }}
                  onRead={(isRead) =>
                    'notification' in entry && reportFailure(setRead(queries, entry.notification.id, isRead))
                  }
                  onDismiss={() => 'notification' in entry && reportFailure(dismiss(queries, entry.notification.id))}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {hasOlder && (
        <Button size="sm" disabled={result.isPlaceholderData} onClick={() => setPageSize(nextPageSize(pageSize))}>
          Show older
        </Button>
      )}
    </Drawer>
  );

  function footer() {
    return (
      <>
        <span className="mr-auto self-center text-muted text-xs max-sm:hidden">
          J K move · Enter opens · U marks as read or unread · E dismisses
        </span>
        <Button
          size="sm"
          onClick={() => {
            clearHistory();
            if (newest !== undefined) reportFailure(dismissAll(queries, newest));
          }}
        >
          Dismiss all
        </Button>
      </>
    );
  }
}

/** Covers the item with an empty box of its link, so that a click anywhere in the item opens the link. */
const COVERS_ITEM = 'after:absolute after:inset-0 hover:underline';

interface ItemProps {
  entry: Entry;
  onOpen: () => void;
  onRead: (isRead: boolean) => void;
  onDismiss: () => void;
}

function Item({ entry, onOpen, onRead, onDismiss }: ItemProps) {
  const { isRead } = entry;
  return (
    <li data-entry={entry.key} className="group relative flex gap-2 py-2 has-[a]:hover:bg-hover">
      <span className="flex w-2 shrink-0 justify-center pt-1.5">
        {!isRead && <span className="size-2 rounded-full bg-accent" />}
        {!isRead && <span className="sr-only">Unread</span>}
      </span>
      {'notification' in entry ? (
        <NotificationItem entry={entry} onOpen={onOpen} onRead={onRead} onDismiss={onDismiss} />
      ) : (
        <NoticeItem entry={entry} onOpen={onOpen} />
      )}
    </li>
  );
}

function NotificationItem({
  entry: { notification },
  onOpen,
  onRead,
  onDismiss,
}: ItemProps & { entry: Extract<Entry, { notification: unknown }> }) {
  const user = useCurrentUser();
  const nameOf = usePeople([notification.userId]);
  // The server marks a review request without pending items as read, so the item has no read button.
  const isSettled = notification.reason === 'REVIEW' && notification.waiting === 0;
  const Icon = isSettled ? Check : (ICONS[notification.reason] ?? PencilLine);
  const isJob = notification.kind === 'job';
  const actor = nameOf(notification.userId);
  const title = titleOf(notification, actor);
  // A title that is a sentence already names the user and the definition.
  const isSentence = sentenceOf(notification, actor) !== undefined;
  const details = isJob || isSentence ? [] : [actor, notification.parentName].filter((part) => part !== '');
  return (
    <>
      <Icon
        aria-hidden="true"
        className={cn(
          'mt-0.5 size-4 shrink-0',
          isSettled ? 'text-muted' : FAILURE_REASONS.has(notification.reason) ? 'text-danger-text' : 'text-accent',
        )}
      />
      <div className="min-w-0 flex-1 break-words">
        <Link
          data-main
          to={linkOf(notification, mayOpen('/approvals', user))}
          onClick={onOpen}
          className={cn(COVERS_ITEM, notification.read ? 'text-ink' : 'font-medium text-ink')}
        >
          {title}
        </Link>
        {notification.comment !== null && notification.comment !== '' && (
          <p className="text-muted">“{notification.comment}”</p>
        )}
        <p className="text-muted text-xs">
          {details.map((part) => `${part} · `)}
          <RelativeTime at={notification.at} />
        </p>
      </div>
      <div className="relative flex shrink-0 gap-0.5 self-start">
        {!isSettled && (
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={notification.read ? `Mark as unread: ${title}` : `Mark as read: ${title}`}
            onClick={() => onRead(!notification.read)}
          >
            {notification.read ? <Mail /> : <MailOpen />}
          </Button>
        )}
        <Button variant="ghost" size="icon-sm" aria-label={`Dismiss: ${title}`} onClick={onDismiss}>
          <EyeOff />
        </Button>
      </div>
    </>
  );
}

function NoticeItem({ entry: { notice }, onOpen }: { entry: Extract<Entry, { notice: unknown }>; onOpen: () => void }) {
  return (
    <>
      <NoticeIcon kind={notice.kind} />
      <div className="min-w-0 flex-1 break-words">
        {notice.href === undefined ? (
          <p data-main tabIndex={-1} className="font-medium">
            {notice.title}
          </p>
        ) : (
          <Link data-main to={notice.href} onClick={onOpen} className={cn(COVERS_ITEM, 'font-medium')}>
            {notice.title}
          </Link>
        )}
        {notice.description !== '' && <p className="text-muted">{notice.description}</p>}
        <p className="text-muted text-xs">
          <RelativeTime at={notice.at} /> · in this tab
        </p>
      </div>
    </>
  );
}
