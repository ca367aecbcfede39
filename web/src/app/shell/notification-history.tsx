/** What toasts said in this tab: a second is short, so they can be read again here. */
import { Bell } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { RelativeTime } from '../../components/timeline/index.tsx';
import { clearHistory, markRead, NoticeIcon, useNotices } from '../../components/toast/index.ts';
import { Button } from '../../components/ui/button.tsx';
import { Popover } from '../../components/ui/popover.tsx';

export function NotificationHistory() {
  const { history, unread } = useNotices();
  const [open, setOpen] = useState(false);
  function show(opened: boolean) {
    setOpen(opened);
    markRead();
  }
  return (
    <Popover
      label="Notifications"
      align="end"
      className="w-80"
      open={open}
      onOpenChange={show}
      trigger={
        <Button
          variant="ghost"
          size="icon"
          className="relative"
          aria-label={unread === 0 ? 'Notifications' : `Notifications, ${unread} new`}
        >
          <Bell />
          {unread > 0 && (
            <span aria-hidden="true" className="absolute top-1.5 right-1.5 size-2 rounded-full bg-accent" />
          )}
        </Button>
      }
    >
      <div className="flex items-center justify-between pb-2">
        <h2 className="font-semibold">Notifications</h2>
        {history.length > 0 && (
          <Button variant="ghost" size="sm" onClick={clearHistory}>
            Clear
          </Button>
        )}
      </div>
      {history.length === 0 && <p className="py-4 text-center text-muted">Nothing happened yet in this tab.</p>}
      <ul className="max-h-96 divide-y divide-hairline overflow-y-auto">
        {history.map((notice) => (
          <li key={notice.id} className="flex gap-2 py-2">
            <NoticeIcon kind={notice.kind} />
            <div className="min-w-0 break-words">
              <p className="font-medium">
                {notice.href === undefined ? (
                  notice.title
                ) : (
                  <Link to={notice.href} onClick={() => show(false)} className="text-accent underline">
                    {notice.title}
                  </Link>
                )}
              </p>
              {notice.description !== '' && <p className="text-muted">{notice.description}</p>}
              <p className="text-muted text-xs">
                <RelativeTime at={notice.at} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Popover>
  );
}
