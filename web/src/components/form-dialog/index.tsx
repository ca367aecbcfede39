/** A dialog with a form. Closing the dialog with unsaved input requires a confirmation. */
import { type ReactNode, useState } from 'react';
import { LeaveConfirm, LeaveGuard } from '../leave-guard/index.tsx';
import { Dialog, type DialogProps } from '../ui/dialog.tsx';

export interface FormDialogProps extends Omit<DialogProps, 'open' | 'onOpenChange' | 'footer'> {
  /** Whether there is unsaved input. */
  dirty: boolean;
  onClose: () => void;
  /** The row of buttons; `leave` is the handler of Cancel. */
  footer: (leave: () => void) => ReactNode;
}

export function FormDialog({ dirty, onClose, footer, ...dialog }: FormDialogProps) {
  const [isConfirming, setConfirming] = useState(false);
  const leave = () => (dirty ? setConfirming(true) : onClose());

  return (
    <>
      <Dialog {...dialog} open onOpenChange={(open) => !open && leave()} footer={footer(leave)} />
      <LeaveConfirm open={isConfirming} onOpenChange={setConfirming} onConfirm={onClose} />
      <LeaveGuard dirty={dirty} onClose={onClose} />
    </>
  );
}
