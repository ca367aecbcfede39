/**
 * Shows visible toasts as cards of 250 by 100 px whose texts scroll (specification §9). Radix announces toasts
 * to screen readers.
 */
import {
  NOTIFICATION_HEIGHT_PX,
  NOTIFICATION_TEXT_HEIGHT_PX,
  NOTIFICATION_TEXT_WIDTH_PX,
  NOTIFICATION_WIDTH_PX,
} from '@rdm/contracts/constants';
import { Check, CircleAlert, Info, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Toast as Radix } from '../ui/toast.ts';
import { currentNotices, dismiss, durationOf, type NoticeKind, onNotices } from './store.ts';

const ICONS: Record<NoticeKind, typeof Check> = {
  success: Check,
  info: Info,
  error: CircleAlert,
  'auth-error': CircleAlert,
};

export function NoticeIcon({ kind }: { kind: NoticeKind }) {
  const Icon = ICONS[kind];
  const isError = kind === 'error' || kind === 'auth-error';
  return (
    <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${isError ? 'text-danger-text' : 'text-accent'}`} />
  );
}

export const useNotices = () => useSyncExternalStore(onNotices, currentNotices);

export function Toaster() {
  const { visible } = useNotices();
  return (
    <Radix.Provider swipeDirection="right">
      {visible.map((notice) => (
        <Radix.Root
          key={notice.id}
          open={notice.open}
          duration={durationOf(notice)}
          onOpenChange={(open) => !open && dismiss(notice.id)}
          style={{ width: NOTIFICATION_WIDTH_PX, height: NOTIFICATION_HEIGHT_PX }}
          className="relative flex overflow-hidden rounded-md border border-control bg-raised p-2 text-ink animate-appear"
        >
          <div
            style={{ maxWidth: NOTIFICATION_TEXT_WIDTH_PX, maxHeight: NOTIFICATION_TEXT_HEIGHT_PX }}
            className="flex w-full gap-2 overflow-y-auto pr-6"
          >
            <NoticeIcon kind={notice.kind} />
            <div className="min-w-0 break-words">
              <Radix.Title className="font-medium text-sm">{notice.title}</Radix.Title>
              {notice.description !== '' && (
                <Radix.Description className="text-muted text-xs">{notice.description}</Radix.Description>
              )}
              {notice.action !== undefined && (
                <Radix.Action asChild altText={notice.action.label}>
                  <a href={notice.action.href} className="text-accent text-xs underline">
                    {notice.action.label}
                  </a>
                </Radix.Action>
              )}
            </div>
          </div>
          <Radix.Close
            aria-label="Dismiss"
            className="absolute top-1 right-1 flex size-6 items-center justify-center rounded-md text-muted hover:bg-hover"
          >
            <X aria-hidden="true" className="size-3.5" />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport
        data-zoomed
        className="fixed right-4 bottom-4 z-50 flex max-w-[calc(100vw-2rem)] flex-col gap-2"
      />
    </Radix.Provider>
  );
}
