/** The bell in the header, which shows the current number of unread notifications and opens the panel. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useNotices } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { useNotificationEvents } from '../../../lib/live/index.tsx';
import { FIRST_NOTIFICATIONS, notificationsQuery, reloadNotifications } from './api.ts';
import { countUnreadNotices } from './notification-entries.ts';

const Notifications = lazy(() => import('./notifications.tsx'));

/** The highest number that fits the badge. */
const COUNTED_MAX = 99;

export function NotificationBell() {
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const { history } = useNotices();
  const { data } = useQuery(notificationsQuery(FIRST_NOTIFICATIONS));
  useNotificationEvents(() => void reloadNotifications(queries));
  const unread = (data?.unread ?? 0) + countUnreadNotices(history, data?.items ?? []);
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        className="relative"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={unread === 0 ? 'Notifications' : `Notifications, ${unread} new`}
        onClick={() => setIsOpen(true)}
      >
        <Bell />
        {unread > 0 && (
          <span
            aria-hidden="true"
            className="absolute -top-0.5 -right-0.5 flex h-4 min-w-4 items-center justify-center rounded-full bg-accent px-1 font-medium text-[10px] text-accent-ink tabular-nums"
          >
            {unread > COUNTED_MAX ? `${COUNTED_MAX}+` : unread}
          </span>
        )}
      </Button>
      {isOpen && (
        <Suspense>
          <Notifications onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
