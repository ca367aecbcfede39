/** Modal dialogs for forms, confirmations and messages. */
import { X } from 'lucide-react';
import { AlertDialog as Alert, Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { cn } from './cn.ts';

const overlayClasses = 'fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)] animate-appear';
/** Widths of specification §9: 90% on small, 60% on medium, 40% on large screens; never higher than 80vh. */
const panelClasses =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(80vh/var(--zoom))] w-[90%] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-control bg-raised text-ink animate-appear md:w-[60%] xl:w-[40%]';

/** Focuses the first field of a form instead of the close button. */
function focusFirstField(event: Event): void {
  const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>(
    // `form button[aria-haspopup]`, because a field can also be a button that opens a picker.
    'input:not(:disabled), textarea, [role="combobox"], form button[aria-haspopup]:not(:disabled)',
  );
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

export interface DialogProps {
  open: boolean;
  /** If absent, users cannot close the dialog. */
  onOpenChange?: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** The row of buttons at the bottom. */
  footer?: ReactNode;
  className?: string;
  onOpenAutoFocus?: (event: Event) => void;
  closeLabel?: string;
}

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  className,
  onOpenAutoFocus,
  closeLabel = 'Close',
}: DialogProps) {
  return (
    <Radix.Root open={open} {...(onOpenChange && { onOpenChange })}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClasses} />
        <Radix.Content
          data-zoomed
          className={cn(panelClasses, className)}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onOpenAutoFocus={onOpenAutoFocus ?? focusFirstField}
        >
          <header className="flex items-start gap-3 border-hairline border-b px-4 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="line-clamp-3 break-words font-semibold text-lg">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="text-muted text-sm">{description}</Radix.Description>
              )}
            </div>
            {onOpenChange !== undefined && (
              <Radix.Close asChild>
                <Button variant="ghost" size="icon-sm" aria-label={closeLabel}>
                  <X />
                </Button>
              </Radix.Close>
            )}
          </header>
          {children !== undefined && <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>}
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-hairline border-t px-4 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface ConfirmProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description: ReactNode;
  confirm: string;
  /** The label of the button that cancels. */
  cancel?: string;
  onConfirm: () => void;
  variant?: ButtonProps['variant'];
  busy?: boolean;
}

/** Requests confirmation before an action with consequences. The dialog stays open until the caller closes it. */
export function Confirm({
  open,
  onOpenChange,
  title,
  description,
  confirm,
  cancel = 'Cancel',
  onConfirm,
  variant = 'danger',
  busy = false,
}: ConfirmProps) {
  return (
    <Alert.Root open={open} onOpenChange={onOpenChange}>
      <Alert.Portal>
        <Alert.Overlay className={overlayClasses} />
        <Alert.Content data-zoomed className={cn(panelClasses, 'p-4')}>
          <Alert.Title className="font-semibold text-lg">{title}</Alert.Title>
          <Alert.Description className="mt-2 text-sm">{description}</Alert.Description>
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <Alert.Cancel asChild>
              <Button>{cancel}</Button>
            </Alert.Cancel>
            <Button variant={variant} onClick={onConfirm} disabled={busy} aria-busy={busy}>
              {confirm}
            </Button>
          </div>
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  );
}

/** A dialog with only a message and OK (specification §8). */
export function MessageDialog({
  open,
  onClose,
  title,
  description,
}: {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description: ReactNode;
}) {
  return (
    <Alert.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Alert.Portal>
        <Alert.Overlay className={cn(overlayClasses, 'z-50')} />
        <Alert.Content data-zoomed className={cn(panelClasses, 'z-50 p-4')}>
          <Alert.Title className="font-semibold text-lg">{title}</Alert.Title>
          <Alert.Description className="mt-2 overflow-y-auto whitespace-pre-line break-words text-sm">
            {description}
          </Alert.Description>
          <div className="mt-5 flex justify-end">
            <Alert.Action asChild>
              <Button variant="primary">OK</Button>
            </Alert.Action>
          </div>
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  );
}
