/** A panel at a side of the screen: details on the right, the navigation of small screens on the left. */
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { cn } from './cn.ts';

export interface DrawerProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  side?: 'left' | 'right';
  /** Removes the padding, and shows the header only to screen readers. */
  bare?: boolean;
  className?: string;
  children: ReactNode;
  footer?: ReactNode;
}

export function Drawer({
  open,
  onOpenChange,
  title,
  description,
  side = 'right',
  bare = false,
  className,
  children,
  footer,
}: DrawerProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)] animate-appear" />
        <Radix.Content
          data-zoomed
          className={cn(
            'fixed inset-y-0 z-40 flex w-full max-w-[560px] flex-col border-control bg-raised text-ink animate-appear',
            side === 'right' ? 'right-0 border-l' : 'left-0 border-r',
            className,
          )}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <header className={cn('flex items-start gap-3 border-hairline border-b px-4 py-3', bare && 'sr-only')}>
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="text-muted text-sm">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <Button variant="ghost" size="icon-sm" aria-label="Close">
                <X />
              </Button>
            </Radix.Close>
          </header>
          <div className={cn('min-h-0 flex-1', bare ? 'flex flex-col' : 'overflow-y-auto p-4')}>{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-hairline border-t px-4 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
