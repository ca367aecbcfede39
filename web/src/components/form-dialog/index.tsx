/** A dialog with a form. However the user closes it, it requests confirmation before unsaved input is lost. */
import { type ReactNode, useEffect, useState } from 'react';
import { useBlocker } from 'react-router-dom';
import { Confirm, Dialog, type DialogProps } from '../ui/dialog.tsx';

export interface FormDialogProps extends Omit<DialogProps, 'open' | 'onOpenChange' | 'footer'> {
  /** Whether there is unsaved input. */
  dirty: boolean;
  onClose: () => void;
  /** The row of buttons; `leave` is the handler of Cancel. */
  footer: (leave: () => void) => ReactNode;
}

export function FormDialog({ dirty, onClose, footer, ...dialog }: FormDialogProps) {
  const [isConfirming, setConfirming] = useState(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  const leave = () => (dirty ? setConfirming(true) : onClose());

  useEffect(() => {
    if (!dirty) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, [dirty]);

  return (
    <>
      <Dialog {...dialog} open onOpenChange={(open) => !open && leave()} footer={footer(leave)} />
      <Confirm
        open={isConfirming || blocker.state === 'blocked'}
        onOpenChange={(open) => {
          if (open) return;
          setConfirming(false);
          blocker.reset?.();
        }}
        title="Leave without saving?"
        description="Your changes will be lost."
        confirm="Leave"
        cancel="Stay"
        onConfirm={() => {
          if (blocker.state === 'blocked') blocker.proceed();
          else onClose();
        }}
      />
    </>
  );
}
